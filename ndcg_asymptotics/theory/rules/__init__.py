"""Numerical rules that exact means, variances and error exponents share.

`quadrature` has panels of Gauss-Legendre nodes, `mesh` and `panels` relevance curves on such panels,
`law_panels` lists with a fixed number of relevant items, `binomial` binomial laws and their Gauss rules,
`rank_nodes` the law of the number of items above a depth, `condense` fewer nodes for the same moments, and
`ideal` the ideal DCG as a smooth function.
"""
