"""Comparisons of real runs with each other and with i.i.d. theory."""
