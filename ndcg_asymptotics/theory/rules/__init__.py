"""Numerical rules that exact means, variances and error exponents share.

`quadrature` has panels of Gauss-Legendre nodes, `mesh` relevance curves on such panels, `law_panels` lists
with a fixed number of relevant items, `binomial` binomial laws and their Gauss rules, `counts` the law of a
label count, `ranks` that of the number of items above a depth, `acceleration` limits of sequences, and
`ideal` the ideal DCG as a smooth function.
"""
