"""All triangulated closed surfaces on n vertices, each once up to the names of its vertices.

Orderly generation. Vertex 0 has the largest degree d and the neighbours 1, 2, ..., d around it. The
first edge that lies in only one triangle gets each third vertex that keeps all links paths or whole
cycles; new vertices are named in the order in which they come. A finished surface has a code for
every start (a vertex of degree d, a neighbour of it, a direction): the walks around the vertices,
named in the order met. It is kept if its own start, 0 - 1 - 2, has the smallest code, which is true
of one in every class.
"""

from __future__ import annotations

from collections.abc import Iterator

from cellapse._shared.checks import whole_number

Triangle = tuple[int, int, int]


def enumerate_surfaces(n_vertices: int) -> Iterator[list[Triangle]]:
    """Yield one triangulation of every kind: connected, closed, on exactly `n_vertices` vertices.

    Parameters
    ----------
    n_vertices : int
        9 takes seconds, 10 a few minutes, 11 (11,590,894 surfaces) is out of reach.

    Yields
    ------
    list of triangles (i, j, k)

    Examples
    --------
    >>> [sum(1 for _ in enumerate_surfaces(n)) for n in (4, 5, 6, 7)]
    [1, 1, 3, 9]
    """
    n_vertices = whole_number("n_vertices", n_vertices, 4, 1000)
    for degree in range(3, n_vertices):
        yield from _Search(n_vertices, degree).run()


class _Search:
    """The surfaces whose largest vertex degree is d."""

    def __init__(self, n: int, d: int) -> None:
        self.n, self.d = n, d
        self.triangles: list[Triangle] = []
        self.degree = [0] * n
        # third[u][v]: the third vertices of the triangles on the edge uv, at most two
        self.third: list[list[tuple[int, ...]]] = [[()] * n for _ in range(n)]

    def run(self) -> Iterator[list[Triangle]]:
        for i in range(1, self.d + 1):
            self._put(0, i, i % self.d + 1)
        yield from self._grow(self.d + 1)

    def _put(self, a: int, b: int, c: int) -> None:
        for u, v, w in ((a, b, c), (b, c, a), (c, a, b)):
            if not self.third[u][v]:
                self.degree[u] += 1
                self.degree[v] += 1
            self.third[u][v] += (w,)
            self.third[v][u] = self.third[u][v]
        self.triangles.append((a, b, c))

    def _take_back(self) -> None:
        a, b, c = self.triangles.pop()
        for u, v in ((a, b), (b, c), (c, a)):
            self.third[u][v] = self.third[v][u] = self.third[u][v][:-1]
            if not self.third[u][v]:
                self.degree[u] -= 1
                self.degree[v] -= 1

    def _fits(self, a: int, b: int, c: int) -> bool:
        """Return whether b - c may join the link of a: no degree above d, no early cycle."""
        around = self.third[a]
        at_b, at_c = len(around[b]), len(around[c])
        if at_b > 1 or at_c > 1 or self.degree[a] + (at_b == 0) + (at_c == 0) > self.d:
            return False
        if at_b and at_c:
            previous, current, length = b, around[b][0], 2
            while len(around[current]) == 2:
                x, y = around[current]
                previous, current = current, (y if x == previous else x)
                length += 1
            return current != c or length == self.degree[a]
        return True

    def _grow(self, used: int) -> Iterator[list[Triangle]]:
        edge = self._open_edge(used)
        if edge is None or edge[0] != 1:  # the link of 1 is closed, so its degree is final
            most = self.degree[1]
            for v in range(used):
                if self.degree[v] == self.d and any(
                    self.degree[w] > most for w in range(used) if self.third[v][w]
                ):
                    return
        if edge is None:
            if used == self.n and self._is_smallest():
                yield list(self.triangles)
            return
        u, w = edge
        fits = self._fits
        for x in range(1, min(used + 1, self.n)):
            if x in (u, w, self.third[u][w][0]):
                continue
            if fits(u, w, x) and fits(w, u, x) and fits(x, u, w):
                self._put(u, w, x)
                yield from self._grow(used + (x == used))
                self._take_back()

    def _open_edge(self, used: int) -> tuple[int, int] | None:
        for u in range(1, used):
            around = self.third[u]
            for w in range(u + 1, used):
                if len(around[w]) == 1:
                    return u, w
        return None

    def _is_smallest(self) -> bool:
        own = self._code(0, 1, 2)
        return all(
            own <= self._code(v, a, b)
            for v in range(self.n)
            if self.degree[v] == self.d
            for a in range(self.n)
            if self.third[v][a] and self.degree[a] == self.degree[1]
            for b in self.third[v][a]
        )

    def _code(self, v: int, a: int, b: int) -> list[int]:
        """Return the walks around all vertices from the start v - a - b, in new names."""
        name = {v: 0}
        order = [v]
        code: list[int] = []
        for k in range(self.n):
            u = order[k]
            around = self.third[u]
            if k:
                a = min((w for w in name if around[w]), key=name.__getitem__)
                b = min(around[a], key=name.__getitem__)
            code.append(-self.degree[u])
            for _ in range(self.degree[u]):
                if a not in name:
                    name[a] = len(order)
                    order.append(a)
                code.append(name[a])
                x, y = around[b]
                a, b = b, (y if x == a else x)
        return code
