"""DOT, the language of Graphviz: nodes, edges and their attributes; subgraphs only group nodes.

A parser of our own with its own stack: no recursion, and nothing is drawn or run.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.memory import draw_memory
from cellapse.io._graphs import listed_graph
from cellapse.io._options import PLAIN, Options
from cellapse.io._source import as_text
from cellapse.io._values import is_number, word_labels

_TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|^\#[^\n]*|/\*.*?\*/)
    |(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<html><(?:[^<>]|<[^<>]*+>)*+>)
    |(?P<edge>--|->)
    |(?P<sign>[{}\[\];,=:])
    |(?P<word>-?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][+-]?[0-9]+)?(?![\w.])
             |[A-Za-z_\x80-\U0010ffff][\w\x80-\U0010ffff]*)
    |(?P<bad>.)""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_MOST_EDGES = 10  # for every token: {a b c} -- {d e f} joins all pairs
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")


def read_dot(data: bytes, options: Options = PLAIN) -> Complex:
    """Read a DOT graph.

    >>> read_dot(b'graph { a -- b -- c [weight=2]; d }').attributes[1]["weight"].tolist()
    [2, 2]
    """
    return _Parser(_tokens(as_text(data)), options).graph()


def _tokens(text: str) -> list[tuple[str, str]]:
    tokens = []
    for match in _TOKEN.finditer(text):
        kind, word = str(match.lastgroup), match.group()
        if kind == "skip":
            continue
        if kind == "bad":
            line = text.count("\n", 0, match.start()) + 1
            raise InputError(f"line {line} has {word!r} where it makes no sense in DOT")
        if kind == "string":
            word = word[1:-1].replace("\\\n", "").replace('\\"', '"')  # lines that go on; quotes
        tokens.append(("string" if kind == "html" else kind, word))
    return tokens


class _Parser:
    """The tokens, how far they are read, and the graph so far."""

    def __init__(self, tokens: list[tuple[str, str]], options: Options) -> None:
        self.tokens, self.at, self.options = tokens, 0, options
        self.nodes: dict[str, dict[str, Any]] = {}
        self.alone: dict[str, None] = {}  # the nodes with a statement of their own
        self.ends: list[tuple[str, str]] = []
        self.records: list[dict[str, Any]] = []
        self.defaults: list[dict[str, dict[str, Any]]] = [{"node": {}, "edge": {}}]

    def graph(self) -> Complex:
        if self._peek("strict"):
            self.at += 1
        kind = self._next()[1].lower()
        if kind not in ("graph", "digraph"):
            raise InputError("does not begin with graph or digraph, so it is not a DOT file")
        if kind == "digraph":
            self.options.rules.check_direction("the graph")
        if not self._peek("{"):
            self._next()  # its name
        self._expect("{")
        self._body()
        if self.at < len(self.tokens):
            raise InputError("holds more than one graph; keep one")
        nodes = {w: self.nodes[w] for w in word_labels(self.nodes, self.alone)}
        return listed_graph(nodes, self.ends, self.records, self.options.rules)

    def _body(self) -> None:
        """Statements up to the last }; every { opens a group, whose nodes an edge may join."""
        groups: list[list[str]] = [[]]  # the nodes of the braces that are open
        chains: list[list[list[str]]] = [[]]  # what an edge statement joins so far
        while groups:
            kind, word = self._next()
            if word == "}" and kind == "sign":
                group = groups.pop()
                chains.pop()
                self.defaults.pop()
                if groups:
                    groups[-1] += group
                    self._operand(chains[-1], group)
            elif word == "{" and kind == "sign":
                groups.append([])
                chains.append([])
                self.defaults.append({k: dict(v) for k, v in self.defaults[-1].items()})
            elif kind == "sign" and word in ";,":
                chains[-1].clear()
            elif kind == "word" and word.lower() == "subgraph":
                if not self._peek("{"):
                    self._next()  # its name
            elif kind == "word" and word.lower() in ("graph", "node", "edge") and self._peek("["):
                given = self._attributes()  # of all that come from here on, up to the brace
                self.defaults[-1].get(word.lower(), {}).update(given)
            elif kind in ("word", "string") and self._peek("="):
                self.at += 2
            elif kind in ("word", "string"):
                self._port()
                if word not in self.nodes:
                    self.nodes[word] = self._usual("node")
                groups[-1].append(word)
                self._operand(chains[-1], [word])
            else:
                raise InputError(f"has {word!r:.40} where it makes no sense in DOT")

    def _operand(self, chain: list[list[str]], group: list[str]) -> None:
        """A node or group: it goes on an edge, or stands alone, with attributes or without."""
        chain.append(group)
        if self.at < len(self.tokens) and self.tokens[self.at][0] == "edge":
            self.at += 1
            return
        record = self._attributes() if self._peek("[") else {}
        if len(chain) == 1:
            for node in group:
                self.nodes[node].update(record)
            self.alone.update(dict.fromkeys(group if len(group) == 1 else ()))
        else:
            record = {**self._usual("edge"), **record}
        for left, right in pairwise(chain):
            if len(self.ends) + len(left) * len(right) > _MOST_EDGES * len(self.tokens):
                raise InputError("joins groups of nodes by far more edges than it has words")
            self.ends += [(u, v) for u in left for v in right]
            self.records += [record] * (len(left) * len(right))
        chain.clear()

    def _usual(self, kind: str) -> dict[str, Any]:
        """Return what `node [...]` or `edge [...]` above says of all that follow."""
        usual = self.defaults[-1][kind]
        if usual:
            draw_memory(100.0 * len(usual), "the attributes of all nodes", "leave out some")
        return dict(usual)

    def _attributes(self) -> dict[str, Any]:
        record: dict[str, Any] = {}
        while self._peek("["):
            self.at += 1
            while not self._peek("]"):
                name = self._next()[1]
                value = "true"
                if self._peek("="):
                    self.at += 1
                    value = self._next()[1]
                if name not in (",", ";"):
                    record[name] = _value(value)
            self.at += 1
        return record

    def _port(self) -> None:
        for _ in range(2):  # node:port:compass
            if self._peek(":"):
                self.at += 2

    def _next(self) -> tuple[str, str]:
        if self.at >= len(self.tokens):
            raise InputError("ends too early: a brace is not closed; the file may be cut off")
        self.at += 1
        return self.tokens[self.at - 1]

    def _peek(self, word: str) -> bool:
        if self.at >= len(self.tokens):
            return False
        kind, next_word = self.tokens[self.at]
        return kind != "string" and next_word.lower() == word  # "graph" in quotes is a name

    def _expect(self, word: str) -> None:
        if self._next()[1] != word:
            raise InputError(f"lacks {word!r} after its name, so it is not a DOT file")


def _value(word: str) -> Any:
    if _WHOLE.fullmatch(word):
        return int(word)
    return float(word) if is_number(word) else word
