"""Results held against theory, and what they say of pairs of scorers."""
