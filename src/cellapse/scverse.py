"""Tasks on an AnnData, with results where scanpy keeps them.

Every function takes the graph of `obsp["connectivities"]`, or of another key, writes what it finds
back under `key_added` and returns nothing, or with `copy=True` a copy that has it. The cells, their
order and their names stay as they are.

    scverse.spread_labels(adata, "cell_type")  ->  adata.obs["cell_type_spread"]

The functions of `cellapse` take an AnnData as well, `cellapse.edge_trust(adata)`, and write nothing
to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._collapse.collapsed import collapse as collapsed
from cellapse._collapse.realizations import DEFAULT, Realization
from cellapse._complex.complex import Complex
from cellapse._complex.weights import AUTO
from cellapse._errors import InputError, extra
from cellapse._operators.names import make_operator
from cellapse._shared.checks import word
from cellapse._shared.names import showing
from cellapse._sources import complex_from
from cellapse.interop.anndata import CONNECTIVITIES, neighbour_graph
from cellapse.tasks.clustering import cluster as clusters_of
from cellapse.tasks.embedding import embed as embedded
from cellapse.tasks.labels import spread_labels as spread_over
from cellapse.tasks.smoothing import smooth as smoothed
from cellapse.tasks.trust import edge_trust

__all__ = ["cluster", "collapse", "embed", "smooth", "spread_labels", "trust"]
__dir__ = showing(__all__)


def collapse(
    adata: Any, *, obsp: str = CONNECTIVITIES, key_added: str = "collapsed", copy: bool = False
) -> Any:
    """Weigh the edges of the neighbour graph by how well their triangles support them.

    The renormalized collapse is the Laplacian of these weights. They are connectivities for every
    tool of scanpy that takes `neighbors_key`: `sc.tl.leiden(adata, neighbors_key="collapsed")`.

    Parameters
    ----------
    adata : AnnData
    obsp : str
        Key of the graph.
    key_added : str
        Written: `obsp["collapsed_connectivities"]` and `uns["collapsed"]`.
    copy : bool
        Whether a copy is changed and returned.

    Returns
    -------
    AnnData or None

    Examples
    --------
    >>> adata = _example()
    >>> collapse(adata)
    >>> adata.obsp["collapsed_connectivities"].toarray()[0].round(3).tolist()
    [0.0, 0.627, 0.627, 0.05]
    """
    adata, K = _graph(adata, obsp, key_added, copy)
    S = collapsed(K).tocsr()
    weights = sparse.csr_matrix(-S + sparse.diags_array(S.diagonal()))
    weights.eliminate_zeros()
    adata.obsp[f"{key_added}_{CONNECTIVITIES}"] = weights
    adata.uns[key_added] = {
        "connectivities_key": f"{key_added}_{CONNECTIVITIES}",
        # The distances and parameters are those of the graph that was collapsed.
        **{k: v for k, v in _neighbours(adata, obsp).items() if k != "connectivities_key"},
    }
    return adata if copy else None


def trust(
    adata: Any, *, obsp: str = CONNECTIVITIES, key_added: str = "trust", copy: bool = False
) -> Any:
    """Say how far every edge of the neighbour graph can be trusted, and every cell by its edges.

    Parameters
    ----------
    adata : AnnData
    obsp : str
        Key of the graph.
    key_added : str
        Written: `obsp["trust"]`, the trust of every edge, and `obs["trust"]`, the mean over those
        of a cell (missing for a cell without).
    copy : bool
        Whether a copy is changed and returned.

    Returns
    -------
    AnnData or None

    Examples
    --------
    >>> adata = _example()
    >>> trust(adata)
    >>> adata.obs["trust"].round(2).tolist()
    [0.41, 0.61, 0.61, 0.0]
    """
    adata, K = _graph(adata, obsp, key_added, copy)
    found = edge_trust(K)
    i, j = K.cells[1].as_array().reshape(-1, 2).T if K.max_rank else np.empty((2, 0), np.int64)
    n = K.n_vertices
    half = sparse.coo_array((found.values, (i, j)), shape=(n, n))
    adata.obsp[key_added] = sparse.csr_matrix(half + half.T)
    total = np.bincount(i, found.values, n) + np.bincount(j, found.values, n)
    degree = np.bincount(i, minlength=n) + np.bincount(j, minlength=n)
    adata.obs[key_added] = np.where(degree > 0, total / np.maximum(degree, 1), np.nan)
    return adata if copy else None


def spread_labels(
    adata: Any,
    labels: str,
    *,
    obsp: str = CONNECTIVITIES,
    operator: str | Realization = DEFAULT,
    key_added: str | None = None,
    copy: bool = False,
) -> Any:
    """Spread the labels of a few cells over all, along the collapse of the neighbour graph.

    Parameters
    ----------
    adata : AnnData
    labels : str
        Column of `obs` with the known labels; missing where a cell has none.
    obsp : str
        Key of the graph.
    operator : name or Realization
        What labels are spread along: any that `make_operator` takes.
    key_added : str, optional
        Written: `obs[key_added]`, the labels of all cells, by default `labels` with "_spread";
        `obs[key_added + "_confidence"]`; and `obsm[key_added]`, a table with the share of every
        label.
    copy : bool
        Whether a copy is changed and returned.

    Returns
    -------
    AnnData or None

    Examples
    --------
    >>> adata = _example()
    >>> adata.obs["cell_type"] = ["B", None, None, "T"]
    >>> spread_labels(adata, "cell_type")
    >>> adata.obs["cell_type_spread"].tolist()
    ['B', 'B', 'B', 'T']
    """
    with extra("pandas", "pandas"):
        import pandas as pd
    word("labels", labels)
    key = f"{labels}_spread" if key_added is None else key_added
    adata, K = _graph(adata, obsp, key, copy)
    if labels not in adata.obs:
        raise InputError(
            f"labels={labels!r}, but obs has {', '.join(map(repr, adata.obs.columns)) or 'nothing'}"
        )
    column = adata.obs[labels]
    named = column.notna().to_numpy()
    known = {K.labels[v]: column.iloc[v] for v in np.flatnonzero(named).tolist()}
    found = spread_over(make_operator(K, operator), known)
    categories = getattr(getattr(column, "cat", None), "categories", None)
    values = [found.classes[c] for c in np.asarray(found.numbers)]
    adata.obs[key] = pd.Categorical(values, categories=categories)
    adata.obs[f"{key}_confidence"] = found.probabilities.max(axis=1)
    adata.obsm[key] = pd.DataFrame(
        found.probabilities, index=adata.obs_names, columns=list(map(str, found.classes))
    )
    return adata if copy else None


def cluster(
    adata: Any,
    n_clusters: int | None = None,
    *,
    obsp: str = CONNECTIVITIES,
    operator: str | Realization = DEFAULT,
    key_added: str = "collapsed_clusters",
    rng: int | np.random.Generator = 0,
    copy: bool = False,
) -> Any:
    """Group the cells by the normalized cut of the collapse of their neighbour graph.

    Parameters
    ----------
    adata : AnnData
    n_clusters : int, optional
        By default the number before the largest gap of the first eigenvalues.
    obsp : str
        Key of the graph.
    operator : name or Realization
        What is cut: any that `make_operator` takes.
    key_added : str
        Written: `obs[key_added]`, names "0", "1", ... as categories.
    rng : seed or numpy Generator
    copy : bool
        Whether a copy is changed and returned.

    Returns
    -------
    AnnData or None

    Examples
    --------
    >>> adata = _example()
    >>> cluster(adata, 2)
    >>> adata.obs["collapsed_clusters"].nunique()
    2
    """
    with extra("pandas", "pandas"):
        import pandas as pd
    adata, K = _graph(adata, obsp, key_added, copy)
    numbers = clusters_of(make_operator(K, operator), n_clusters, rng=rng).numbers
    names = [str(c) for c in range(int(numbers.max()) + 1)]
    adata.obs[key_added] = pd.Categorical.from_codes(numbers, names)
    return adata if copy else None


def embed(
    adata: Any,
    k: int = 15,
    *,
    obsp: str = CONNECTIVITIES,
    operator: str | Realization = DEFAULT,
    key_added: str = "X_collapsed",
    copy: bool = False,
) -> Any:
    """Embed the cells by the first eigenvectors of the collapse, as `sc.tl.diffmap` does.

    Parameters
    ----------
    adata : AnnData
    k : int
        Number of columns.
    obsp : str
        Key of the graph.
    operator : name or Realization
        Whose eigenvectors: any that `make_operator` takes.
    key_added : str
        Written: `obsm[key_added]`.
    copy : bool
        Whether a copy is changed and returned.

    Returns
    -------
    AnnData or None

    Examples
    --------
    >>> adata = _example()
    >>> embed(adata, 2)
    >>> adata.obsm["X_collapsed"].shape
    (4, 2)
    """
    adata, K = _graph(adata, obsp, key_added, copy)
    adata.obsm[key_added] = np.asarray(embedded(make_operator(K, operator), k))
    return adata if copy else None


def smooth(
    adata: Any,
    *,
    layer: str | None = None,
    strength: float | str = 1.0,
    obsp: str = CONNECTIVITIES,
    operator: str | Realization = DEFAULT,
    key_added: str = "smoothed",
    copy: bool = False,
) -> Any:
    """Smooth the expression of all genes over the neighbour graph.

    x = (I + a S)^-1 y for every gene y, with a the strength.

    Parameters
    ----------
    adata : AnnData
    layer : str, optional
        The layer that is smoothed; X by default.
    strength : float or "gcv"
    obsp : str
        Key of the graph.
    operator : name or Realization
        What it is smoothed along: any that `make_operator` takes.
    key_added : str
        Written: `layers[key_added]`.
    copy : bool
        Whether a copy is changed and returned.

    Returns
    -------
    AnnData or None

    Examples
    --------
    >>> adata = _example()
    >>> smooth(adata)
    >>> bool(adata.layers["smoothed"].std() < adata.X.std())
    True
    """
    adata, K = _graph(adata, obsp, key_added, copy)
    if layer is not None and word("layer", layer) not in adata.layers:
        raise InputError(f"layer={layer!r}, but layers has {', '.join(adata.layers) or 'nothing'}")
    given = adata.X if layer is None else adata.layers[layer]
    values = given.toarray() if sparse.issparse(given) else np.asarray(given)
    found = smoothed(make_operator(K, operator), values, strength=strength)
    adata.layers[key_added] = found.astype(values.dtype if values.dtype.kind == "f" else np.float64)
    return adata if copy else None


def _graph(adata: Any, obsp: str, key_added: str, copy: bool) -> tuple[Any, Complex]:
    """Return the AnnData to write to, and the cliques of its graph."""
    word("key_added", key_added)
    if not hasattr(adata, "obsp"):
        raise InputError(f"a {type(adata).__name__} is no AnnData; pass one")
    neighbour_graph(adata, word("obsp", obsp))
    K = complex_from(adata, AUTO if obsp == CONNECTIVITIES else obsp)
    return (adata.copy() if copy else adata), K


def _neighbours(adata: Any, obsp: str) -> dict[str, Any]:
    """Return what `sc.pp.neighbors` writes to `uns`, with the keys that scanpy needs."""
    found = {"distances_key": "distances", "params": {"method": "umap"}}
    for name, said in adata.uns.items():
        key = said.get("connectivities_key") if isinstance(said, Mapping) else None
        if key == obsp or (name == "neighbors" and key is None and obsp == CONNECTIVITIES):
            found |= dict(said)
    return found


def _example() -> Any:
    """Return four cells: a triangle, and one more that is joined to the first."""
    import anndata

    graph = np.array([[0, 1, 1, 1], [1, 0, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]], dtype=float)
    expression = np.array([[0.0, 4.0], [1.0, 0.0], [5.0, 2.0], [2.0, 8.0]])
    return anndata.AnnData(expression, obsp={CONNECTIVITIES: sparse.csr_matrix(graph)})
