"""Figures of which scorer is ahead."""
