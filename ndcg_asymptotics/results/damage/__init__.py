"""Damage to results: seals, what a folder really holds, verifying it and building it again."""
