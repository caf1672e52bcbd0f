"""Ask every library of the extra `all` for something: does `pip install "cellapse[all]"` do.

    python tools/try_extras.py

MKL and PARDISO are not there for every machine, and not asked where they are not installed.
"""

import importlib.metadata
import tempfile
from pathlib import Path

import networkx as nx
import numpy as np

import cellapse as cl

G = nx.karate_club_graph()
K = cl.clique_complex(G)
S = cl.collapse(K)


def plot():
    import matplotlib as mpl

    mpl.use("Agg")
    assert K.plot(cl.cluster(S, 2)) is not None


def topology():
    for convert in (cl.interop.to_xgi, cl.interop.to_toponetx, cl.interop.to_gudhi):
        assert cl.as_complex(convert(K)).n_cells == K.n_cells, convert
    for convert in (cl.interop.to_hypernetx, cl.interop.to_hypergraphx):
        assert cl.as_complex(convert(K)).n_cells[0] == len(G), convert


def protein():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "helix.pdb"
        file.write_text(
            "".join(
                f"ATOM  {i + 1:5d}  {name:<3} ALA A{i // 4 + 1:4d}    "
                f"{1.5 * i:8.3f}{(i % 4):8.3f}{0.0:8.3f}  1.00  0.00           {name[0]}\n"
                for i, name in enumerate(("N", "CA", "C", "O") * 3)
            )
            + "END\n"
        )
        assert cl.secondary_structure(file) is not None


def molecule():
    assert cl.molecule_complex("c1ccccc1").n_cells == (6, 6, 1)


def pandas():
    assert len(cl.edge_trust(K).to_frame()) == G.number_of_edges()


def graphs():
    assert cl.as_complex(cl.interop.to_igraph(K.skeleton(1))).n_cells == K.n_cells[:2]


def parquet():
    import pyarrow

    assert pyarrow.__version__


def notebook():
    assert cl.report.explore(K) is not None


def scverse():
    import anndata
    from scipy import sparse

    adata = anndata.AnnData(np.ones((len(G), 1), np.float32))
    adata.obsp["connectivities"] = sparse.csr_matrix(nx.to_scipy_sparse_array(G, weight=None))
    cl.scverse.cluster(adata, 2)
    assert len(adata.obs.columns) == 1


def torch():
    from torch import ones

    from cellapse.torch import Collapse

    assert Collapse(K)(ones(len(G), 2)).shape == (34, 2)


def fast():
    import qdldl

    assert qdldl.Solver
    for name in ("mkl", "pypardiso"):
        try:
            print(f"    {name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            print(f"    no {name} for this machine")


TRIES = (
    *(fast, graphs, molecule, notebook, pandas, parquet, plot, protein),
    *(scverse, topology, torch),
)


if __name__ == "__main__":
    for extra in TRIES:
        extra()
        print(f"{extra.__name__} works")
