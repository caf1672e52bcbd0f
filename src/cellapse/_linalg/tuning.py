"""Cut-offs between ways that lead to the same result, each with the measurement behind it.

Of all the core, measured on one core. What changes a result stands where it is used.
"""

# Factorizations
PARDISO_FROM = 5_000  # rows; 10,000 of a mesh: 12 ms for SuperLU's 15, 300,000: 1.4 s for 2.2
NESTED_DISSECTION_FROM = 75_000  # rows; below, minimum degree finds an order as good in less time
DENSE_BLOCK = 250  # rows that a dense elimination takes in its stride: no reason not to factorize
FITS_ANYWHERE = 10_000  # rows whose factor fits into any memory, even where it is dense
SUPERLU_COLUMNS = 12  # right-hand sides at once: twice as quick as hundreds
SUPERLU_PANEL = 4  # columns; a fifth less time than by the 20 of SuperLU

# Products and dense algebra
MKL_FROM = 2**15  # entries; MKL takes 8 ms to load, and saves about as much in one spectrum
CACHE = 2**23  # bytes of columns at once: 64 to 128 signals take half the time of all at once
FEW_EIGENPAIRS_FROM = 64  # rows; up to here all eigenpairs cost as little as some
DENSE_SIGMA = 300  # rows up to which all eigenvalues take less than a factor: 2.3 ms for 1.4 to 4.7
DENSE_OPERATOR = 100  # rows up to which an operator is made a matrix
FEW_ENTRIES = 8  # a kernel vector with more than one entry in so many is dense

# Eigenpairs
DENSE = 500  # cells; up to here all eigenpairs cost as little as some
DENSE_IF_NOTHING_ELSE = 4_000  # cells; all eigenpairs of as many take some 20 s
CERTIFY = 20_000  # cells; up to here a second factorization takes less than the eigenpairs
HUBS = 10.0  # times the median entry; there Lanczos takes twice the time of corrections
PIVOTED_UP_TO = 300  # rows; up to here a dense factorization with pivoting takes some ms
FILTER_DEGREE = 5  # of a Chebyshev filter, odd; a step of Lanczos costs as much as so many products
CORRECTION_PRODUCTS = 3  # solves with A a step; 10,000 of a mesh, mixed: 3 products with S, not 7

# Collapses
DENSE_INVERSE = 1500  # vertices; up to here one dense inverse is quicker than n products
DENSE_DIAGONAL = 5000  # the same where a product takes iterations, or a solve with all cells
EVERYTHING_IS_QUICK = 300  # vertices; below, conjugate gradients gain nothing on a factor
SLOW_PRODUCTS = 10  # eliminated cells per vertex; from here on even a small S is better not formed
LARGE_CLIQUES_FROM = 1000  # rows of a level; three K45: 13 s by Woodbury, over 49 s by a factor
PAIRS_WITH_SIGMA = 10  # eigenpairs of A found with the first: enough to start ten of S from
ROUGH_RESIDUAL, ROUGH_STEPS = 0.003, 100  # of u = K v; small worlds take 1.1 times less with it
FARTHEST_PAIR = 0.1  # from x; a u further away is of no use to Davidson's method
MOST_STEPS = 6000  # of conjugate gradients on K; a factor is quicker long before
