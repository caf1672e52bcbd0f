"""Graphs and hypergraphs: tables, GML, GraphML, JSON, Matrix Market, NPZ."""

import io
import json
import zipfile
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from tests.fuzz import draw


def table(rng):
    delimiter = rng.choice([",", "\t", ";", "|", " ", "  "])
    width = draw.pick(rng, [2, 2, 3, 4, 1])
    rows = [[draw.word(rng) for _ in range(width)] for _ in range(draw.some(rng))]
    for row in rows:
        if draw.odd(rng, 0.1):
            row[:] = row[: rng.randrange(4)]
        elif width > 2:
            row[2] = draw.number(rng)
        if draw.odd(rng, 0.05):
            row.append(rng.choice(["{'weight': 2}", "{'a': [1, (2)]}", "{", "{}", "{'a': 1e999}"]))
    if rng.random() < 0.3:
        rows.insert(0, ["source", "target", "weight", "x"][:width])
    if rng.random() < 0.2:
        rows = [[f'"{w}"' for w in row] for row in rows]
    end = rng.choice(["\n", "\n", "\r\n", "\r"])
    lines = [delimiter.join(row) for row in rows]
    if rng.random() < 0.1:
        lines.insert(0, rng.choice(["# comment", "%", "\ufeff"]))
    extension = rng.choice(["csv", "tsv", "edges", "txt", "hyperedges", "hyperedges"])
    return extension, end.join(lines).encode(errors="replace")


def gml(rng):
    n = draw.some(rng)

    def item(depth=0):
        key = draw.pick(rng, ["value", "label", "graphics", "id", "weight", "x1", "_a"])
        if depth < 5 and rng.random() < 0.15:
            return f"{key} [ {' '.join(item(depth + 1) for _ in range(rng.randrange(3)))} ]"
        text = draw.word(rng).replace('"', "&quot;" if rng.random() < 0.8 else '"')
        return f"{key} {draw.number(rng) if rng.random() < 0.5 else chr(34) + text + chr(34)}"

    nodes = [f"node [ id {draw.size(rng, i)} {item()} {item()} ]" for i in range(n)]
    pairs = [f"edge [ source {u} target {v} {item()} ]" for u, v in draw.edges(rng, n)]
    head = draw.pick(rng, ["", "directed 0", "directed 1", "multigraph 1", 'Creator "x"'])
    return "gml", f"graph [ {head} {' '.join(nodes + pairs)} ]".encode(errors="replace")


def graphml(rng):
    n = draw.some(rng)
    kinds = ["string", "int", "double", "boolean", "long", "float", "x"]
    count = rng.choice([0, 1, 2, 3, 300]) if rng.random() < 0.1 else rng.randrange(3)
    keys = "".join(
        f"<key id='k{i}' for='{rng.choice(['node', 'edge', 'all', 'graph'])}' "
        f"attr.name={quoteattr(draw.word(rng))} attr.type='{draw.pick(rng, kinds)}'>"
        + (f"<default>{escape(draw.number(rng))}</default>" if rng.random() < 0.4 else "")
        + "</key>"
        for i in range(count)
    )

    def data():
        if not count or rng.random() < 0.5:
            return ""
        key = rng.randrange(count if rng.calm else 4)
        return f"<data key='k{key}'>{escape(draw.word(rng))}</data>"

    names = [draw.word(rng) if draw.odd(rng, 0.2) else f"n{i}" for i in range(n)]
    nodes = "".join(f"<node id={quoteattr(v)}>{data()}</node>" for v in names)
    pairs = "".join(
        f"<edge source={quoteattr(names[u])} target={quoteattr(names[v])}>{data()}</edge>"
        for u, v in draw.edges(rng, n)
        if n
    )
    kind = draw.pick(rng, ["undirected", "directed", ""])
    text = f"<graphml>{keys}<graph edgedefault='{kind}'>{nodes}{pairs}{data()}</graph></graphml>"
    return "graphml", text.encode(errors="replace")


def hif(rng):
    n, m = draw.some(rng), draw.some(rng)
    name = (lambda i: i) if rng.random() < 0.5 else (lambda i: f"v{i}")
    document = {
        "incidences": [
            {"edge": rng.randrange(max(m, 1)), "node": name(rng.randrange(max(n, 1)))}
            for _ in range(draw.some(rng, 30))
        ],
        "nodes": [{"node": name(i), "attrs": {"a": draw.value(rng)}} for i in range(n)],
        "edges": [{"edge": i, "attrs": {"rank": rng.randrange(1, 4)}} for i in range(m)],
        "metadata": {draw.word(rng): draw.value(rng)},
    }
    if draw.odd(rng, 0.3):
        document["metadata"]["cellapse"] = {"max_rank": draw.size(rng, 3), "labels": "json"}
    for _ in range(draw.pick(rng, [0, 0, 1, 2])):
        part = document[rng.choice(list(document))]
        holder = rng.choice(part) if isinstance(part, list) and part else document
        holder = holder if isinstance(holder, dict) else document
        holder[rng.choice([*holder, "weight", "network-type", "rank"])] = draw.value(rng)
    return "json", json.dumps(document).encode()


def xgi(rng):
    group = lambda: [draw.word(rng) for _ in range(rng.randrange(5))]  # noqa: E731
    document = {
        "hypergraph-data": {"name": draw.value(rng)},
        "node-data": {draw.word(rng): {"a": draw.value(rng)} for _ in range(draw.some(rng))},
        "edge-data": {str(i): {"rank": draw.value(rng)} for i in range(rng.randrange(4))},
        "edge-dict": {str(i): group() for i in range(draw.some(rng))},
    }
    if draw.odd(rng, 0.3):
        document[rng.choice([*document, "type"])] = draw.value(rng)
    return "json", json.dumps(document).encode()


def matrix_market(rng):
    n = draw.some(rng)
    layout = draw.pick(rng, ["coordinate", "coordinate", "array", "x"])
    field = draw.pick(rng, ["real", "integer", "pattern", "complex", "double"])
    symmetry = draw.pick(rng, ["symmetric", "general", "hermitian", "skew-symmetric"])
    pairs = draw.edges(rng, n)
    if symmetry == "general":
        pairs += [(v, u) for u, v in pairs]
    number = (lambda: "") if field == "pattern" else (lambda: f" {draw.number(rng, 0.05)}")
    lines = [f"{u + 1} {v + 1}{number()}" for u, v in pairs]
    sizes = f"{draw.size(rng, n)} {draw.size(rng, n)} {draw.size(rng, len(lines))}"
    if layout == "array":
        sizes, lines = f"{n} {n}", [number() for _ in range(min(n * n, 400))]
    head = f"%%MatrixMarket matrix {layout} {field} {symmetry}\n% comment\n{sizes}\n"
    return "mtx", (head + "\n".join(lines) + "\n").encode(errors="replace")


def npy(rng, array):
    file = io.BytesIO()
    if draw.odd(rng, 0.15):
        shape = tuple(draw.size(rng, s, 0.5) for s in array.shape)
        about = {"descr": rng.choice(["<i8", "<f8", "|O", "<U9", "|V0"]), "fortran_order": True}
        np.lib.format.write_array_header_1_0(file, {**about, "shape": shape})
        return file.getvalue() + array.tobytes()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()


def npz(rng):
    n = draw.some(rng) + 1
    pairs = np.array([p for p in draw.edges(rng, n) if p[0] != p[1]], dtype=int).reshape(-1, 2)
    about = {"format": "cellapse complex 1", "attributes": [[["a", "array"]], [["b", "json"]]]}
    if draw.odd(rng, 0.2):
        about[rng.choice([*about, "metadata"])] = draw.value(rng)
    as_bytes = lambda v: np.frombuffer(json.dumps(v).encode(), np.uint8)  # noqa: E731
    labels = np.arange(n)
    if rng.random() < 0.5:
        labels = as_bytes([f"{draw.word(rng)}{i}" for i in range(n)])
    arrays = {
        "about": as_bytes(about),
        "labels": labels,
        "indptr 1": 2 * np.arange(len(pairs) + 1),
        "indices 1": pairs.ravel(),
        "attribute 0 0": np.ones(n),
        "attribute 1 0": as_bytes([draw.value(rng) for _ in pairs]),
    }
    if rng.random() < 0.4:
        kind = draw.pick(rng, ["coo", "csr", "csc", "x"])
        shape = np.array([min(draw.size(rng, n, 0.2), 2**62)] * 2)
        arrays = {"format": np.array(kind.encode()), "shape": shape, "data": np.ones(len(pairs))}
        arrays |= {"row": pairs[:, 0], "col": pairs[:, 1], "indices": pairs[:, 1]}
        arrays["indptr"] = np.arange(n + 1)
    if draw.odd(rng, 0.3):
        odd = [np.array(5), np.array(["a"]), np.array([1j]), np.zeros((2, 0)), np.array([True])]
        arrays[rng.choice(list(arrays))] = rng.choice(odd)
    methods = [zipfile.ZIP_DEFLATED] * 8 + [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", draw.pick(rng, methods)) as packed:
        for name, array in arrays.items():
            if not draw.odd(rng, 0.03):
                packed.writestr(f"{name}.npy", npy(rng, np.asarray(array)))
    return "npz", file.getvalue()


FORMATS = (table, table, gml, graphml, hif, hif, xgi, matrix_market, npz, npz)
