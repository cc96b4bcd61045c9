"""Real runs compared, and held against i.i.d. theory."""
