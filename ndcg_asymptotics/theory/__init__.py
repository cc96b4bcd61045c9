"""Exact and asymptotic values of NDCG and DCG, without simulation.

=======================  =====================================  ==============================================
function                 what it computes                       how, and where
=======================  =====================================  ==============================================
`limit`                  lim NDCG_n, or why there is none       integrals of the curve, by theorem (`limits`);
                                                                with fixed counts the limit of the scaled mean
`leading_gap`            how E[NDCG_n] approaches it            integrals of the curve
`pseudo_expectation`     Definition 5 of the paper              an integral over ranks
`expected_ndcg`          E[NDCG_n], exact                       an integral over the depth of one item, given
                                                                the label counts of the others (`mean`)
`ndcg_std`,              their standard deviations              recursion over the first ranks, exact, where
`difference_std`                                                few count; else an expansion given the label
                                                                counts, with a bound (`deviation`)
`effect_sizes`           mean over standard deviation           from the two above
`first_moment`           leading difference of two means        moments of the curves against (-log t)^j
`order_in_expectation`   which scorer has the larger mean       exact means up to n = 1e18 (`orders`); there
                                                                too error exponents and tilts of wrong orders
`predict`                all of these for lists of n items      as a table
=======================  =====================================  ==============================================

`sampled` has moments of metrics of sampled candidates, and `rules` the quadratures and laws that all share.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
