"""TopoNetX: its cells are read, its matrices never; and complexes of all three kinds out."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellapse._complex.complex import Complex, require_complex
from cellapse._complex.hyperedges import given_hyperedges
from cellapse._complex.labels import positions, vertex_order
from cellapse._errors import InputError, extra
from cellapse._shared.checks import one_of
from cellapse._shared.memory import Fitting
from cellapse._shared.notes import loss
from cellapse.interop._build import (
    Wanted,
    ranked_complex,
    records_of,
)

_KINDS = ("combinatorial", "simplicial", "cell")


def read(source: Any, wanted: Wanted) -> Complex:
    """Return a SimplicialComplex, CellComplex or CombinatorialComplex."""
    kinds = {base.__name__ for base in type(source).__mro__}
    wanted.check_ranked(f"a {type(source).__name__}")
    if "SimplicialComplex" in kinds:
        # The public lists are sorted, which is slow and fails for labels of several types.
        trie = source._simplex_trie
        nodes = {rank: list(trie.skeleton(rank)) for rank in range(len(trie.shape))}
        cells = {rank: [node.elements for node in listed] for rank, listed in nodes.items()}
        records = {rank: [node.attributes for node in listed] for rank, listed in nodes.items()}
        # A set of simplices, with sorted matrices: the order of its trie is not the user's.
        named = [label for (label,) in cells.pop(0, [])]
        labels, position = vertex_order(named), positions(named)
        records[0] = [records[0][position[v]] for v in labels] if named else []
        return ranked_complex(labels, cells, records, wanted.weight, source.complex)
    if "CellComplex" in kinds:
        return _from_cell_complex(source, wanted.weight)
    if "CombinatorialComplex" in kinds:
        return _from_combinatorial(source, wanted.weight)
    raise InputError(
        f"a toponetx {type(source).__name__} was given; pass a SimplicialComplex, a CellComplex "
        "or a CombinatorialComplex"
    )


def _from_cell_complex(source: Any, weight: str | None) -> Complex:
    polygons = list(source.cells)
    cells = {1: list(source.edges), 2: [cell.elements for cell in polygons]}
    records = {
        0: [data for _, data in source.nodes(data=True)],
        1: [data for _, _, data in source.edges(data=True)],
        2: [cell._attributes for cell in polygons],
    }
    return ranked_complex(list(source.nodes), cells, records, weight, source.complex, walks=True)


def _from_combinatorial(source: Any, weight: str | None) -> Complex:
    listed = source.cells.hyperedge_dict
    labels = [label for (label,) in listed.get(0, {})]
    cells = {rank: list(group) for rank, group in listed.items() if rank}
    records = {rank: list(group.values()) for rank, group in listed.items()}
    if weight != "weight":
        # TopoNetX puts weight=1 on every cell, which carries no information.
        records = {rank: _without_ones(group) for rank, group in records.items()}
    return ranked_complex(labels, cells, records, weight, source.complex)


def _without_ones(records: list[dict[Any, Any]]) -> list[dict[Any, Any]]:
    if any(record.get("weight", 1) != 1 for record in records):
        return records
    return [{name: v for name, v in record.items() if name != "weight"} for record in records]


@Fitting("the object of the other library", "take a smaller complex")
def to_toponetx(K: Complex, *, kind: str = "combinatorial", weight: str = "weight") -> Any:
    """Return a TopoNetX complex with the same cells, attributes and weights.

    Of a hypergraph, a combinatorial complex has the hyperedges that were given: pairs at rank 1,
    larger ones at rank 2.

    Parameters
    ----------
    K : Complex
    kind : {"combinatorial", "simplicial", "cell"}
        `CombinatorialComplex` holds any complex, `SimplicialComplex` only simplices with all
        their faces, `CellComplex` vertices, edges and polygons. TopoNetX sorts vertices in its
        matrices: align results by label.
    weight : str
        Name of the attribute for the weights, where there are any.

    Returns
    -------
    toponetx.classes.Complex

    Examples
    --------
    >>> import cellapse as cl
    >>> K = cl.Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> cl.interop.to_toponetx(K, kind="simplicial").shape
    (3, 3, 1)
    """
    require_complex(K, "to_toponetx")
    with extra("toponetx", "topology"):
        import toponetx
    one_of("kind", kind, _KINDS)
    if kind == "combinatorial":
        K = _hyperedges_alone(K)
    if kind == "simplicial":
        target = _simplicial(toponetx.SimplicialComplex(), K)
    elif kind == "cell":
        target = _cell_complex(toponetx.CellComplex(), K)
    else:
        target = toponetx.CombinatorialComplex()
        for rank in range(K.max_rank + 1):
            for cell in _cells(K, rank):
                target.add_cell(cell, rank)
    # Only now: adding a cell makes a CombinatorialComplex forget what it knew of its vertices.
    for rank in range(K.max_rank + 1):
        if K.attributes[rank] or K.weights[rank] is not None:
            for cell, record in zip(_cells(K, rank), records_of(K, rank, weight), strict=True):
                _attributes_of(target, kind, rank, cell).update(record)
    target.complex.update(K.metadata)
    return target


def _hyperedges_alone(K: Complex) -> Complex:
    """Of a hypergraph, the complex without the pairs that were no hyperedges themselves."""
    given = given_hyperedges(K)
    if given is None:
        return K
    distinct, which = np.unique(given.cells, return_inverse=True)
    n_lost = len(given) - len(distinct) + int((distinct < K.n_vertices).sum())
    if n_lost:
        loss(
            f"{n_lost:,} hyperedges of one vertex, or that come again, have no place in a complex "
            "of TopoNetX; to_xgi keeps them"
        )
    own = None if given.weights is None else np.bincount(which, given.weights)
    cells: dict[int, Any] = {}
    weights: dict[int, Any] = {}
    attributes: dict[int, Any] = {0: K.attributes[0]}
    start = K.n_vertices
    if K.weights[0] is not None:
        weights[0] = K.weights[0]
    for k in range(1, K.max_rank + 1):
        here = (distinct >= start) & (distinct < start + K.n_cells[k])
        kept = distinct[here] - start
        part = K.cells[k].take(kept)
        cells[k] = part.indptr, part.indices
        attributes[k] = {name: column[kept] for name, column in K.attributes[k].items()}
        if own is not None:
            weights[k] = own[here]
        start += K.n_cells[k]
    return Complex.from_arrays(K.n_vertices, cells, K.labels, weights, attributes, K.metadata)


def _cells(K: Complex, rank: int) -> Any:
    return K.cell_labels(rank) if rank else [(label,) for label in K.labels]


def _simplicial(target: Any, K: Complex) -> Any:
    try:
        for rank in range(K.max_rank + 1):
            target.add_simplices_from(_cells(K, rank))
    except TypeError as error:
        raise InputError(
            f"a SimplicialComplex of TopoNetX sorts the labels, and these cannot be sorted "
            f'({error}); take kind="combinatorial"'
        ) from None
    if not K.is_simplicial or len(target) > sum(K.n_cells):  # TopoNetX has added missing faces
        raise InputError(
            "a SimplicialComplex holds simplices with all their faces, and this complex is not "
            'made of those; take kind="combinatorial"'
        )
    return target


def _cell_complex(target: Any, K: Complex) -> Any:
    if K.max_rank > 2 or (K.max_rank > 0 and (K.cells[1].sizes != 2).any()):
        raise InputError(
            f"a CellComplex holds vertices, edges and polygons, and this complex has {K.n_cells} "
            'cells of ranks 0, 1, ...; take kind="combinatorial"'
        )
    for label in K.labels:
        target.add_node(label)
    if K.max_rank > 0:
        target.add_edges_from(K.cell_labels(1))
    if K.max_rank > 1:
        n_edges = K.n_cells[1]
        for cell in K.cell_labels(2):
            target.add_cell(cell, rank=2)
        if target.number_of_edges() != n_edges:
            raise InputError(
                "the sides of some polygons are no edges of this complex, and a CellComplex would "
                'add them; take kind="combinatorial"'
            )
    return target


def _attributes_of(target: Any, kind: str, rank: int, cell: Any) -> Any:
    if kind == "combinatorial":
        return target.cells.hyperedge_dict[rank][frozenset(cell)]
    if kind == "simplicial":
        return target[cell]
    if rank == 0:
        return target.nodes[cell[0]]
    return target.edges[cell] if rank == 1 else target.cells.raw(cell)._attributes
