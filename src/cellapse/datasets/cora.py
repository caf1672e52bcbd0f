"""Cora, papers on machine learning that cite each other, read from the package graphdatascience.

A paper has a subject, one of seven, and a word vector; papers are joined where one cites the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cellapse._complex.complex import Complex
from cellapse._errors import InputError, MissingExtraError, extra
from cellapse._shared.arrays import IntArray
from cellapse._shared.checks import file_path
from cellapse.datasets._card import Described
from cellapse.lifts import clique_complex

_FOLDER = "graphdatascience/resources"
_ENDS = ("source", "target")
_FILES = ("cora_nodes.parquet.gzip", "cora_rels.parquet.gzip")
SUBJECTS = (
    "neural networks",
    "rule learning",
    "reinforcement learning",
    "probabilistic methods",
    "theory",
    "genetic algorithms",
    "case based",
)


@dataclass(frozen=True, eq=False, repr=False)
class Cora(Described):
    """Papers, who cites whom, and a subject for each.

    Attributes
    ----------
    papers : integer array
        Ids, in the order of the file.
    citations : (m, 2) integer array
        Positions of the cited and of the citing paper; both directions occur for some pairs.
    groups : integer array
        The subject of each paper, a position in `SUBJECTS`.
    words : (n, d) array of 0 and 1
        Which words of a dictionary occur in each paper.

    Examples
    --------
    >>> import cellapse as cl
    >>> cl.datasets.load_cora().complex().n_vertices  # doctest: +SKIP
    2708
    """

    papers: IntArray = field(repr=False)
    citations: IntArray = field(repr=False)
    groups: IntArray = field(repr=False)
    words: NDArray[np.uint8] = field(repr=False)

    def complex(self, max_rank: int = 2) -> Complex:
        """Citations as edges without direction, and papers that cite each other all as cells."""
        ends = np.unique(np.sort(self.citations, axis=1), axis=0)
        ends = ends[ends[:, 0] < ends[:, 1]]
        graph = Complex.from_arrays(len(self.papers), {1: ends}, labels=self.papers.tolist())
        return clique_complex(graph, max_rank)

    _calls = (("data.complex()", "is its complex"), ("data.groups", "are the subjects"))

    def _head(self) -> tuple[str, str]:
        return "Cora", "cora"

    def _sizes(self) -> list[int]:
        return np.bincount(self.groups, minlength=len(SUBJECTS)).tolist()

    def _facts(self) -> dict[str, Any]:
        members = np.bincount(self.groups, minlength=len(SUBJECTS))
        rows: dict[str, Any] = {
            "papers": f"{len(self.papers):,}, of {members.min()} to {members.max()} a subject",
            "citations": f"{len(self.citations):,}",
            "subjects": ", ".join(SUBJECTS),
            "words": f"{self.words.shape[1]:,}",
            "source": "P. Sen et al., Collective classification in network data, AI Magazine "
            "29(3), 93-106 (2008).",
            "licence": "Not bundled with cellapse: see the licence of graphdatascience.",
            "provenance": f"Python package graphdatascience, {_FOLDER}/cora",
        }
        return rows


def load_cora(path: str | Path | None = None) -> Cora:
    """Read Cora; needs pyarrow.

    Parameters
    ----------
    path : str or Path, optional
        The folder with `cora_nodes.parquet.gzip` and `cora_rels.parquet.gzip`; by default it is
        looked for in the installed package graphdatascience.

    Returns
    -------
    Cora

    Raises
    ------
    MissingExtraError
        When pyarrow is not installed, or graphdatascience is not and no path is given.

    Examples
    --------
    >>> import cellapse as cl
    >>> cl.datasets.load_cora().words.shape  # doctest: +SKIP
    (2708, 1433)
    """
    folder = resources("cora") if path is None else file_path(path)
    with extra("pyarrow", "parquet"):
        from pyarrow import parquet
    try:
        nodes, links = (parquet.read_table(folder / name) for name in _FILES)
        papers, groups = (_whole_numbers(nodes[name]) for name in ("nodeId", "subject"))
        words = np.array(nodes["features"].to_pylist(), dtype=np.int64)
        ends = np.column_stack([_whole_numbers(links[f"{end}NodeId"]) for end in _ENDS])
    except Exception as error:  # Arrow has a dozen kinds for files that are broken
        raise InputError(
            f"cannot read {' and '.join(_FILES)} in {folder} ({error}); give their folder"
        ) from None
    order = np.argsort(papers)
    at = np.searchsorted(papers, ends, sorter=order)
    position = order[np.minimum(at, len(papers) - 1)] if len(papers) else ends
    if (
        not len(papers)
        or len(np.unique(papers)) < len(papers)
        or not np.array_equal(papers[position], ends)
        or not np.isin(groups, range(len(SUBJECTS))).all()
        or words.ndim != 2
        or not np.isin(words, (0, 1)).all()
    ):
        raise InputError(
            f"{folder} has no papers, a paper twice, links to unknown papers, unknown subjects, or "
            "words that are not 0 or 1; get the files of graphdatascience again"
        )
    return Cora(papers, position, groups, words.astype(np.uint8))


def _whole_numbers(column: Any) -> NDArray[np.int64]:
    values = column.to_numpy()
    if values.dtype.kind not in "iu":
        raise ValueError(f"a column of {values.dtype}, where whole numbers belong")
    return np.asarray(values, dtype=np.int64)


def resources(name: str) -> Path:
    """Return the folder of a data set of the package graphdatascience."""
    try:
        package = metadata.distribution("graphdatascience")
    except metadata.PackageNotFoundError:
        raise MissingExtraError(
            f"graphdatascience is not installed, and {name} is read from there; "
            "pip install --no-deps graphdatascience, or give the folder of its files"
        ) from None
    return Path(str(package.locate_file(f"{_FOLDER}/{name}")))
