"""The zoo: graphs as one line of code each, so that a reproducer can be pasted.

Random-looking ones come from `h`, a multiplicative hash, and not from any library's draws. Sizes
lie on both sides of the thresholds in the package: 300, 400, 500, 1,200, 2,000 and 20,000.
"""

import re

import networkx as nx

HASH = "h = lambda i: i * 2654435761 % 2**32 / 2**32"


def h(i):
    return i * 2654435761 % 2**32 / 2**32


_SIZES = (40, 299, 301, 399, 402, 499, 502, 1199, 1202, 1999, 2002)
_FEW = (120, 301, 402, 502, 1202, 2002)

_SIZED = {
    "star": ("nx.star_graph({n} - 1)", _SIZES),
    "path": ("nx.path_graph({n})", _SIZES),
    "cycle": ("nx.cycle_graph({n})", _FEW),
    "tree": ("nx.full_rary_tree(3, {n})", _FEW),
    "caterpillar": ("nx.Graph([(i, i // 2 * 2 - 2 if i > 1 else 0) for i in range(1, {n})])", _FEW),
    "barbell": ("nx.barbell_graph(20, {n} - 40)", _SIZES),
    "lollipop": ("nx.lollipop_graph(20, {n} - 20)", _FEW),
    "expander": (
        "nx.Graph([(i, int({n} * h(i + {n} * d))) for i in range({n}) for d in (1, 2)])",
        _SIZES,
    ),
    "power law": (
        "nx.Graph([(i, int(i * h(7 * i + d) ** 2)) for i in range(4, {n}) for d in (1, 2, 3)])",
        _SIZES,
    ),
    "small world": (
        "nx.Graph([(i, (i + d) % {n} if h(3 * i + d) > 0.1 else int({n} * h(5 * i + d)))"
        " for i in range({n}) for d in (1, 2, 3)])",
        _SIZES,
    ),
    "communities": (
        "nx.Graph([(i, (i // 25 * 25 + int(25 * h(11 * i + d))) % {n} if h(13 * i + d) > 0.15 else"
        " int({n} * h(17 * i + d))) for i in range({n}) for d in range(1, 6)])",
        _SIZES,
    ),
    "bipartite": ("nx.complete_bipartite_graph({n} // 2, {n} - {n} // 2)", (20, 120, 301, 402)),
}

_FIXED = {
    "hypercube": [f"nx.hypercube_graph({d})" for d in (4, 7, 8, 9, 10, 11)],
    "torus": [
        f"nx.grid_2d_graph({a}, {b}, periodic=True)"
        for a, b in ((5, 6), (15, 20), (20, 21), (22, 24), (30, 41), (40, 51))
    ],
    "grid": [f"nx.grid_2d_graph({a}, {b})" for a, b in ((6, 6), (17, 18), (23, 23), (35, 35))],
    "kneser": [
        f"nx.kneser_graph({n}, {k})" for n, k in ((5, 2), (8, 3), (10, 3), (11, 4), (15, 3))
    ],
    "paley": [f"nx.paley_graph({p}).to_undirected()" for p in (13, 61, 101, 197, 313)],
    "triangular": [f"nx.line_graph(nx.complete_graph({m}))" for m in (9, 25, 26, 29, 33, 50)],
    "rook": [f"nx.line_graph(nx.complete_bipartite_graph({m}, {m}))" for m in (6, 18, 21, 23, 35)],
    "line of a tree": ["nx.line_graph(nx.full_rary_tree(4, 600))"],
    "multipartite": [
        f"nx.complete_multipartite_graph({parts})"
        for parts in ("*[4] * 10", "*[30] * 10", "1, 1, 300", "*[101] * 4", "*[60] * 9")
    ],
    "ring of cliques": [
        f"nx.ring_of_cliques({a}, {b})"
        for a, b in ((8, 5), (33, 9), (34, 9), (45, 9), (60, 9), (134, 9), (150, 9))
    ],
    "copies": [
        "nx.disjoint_union_all([nx.cycle_graph(10)] * 12)",
        "nx.disjoint_union_all([nx.cycle_graph(12)] * 45)",
        "nx.disjoint_union_all([nx.complete_graph(5)] * 81)",
        "nx.disjoint_union_all([nx.petersen_graph()] * 121)",
        "nx.disjoint_union_all([nx.hypercube_graph(5)] * 64)",
        "nx.disjoint_union(nx.path_graph(350), nx.complete_graph(60))",
    ],
    "joined": [
        "nx.Graph([*nx.convert_node_labels_to_integers(nx.line_graph(nx.complete_graph(50))).edges,"
        " *((u + 2000, v + 2000) for u, v in nx.complete_bipartite_graph(55, 55).edges),"
        " (0, 2000)])",
        "nx.barbell_graph(150, 1100)",
    ],
    "margulis": [f"nx.Graph(nx.margulis_gabber_galil_graph({m}))" for m in (6, 18, 21, 23, 35, 45)],
    "chordal cycle": [f"nx.Graph(nx.chordal_cycle_graph({p}))" for p in (31, 307, 503, 1213, 2003)],
}

# Too large for a dense oracle: judged by true residuals, and by closed forms where there are any.
LARGE = {
    "path": ["nx.path_graph(19990)", "nx.path_graph(20010)"],
    "torus": [
        "nx.grid_2d_graph(100, 201, periodic=True)",
        "nx.grid_2d_graph(80, 81, periodic=True)",
    ],
    "star": ["nx.star_graph(19999)", "nx.star_graph(5000)"],
    "hypercube": ["nx.hypercube_graph(12)", "nx.hypercube_graph(13)"],
    "copies": ["nx.disjoint_union_all([nx.cycle_graph(100)] * 50)"],
    "small world": [_SIZED["small world"][0].format(n=n) for n in (5000, 20010)],
    "power law": [_SIZED["power law"][0].format(n=n) for n in (5000, 20010)],
    "communities": [_SIZED["communities"][0].format(n=n) for n in (5000, 20010)],
    "barbell": ["nx.barbell_graph(40, 5000)"],
}


def zoo():
    """All graphs: (family, code, whether it is large)."""
    found = []
    for family, (code, sizes) in _SIZED.items():
        found += [(family, code.format(n=n), False) for n in sizes]
    for family, codes in _FIXED.items():
        found += [(family, code, False) for code in codes]
    for family, codes in LARGE.items():
        found += [(family, code, True) for code in codes]
    return found


def make(code):
    """The graph of a line of code, without loops; its vertices in the order of networkx."""
    graph = eval(code, {"nx": nx, "h": h})
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    return graph


def lines(code):
    """The code that makes it, to paste."""
    first = [HASH] if re.search(r"\bh\(", code) else []
    return [*first, f"G = {code}", "G.remove_edges_from(list(nx.selfloop_edges(G)))"]
