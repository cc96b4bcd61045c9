"""Figures of real runs."""
