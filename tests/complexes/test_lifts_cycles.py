"""Cycle lifts: by hand, against brute force over all chordless cycles, and under relabelling."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import plain_graphs, seeds

import cellapse as cl
from cellapse.lifts import cycle_complex


def sets_of(K):
    return {frozenset(cell) for cell in K.cell_labels(2)}


def brute_force(graph):
    """Chordless cycles that are no sum of shorter ones, by the rank of real 0-1 matrices mod 2."""
    number = {frozenset(e): i for i, e in enumerate(graph.edges)}
    cycles = sorted(nx.chordless_cycles(graph), key=len)

    def vector(walk):
        row = np.zeros(len(number), dtype=int)
        for e in zip(walk, [*walk[1:], walk[0]], strict=True):
            row[number[frozenset(e)]] = 1
        return row

    kept = set()
    for walk in cycles:
        shorter = [vector(w) for w in cycles if len(w) < len(walk)]
        if rank_mod_2([*shorter, vector(walk)]) > rank_mod_2(shorter):
            kept.add(frozenset(walk))
    return kept


def rank_mod_2(rows):
    rows, rank = [row.copy() for row in rows], 0
    while rows:
        pivot = rows.pop()
        if pivot.any():
            rank += 1
            at = int(np.argmax(pivot))
            rows = [row ^ pivot if row[at] else row for row in rows]
    return rank


@given(plain_graphs(max_vertices=8))
def test_minimum_cycles_are_those_that_no_shorter_cycles_span(graph):
    assert sets_of(cycle_complex(graph).skeleton(2)) == brute_force(graph)


@given(plain_graphs(min_vertices=3, max_vertices=9), seeds)
def test_relabelling_a_graph_relabels_its_cycles(graph, seed):
    order = np.random.default_rng(seed).permutation(len(graph)).tolist()
    other = nx.Graph()
    other.add_nodes_from(order)
    other.add_edges_from(graph.edges)
    for options in ({}, {"cycles": "chordless", "max_length": 5}):
        assert sets_of(cycle_complex(graph, **options)) == sets_of(cycle_complex(other, **options))


def test_networkx_cycle_basis_does_not_survive_relabelling():
    """The peer's mistake that `cycle_complex` avoids: a basis has a choice, a lift must not."""
    cube = nx.cubical_graph()
    bases = set()
    for seed in range(10):
        other = nx.Graph()
        other.add_nodes_from(np.random.default_rng(seed).permutation(8).tolist())
        other.add_edges_from(cube.edges)
        bases.add(frozenset(map(frozenset, nx.cycle_basis(other))))
    assert len(bases) > 1
    assert len(sets_of(cycle_complex(cube))) == 6


@pytest.mark.parametrize(
    ("graph", "lengths"),
    [
        (nx.path_graph(5), []),
        (nx.cycle_graph(30), [30]),  # longer than the first bound of the search
        (nx.grid_2d_graph(4, 3), [4] * 6),
        (nx.complete_graph(4), [3] * 4),
        (nx.petersen_graph(), [5] * 12),
        (nx.complete_bipartite_graph(2, 4), [4] * 6),
        (nx.dodecahedral_graph(), [5] * 12),
        (nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(9)), [3, 9]),
    ],
)
def test_minimum_cycles_by_hand(graph, lengths):
    K = cycle_complex(graph)
    assert (sorted(K.cells[2].sizes.tolist()) if K.max_rank > 1 else []) == lengths


def test_two_hexagons_joined_by_many_equal_paths_give_every_choice():
    # r - {1, 2} - 3 - ... : each of two diamonds doubles the cycles through both.
    graph = nx.Graph([(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (4, 5), (4, 6), (5, 7), (6, 7)])
    nx.add_path(graph, [7, 8, 9, 10, 11, 0])
    lengths = cycle_complex(graph).cells[2].sizes.tolist()
    assert lengths == [4, 4, *[10] * 4]


def test_cells_walk_along_their_boundary_in_a_fixed_direction():
    K = cycle_complex(nx.Graph([("d", "a"), ("a", "c"), ("c", "b"), ("b", "d")]))
    assert K.cell_labels(2) == (("d", "a", "c", "b"),)
    assert cl.is_chain_complex(cl.boundary_matrices(K))


@given(plain_graphs(min_vertices=3), st.integers(3, 6))
def test_max_length_leaves_out_longer_cycles_only(graph, bound):
    short = {c for c in sets_of(cycle_complex(graph)) if len(c) <= bound}
    assert sets_of(cycle_complex(graph, max_length=bound)) == short


def test_edges_of_a_lift_keep_weights_and_attributes():
    graph = nx.cycle_graph(4)
    nx.set_edge_attributes(graph, 2.0, "w")
    nx.set_node_attributes(graph, "red", "colour")
    K = cycle_complex(graph, weight="w")
    assert K.weights[1].tolist() == [2.0] * 4
    assert K.attributes[0]["colour"].tolist() == ["red"] * 4


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cycles": "basis"}, "minimum"),
        ({"cycles": "chordless"}, "max_length"),
        ({"max_length": 2}, "3"),
    ],
)
def test_errors_say_what_to_do(options, words):
    with pytest.raises(cl.InputError, match=words):
        cycle_complex(nx.cycle_graph(4), **options)
