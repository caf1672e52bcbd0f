"""Cut-offs between ways that lead to the same result, each with the measurement behind it.

Measured on one core of a server of 2024. What changes a result stands where it is used.
"""

DENSE_INVERSE = 1500  # vertices; up to here one dense inverse is quicker than n products
DENSE_DIAGONAL = 5000  # the same where a product takes iterations, or a solve with all cells
EVERYTHING_IS_QUICK = 300  # vertices; below, conjugate gradients gain nothing on a factor
SLOW_PRODUCTS = 10  # eliminated cells per vertex; from here on even a small S is better not formed
LARGE_CLIQUES_FROM = 1000  # rows of a level; three K45: 13 s by Woodbury, over 49 s by a factor
PAIRS_WITH_SIGMA = 10  # eigenpairs of A found with the first: enough to start ten of S from
MOST_STEPS = 6000  # of conjugate gradients on K; a factor is quicker long before
ROUGH_RESIDUAL, ROUGH_STEPS = 0.003, 100  # of u = K v; small worlds take 1.67 times less with it
FARTHEST_PAIR = 0.1  # from x; a u further away is of no use to Davidson's method
