"""Numerical rules that exact means, variances and error exponents share.

`quadrature` has panels of Gauss-Legendre nodes, `mesh` relevance curves on such panels, `binomial` binomial
laws and their Gauss rules, `condense` fewer nodes for the same moments, and `ideal` the ideal DCG as a smooth
function.
"""
