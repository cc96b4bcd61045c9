"""The part of Var(DCG | counts) that pairs of items make: those near the top, and those further down."""
