"""Odd words, numbers and sizes, and ways to damage a file."""

import gzip

WORDS = (
    *(
        "a",
        "b",
        "c",
        "node 1",
        "",
        " ",
        "|",
        "{x}",
        "[1]",
        '"',
        "'",
        "\\",
        "#",
        "%",
        ",",
        ";",
        "\t",
    ),
    *("1", "01", "-1", "1.0", "1e999", "nan", "inf", "null", "true", "é", "💩", "\u2028", "\x85"),
    *(
        "=1+1",
        "@",
        "a\rb",
        "a\nb",
        "\x00",
        "\x01",
        "\ufeff",
        "<a>",
        "&amp;",
        "&x;",
        "]]>",
        "x" * 300,
    ),
    *("__computedProps", "file", "rank", "weight", "source", "target", "id", "label", "about"),
)
NUMBERS = (
    *("0", "1", "2", "3", "-1", "-0", "0.5", "1.5", "-2.5", "1e-308", "1e308", "1e999", "nan"),
    *("inf", "-inf", "007", "1_000", "2147483647", "2147483648", "9223372036854775808", "1e5"),
    *("1" * 400, "1e", "0x10", "+3", "\u0661", "", "1.2.3", "1e-400", "99999", "255", "256"),
)
SIZES = (0, 1, 2, 3, 4, 5, 10, 100, 1000, 10**5, 10**9, 2**31, 2**32, 2**63, 10**18, -1)


def odd(rng, share):
    """Whether to do something odd here: in a calm file never."""
    return not rng.calm and rng.random() < share


def pick(rng, choices):
    """One of several, the first of which is usual."""
    return choices[0] if rng.calm else rng.choice(choices)


def word(rng):
    if rng.calm or rng.random() < 0.6:
        return rng.choice("abcdefgh") + (str(rng.randrange(9)) if rng.random() < 0.3 else "")
    return rng.choice(WORDS)


def number(rng, odd=0.15):
    if not rng.calm and rng.random() < odd:
        return rng.choice(NUMBERS)
    return str(rng.randrange(-3, 20)) if rng.random() < 0.5 else f"{rng.uniform(-9, 9):.4g}"


def size(rng, true, odd=0.12):
    """What a file declares: mostly the truth."""
    if not rng.calm and rng.random() < odd:
        return rng.choice(SIZES) if rng.random() < 0.7 else true + rng.choice([-2, -1, 1, 2])
    return true


def some(rng, most=12):
    """A number of things: mostly few, now and then many."""
    least = 3 if rng.calm else 0
    return rng.randrange(1, 3000) if rng.random() < 0.02 else rng.randrange(least, most)


def edges(rng, n):
    """Pairs below n, with loops, copies and turned copies among them."""
    pairs = [(rng.randrange(max(n, 1)), rng.randrange(max(n, 1))) for _ in range(some(rng))]
    if rng.calm:
        return sorted({(min(e), max(e)) for e in pairs if e[0] != e[1]})
    if pairs and rng.random() < 0.2:
        pairs += rng.sample(pairs, 1)
    return [(u, v) for u, v in pairs if u != v or rng.random() < 0.1]


def value(rng, depth=0):
    """A value of JSON."""
    kind = rng.randrange(9 if depth < 4 else 6)
    kind = 4 if rng.calm and kind in (1, 2) else kind
    if kind == 0:
        return word(rng)
    if kind == 1:
        return rng.choice([None, True, False])
    if kind == 2:
        return rng.choice([0, -1, 2**63, 10**30, 1e308, -0.0, 0.1, float("nan"), float("inf")])
    if kind < 6:
        return rng.randrange(-3, 9)
    if kind == 6:
        return {word(rng): value(rng, depth + 1) for _ in range(rng.randrange(4))}
    return [value(rng, depth + 1) for _ in range(rng.randrange(4))]


def damaged(rng, data):
    """The data as it is, cut off, with other bytes, or with parts moved; packed or not."""
    for _ in range(rng.choice([0, 0, 0, 1] if rng.calm else [0, 0, 0, 1, 1, 2, 5])):
        if not data:
            break
        i, j = sorted((rng.randrange(len(data)), rng.randrange(len(data))))
        kind = rng.randrange(6)
        if kind == 0:
            data = data[:i]
        elif kind == 1:
            data = data[:i] + bytes([rng.randrange(256)]) + data[i + 1 :]
        elif kind == 2:
            data = data[:i] + data[i:j] * rng.choice([2, 3, 50]) + data[j:]
        elif kind == 3:
            data = data[:i] + data[j:]
        elif kind == 4:
            data = data[:i] + rng.choice(WORDS).encode(errors="replace") + data[i:]
        else:
            data = data[:i] + rng.choice(NUMBERS).encode() + data[j:]
        data = data[:2_000_000]
    if rng.random() < 0.05:
        data = gzip.compress(data)
        data = data[: rng.randrange(len(data))] if rng.random() < 0.3 else data
    return data
