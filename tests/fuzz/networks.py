"""The other formats of graphs: GEXF, JSON, Pajek, DOT, KONECT, graph6, METIS, MATLAB and others."""

import json
import struct
import zlib
from xml.sax.saxutils import quoteattr

from tests.fuzz import draw


def _text(lines, rng):
    end = draw.pick(rng, ["\n", "\r\n", "\r"])
    return (end.join(lines) + end).encode(errors="replace")


def _sizes(rng):
    n = draw.some(rng)
    return n, draw.edges(rng, n) if n else []


def gexf(rng):
    n, pairs = _sizes(rng)
    kinds = ["string", "integer", "double", "boolean", "long", "float", "x"]
    keys = "".join(
        f"<attribute id='{i}' title={quoteattr(draw.word(rng))} type='{draw.pick(rng, kinds)}'>"
        + (f"<default>{draw.number(rng, 0.02)}</default>" if rng.random() < 0.3 else "")
        + "</attribute>"
        for i in range(rng.randrange(3))
    )
    value = lambda: (  # noqa: E731
        f"<attvalues><attvalue for='{rng.randrange(3)}' value={quoteattr(draw.word(rng))}/>"
        "</attvalues>"
        if draw.odd(rng, 0.3)
        else ""
    )
    label = lambda i: draw.word(rng) if draw.odd(rng, 0.3) else f"v{i}"  # noqa: E731
    nodes = "".join(
        f"<node id='{draw.size(rng, i, 0.03)}' label={quoteattr(label(i))}>{value()}</node>"
        for i in range(n)
    )
    edges = "".join(
        f"<edge source='{u}' target='{v}' weight={quoteattr(draw.number(rng, 0.03))}>"
        f"{value()}</edge>"
        for u, v in pairs
    )
    kind = draw.pick(rng, ["undirected", "directed", "mutual"])
    text = (
        f"<gexf><graph defaultedgetype='{kind}'><attributes class='node'>{keys}</attributes>"
        f"<nodes>{nodes}</nodes><edges>{edges}</edges></graph></gexf>"
    )
    return "gexf", text.encode(errors="replace")


def graph_json(rng):
    n, pairs = _sizes(rng)
    name = (lambda i: i) if rng.random() < 0.5 else (lambda i: f"v{i}")
    nodes = [{"id": name(i), draw.word(rng): draw.value(rng)} for i in range(n)]
    edges = [{"source": name(u), "target": name(v), "w": draw.value(rng)} for u, v in pairs]
    kind = rng.randrange(3)
    if kind == 0:
        document = {"nodes": nodes, rng.choice(["links", "edges"]): edges, "graph": {}}
    elif kind == 1:
        wrapped = [[{"data": record} for record in records] for records in (nodes, edges)]
        document = {"elements": {"nodes": wrapped[0], "edges": wrapped[1]}}
        if rng.random() < 0.3:
            document = {"elements": wrapped[0] + wrapped[1]}
    else:
        lists = [[{"id": name(v)} for a, v in pairs if a == i] for i in range(n)]
        document = {"nodes": nodes, "adjacency": lists}
    if draw.odd(rng, 0.4):
        holder = rng.choice([document, *nodes, *edges])
        holder[rng.choice([*holder, "directed", "multigraph", "id", "data"])] = draw.value(rng)
    return "json", json.dumps(document).encode()


def pajek(rng):
    n, pairs = _sizes(rng)
    lines = [f"*Vertices {draw.size(rng, n)}"]
    lines += [f'{i + 1} "{draw.word(rng)}" {draw.number(rng)} 0.5' for i in range(n)]
    lines.append(draw.pick(rng, ["*Edges", "*Edges", "*Arcs", "*Edgeslist", "*Matrix", "*x"]))
    lines += [f"{u + 1} {v + 1} {draw.number(rng, 0.03)}" for u, v in pairs]
    return "net", _text(lines, rng)


def adjlist(rng):
    rows = [[draw.word(rng) for _ in range(rng.randrange(1, 6))] for _ in range(draw.some(rng))]
    return "adjlist", _text([" ".join(row) for row in rows], rng)


def dot(rng):
    def quoted():
        return '"' + draw.word(rng).replace('"', '\\"') + '"'

    def statement(depth=0):
        kind = rng.randrange(7 if depth < 4 else 4)
        if kind < 2:
            return " -- ".join(quoted() for _ in range(rng.randrange(1, 4)))
        if kind == 2:
            return f"{quoted()} -- {quoted()} [weight={draw.number(rng, 0.03) or 1}]"
        if kind == 3:
            return f"{quoted()} [{quoted()}={quoted()}]"
        inner = "; ".join(statement(depth + 1) for _ in range(rng.randrange(3)))
        return f"{{{inner}}} -- {quoted()}" if kind == 4 else f"subgraph x {{ {inner} }}"

    head = draw.pick(rng, ["graph", "graph", "digraph", "strict graph", "x"])
    body = ";\n".join(statement() for _ in range(draw.some(rng)))
    return rng.choice(["dot", "gv"]), f"{head} g {{ {body} }}".encode(errors="replace")


def konect(rng):
    n, pairs = _sizes(rng)
    kind = draw.pick(rng, ["sym", "bip", "asym", "x"])
    width = rng.randrange(3)
    rows = [
        " ".join([str(u + 1), str(v + 1), *(draw.number(rng, 0.03) for _ in range(width))])
        for u, v in pairs
    ]
    return "txt", _text([f"% {kind} positive", f"% {len(rows)} {n} {n}", *rows], rng)


def graph6(rng):
    n, pairs = _sizes(rng)
    n = min(n, 62)
    bits = [0] * (n * (n - 1) // 2)
    for u, v in pairs:
        if u != v and max(u, v) < n:
            bits[max(u, v) * (max(u, v) - 1) // 2 + min(u, v)] = 1
    bits += [0] * (-len(bits) % 6)
    codes = [int("".join(map(str, bits[i : i + 6])), 2) for i in range(0, len(bits), 6)]
    head = draw.pick(rng, [b"", b">>graph6<<", b":", b"~", b"~~"])
    return rng.choice(["g6", "s6"]), head + bytes([63 + n, *(63 + c for c in codes)]) + b"\n"


def metis(rng):
    n, pairs = _sizes(rng)
    pairs = {(min(p), max(p)) for p in pairs if p[0] != p[1]}
    rows = [[] for _ in range(n)]
    for u, v in pairs:
        rows[u].append(str(v + 1))
        rows[v].append(str(u + 1))
    kind = draw.pick(rng, ["", "", " 000", " 001", " 011", " 111 2", " 9"])
    lines = [f"{draw.size(rng, n)} {draw.size(rng, len(pairs))}{kind}", *map(" ".join, rows)]
    return rng.choice(["graph", "metis"]), _text(lines, rng)


def dimacs(rng):
    n, pairs = _sizes(rng)
    letter = draw.pick(rng, ["e", "e", "a", "n", "x"])
    lines = [f"p edge {draw.size(rng, n)} {draw.size(rng, len(pairs))}"]
    tail = f" {draw.number(rng, 0.03)}" if letter == "a" else ""
    return "col", _text(
        ["c x", *lines, *(f"{letter} {u + 1} {v + 1}{tail}" for u, v in pairs)], rng
    )


def sif(rng):
    between = rng.choice([" ", "\t"])
    rows = [
        [draw.word(rng), "pp", *(draw.word(rng) for _ in range(rng.randrange(1, 3)))]
        for _ in range(draw.some(rng))
    ]
    return rng.choice(["sif", "ncol"]), _text([between.join(row) for row in rows], rng)


def gdf(rng):
    n, pairs = _sizes(rng)
    kind = draw.pick(rng, ["VARCHAR", "INT", "DOUBLE", "x"])
    lines = [f"nodedef>name VARCHAR,a {kind}"]
    lines += [f"v{i},{draw.word(rng) if kind == 'VARCHAR' else draw.number(rng)}" for i in range(n)]
    lines += ["edgedef>node1,node2,weight DOUBLE"]
    lines += [f"v{u},v{v},{draw.number(rng, 0.03)}" for u, v in pairs]
    return "gdf", _text(lines, rng)


def ucinet(rng):
    n, pairs = _sizes(rng)
    kind = draw.pick(rng, ["edgelist1", "fullmatrix", "nodelist1", "x"])
    lines = [f"dl n={draw.size(rng, n)} format={kind}"]
    if rng.random() < 0.4:
        lines += ["labels:", ",".join(f"v{i}" for i in range(n))]
    if kind == "fullmatrix":
        body = [" ".join(draw.number(rng, 0.02) for _ in range(n)) for _ in range(min(n, 50))]
    else:
        body = [f"{u + 1} {v + 1}" for u, v in pairs]
    return "dl", _text([*lines, "data:", *body], rng)


def _element(kind, content):
    return struct.pack("<II", kind, len(content)) + content + b"\0" * (-len(content) % 8)


def mat(rng):
    n, pairs = _sizes(rng)
    pairs = sorted({(v, u) for a, b in pairs for u, v in ((a, b), (b, a)) if a != b})
    starts = [sum(v < j for v, _ in pairs) for j in range(n + 1)]
    numbers = [draw.size(rng, u, 0.02) % 2**31 for _, u in pairs]
    sparse = [
        _element(6, struct.pack("<II", draw.pick(rng, [5, 5, 6, 2, 1, 3]), len(pairs))),
        _element(5, struct.pack("<ii", *(draw.size(rng, n, 0.1) % 2**31 for _ in range(2)))),
        _element(1, draw.pick(rng, [b"A", b"Problem", b""])),
        _element(5, struct.pack(f"<{len(numbers)}i", *numbers)),
        _element(5, struct.pack(f"<{len(starts)}i", *starts)),
        _element(9, struct.pack(f"<{len(pairs)}d", *[1.5] * len(pairs))),
    ]
    content = _element(14, b"".join(sparse))
    if rng.random() < 0.4:
        packed = zlib.compress(content)
        content = struct.pack("<II", 15, len(packed)) + packed
    return "mat", b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM" + content


NETWORKS = (
    *(gexf, graph_json, graph_json, pajek, adjlist, dot, konect, graph6, metis, dimacs, sif, gdf),
    *(ucinet, mat),
)
