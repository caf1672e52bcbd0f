"""What needs no solve: the screened operator and the operators people compare with."""

import numpy as np

from .chains import matrices, signed_edges


def dense(matrix):
    """B in doubles."""
    B = np.zeros(matrix.shape)
    for (i, j), value in matrix.entries.items():
        B[i, j] = value
    rows, columns = np.array(matrix.rows, float), np.array(matrix.columns, float)
    return B / np.sqrt(rows)[:, None] * np.sqrt(columns)


def edge_matrix(plain):
    """Signed B_1 with the weights of vertices and edges."""
    B = np.zeros((plain.n, len(plain.cells.get(1, []))))
    for (i, j), value in signed_edges(plain).items():
        B[i, j] = value
    return B / np.sqrt(plain.weight(0))[:, None] * np.sqrt(plain.weight(1))


def holders(plain):
    """For each edge the cells above it: (rank, number in its rank, weight). No formal elements."""
    edges = [frozenset(c) for c in plain.cells.get(1, [])]
    above = [
        (k, j, set(cell), plain.weight(k)[j])
        for k in sorted(plain.cells)
        if k > 1
        for j, cell in enumerate(plain.cells[k])
    ]
    return [[(k, j, w) for k, j, cell, w in above if edge < cell] for edge in edges]


def shares(plain, beta, theta, eps, rounds):
    """The share of its weight that each edge keeps: 1 - theta^2 / (1 + eps + support).

    The support of an edge is the sum of beta_k w over the cells around it. In rounds, each cell
    counts by the squared geometric mean of the shares of its other edges, over the geometric mean
    of the degrees (sums of shares) at the two ends.
    """
    edges, held = plain.cells.get(1, []), holders(plain)
    inside = {}
    for e, cells in enumerate(held):
        for k, j, _ in cells:
            inside.setdefault((k, j), []).append(e)
    share = np.ones(len(edges))
    for _ in range(max(rounds, 1)):
        degree = np.zeros(plain.n)
        for e, (u, v) in enumerate(edges):
            degree[[u, v]] += share[e]
        new = np.empty(len(edges))
        for e, (u, v) in enumerate(edges):
            support = 0.0
            for k, j, w in held[e]:
                others = [share[f] for f in inside[k, j] if f != e]
                mean = np.exp(2.0 * np.mean(np.log(others))) if others and rounds else 1.0
                support += beta[k - 1] * w * mean
            if rounds:
                support /= np.sqrt(degree[u] * degree[v])
            new[e] = 1.0 - theta**2 / (1.0 + eps + support)
        share = new
    return share


def screened(plain, beta, theta, eps, rounds):
    """S = beta_1 B_1 diag(share) B_1^T, and A."""
    B, share = edge_matrix(plain), shares(plain, beta, theta, eps, rounds)
    b = beta[0] if len(beta) else 1.0
    return b * (B * share) @ B.T, b * B @ B.T


def graph_laplacian(plain):
    B = edge_matrix(plain)
    return B @ B.T


def signless_laplacian(plain):
    B = abs(edge_matrix(plain))
    return B @ B.T


def on_vertices(plain, L):
    """L with the weights of vertices, as in `edge_matrix`."""
    root = np.sqrt(plain.weight(0))
    return L / root[:, None] / root


def multiorder_laplacian(plain):
    """The sum over sizes d + 1 of (d K_i delta_ij - A_ij) / mean K, each cell by its weight."""
    total = np.zeros((plain.n, plain.n))
    cells = [
        (c, w) for k in plain.cells for c, w in zip(plain.cells[k], plain.weight(k), strict=True)
    ]
    for size in sorted({len(c) for c, _ in cells}):
        count, together = np.zeros(plain.n), np.zeros((plain.n, plain.n))
        for cell, weight in (one for one in cells if len(one[0]) == size):
            for u in cell:
                count[u] += weight
                for v in cell:
                    together[u, v] += weight * (u != v)
        total += (np.diag((size - 1) * count) - together) / count.mean()
    return on_vertices(plain, total)


def motif_laplacian(plain, floor):
    """Edges weighted by the floor plus the (weighted) number of cells around them."""
    B = edge_matrix(plain)
    count = [floor + sum(w for _, _, w in cells) for cells in holders(plain)]
    return (B * np.array(count)) @ B.T


def zhou_laplacian(plain):
    """I - D^-1/2 H W E^-1 H^T D^-1/2 over all cells; nothing for a vertex in none."""
    degree, M = np.zeros(plain.n), np.zeros((plain.n, plain.n))
    for k in plain.cells:
        for cell, w in zip(plain.cells[k], plain.weight(k), strict=True):
            for u in cell:
                degree[u] += w
                for v in cell:
                    M[u, v] += w / len(cell)
    held = degree > 0
    root = np.where(held, 1.0 / np.sqrt(np.where(held, degree, 1.0)), 0.0)
    return on_vertices(plain, np.diag(held.astype(float)) - root[:, None] * M * root)


def hodge_laplacian(plain, rank):
    B = [dense(M) for M in matrices(plain, "boundary")]
    n = plain.n if rank == 0 else len(plain.cells.get(rank, []))
    L = np.zeros((n, n))
    if rank > 0:
        L += B[rank - 1].T @ B[rank - 1]
    if rank < plain.top:
        L += B[rank] @ B[rank].T
    return L


def dirac_operator(plain):
    B = [dense(M) for M in matrices(plain, "boundary")]
    sizes = [plain.n, *(M.shape[1] for M in B)]
    start = np.concatenate([[0], np.cumsum(sizes)])
    D = np.zeros((start[-1], start[-1]))
    for k, M in enumerate(B):
        D[start[k] : start[k + 1], start[k + 1] : start[k + 2]] = M
    return D + D.T
