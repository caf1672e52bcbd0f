"""Errors of the library in the words of the command line.

The library speaks of arguments (`n_clusters=0`, `K.skeleton(1)`); whoever typed `-k 0` knows
options. A pattern here turns the one into the other; what none fits stays as it is.
"""

from __future__ import annotations

import re

# The names of arguments whose option is spelt differently, and of those whose is the same.
_OTHERS = {"n_clusters": "-k", "clusters": "-k", "k": "-k", "rng": "--seed"}
_SAME = (
    *("beta", "columns", "directed", "eps", "false_share", "format", "gamma", "hops", "level"),
    *("loops", "mass", "max_length", "max_rank", "n_jobs", "operator", "port", "repeats", "scale"),
    *("seed", "sep", "strength", "times", "weight", "window", "width", "step", "unit"),
    *("keep", "rule", "evidence", "decoys", "confidence", "method", "time", "end"),
)
_ARGUMENTS = {name: f"--{name.replace('_', '-')}" for name in _SAME} | _OTHERS
_ARGUMENTS |= {"n_eigenpairs": "--eigenpairs", "n_neighbors": "--neighbours"}
_NAMES = "|".join(sorted(_ARGUMENTS, key=len, reverse=True))

_PHRASES = (
    (r"as_complex\(\.\.\., ([^()]*)\)", r"\1"),
    (r", or a realization such as cl\.Screened\(rounds=3\)", ""),
    (r", or \"(gcv|auto)\"$", ", or leave it out"),
    (r"choose one of None, ", "leave it out, or choose one of "),
    (r"(mass=.*) or give numbers", r'\1 or "auto"'),
    (r", or build the complex in parts with Complex\.from_arrays", ""),
    (r", or allow more with max_memory=", ""),
    (
        r"give what is known of the vertices with K\.with_attributes\(\{0: \.\.\.\}\)",
        "what is known of the nodes in another, for --labels, --signal or --groups",
    ),
    (r"cycles=[\"']chordless[\"']", "--how chordless-cycles"),
    (r"cycles=[\"']minimum[\"']", "--how cycles"),
    (r"without max_length", "without --max-length"),
    (r"write K\.skeleton\(1\), or an HIF \.json file", "write an HIF .json file"),
    (r'clique_complex\(\.\.\., weight="([^"]*)"\) takes it as weights', r"use --weight \1"),
    (r'the edges have an attribute "([^"]*)" that is not used', r"column \1 found"),
    (r"weight=None", "--weight none"),
    (r"; hypergraph_complex\(\.\.\., multiplicity=\"weight\"\) counts them", ""),
    (r"pass graph\.to_undirected\(\)", "give an undirected one"),
    (r"cellapse\.read\b", "cellapse"),
    (r"pass format=, one of", "give --format, one of"),
    (r"gamma=0\.9 \* S\.gamma \(([^)]*)\)", r"--gamma \1"),
    (r"realization='(\w+)'", r"--operator \1"),
    (r'realization="(\w+)"', r"--operator \1"),
    (r"collapse with ([\"'\w, ]+)", r"give --operator, one of \1"),
    (r"heat_kernel_signature", "hks"),
    (r"lower k, or use positional_encoding, which", "lower -k, or use cellapse encode, which"),
    (r", or Unchecked\(gamma\) to try it anyway", ""),
    (r"; give a seed or a numpy Generator", "; give a whole number of at least 0"),
    (r"give numbers, for instance \[float\(v\) for v in values\]", "write numbers"),
    (r"give a smaller false_share", "give a smaller --false-share"),
    (r"\bheader=True", "--header"),
    (r"\bheader=False", "--no-header"),
    (r", None$", ", or leave it out"),
    (
        r"\b(columns|directed|end|format|header|loops|repeats|sep|time|unit|weight|window)"
        r"=(?=[\s,;]|$)",
        r"--\1",
    ),
)


def in_words(message: str) -> str:
    """Return the sentence as the command line would say it.

    >>> in_words("n_clusters=0; give a whole number in 1..34")
    '-k 0; give a whole number in 1..34'
    >>> in_words("max_rank=0; give a whole number in 1..1000")
    '--max-rank 0; give a whole number in 1..1000'
    >>> in_words("pass columns=('Gene A', 'Gene B') or header=False")
    "pass --columns 'Gene A,Gene B' or --no-header"
    """
    for pattern, words in _PHRASES:
        message = re.sub(pattern, words, message)
    message = re.sub(r"\bcolumns=\(([^()]*)\)", lambda m: f"--columns {_listed(m[1])}", message)
    typed = rf"(?<![\w.-])({_NAMES})=('[^']*'|\"[^\"]*\"|[^\s;,)]+)"
    return re.sub(typed, lambda m: f"{_ARGUMENTS[m[1]]} {m[2].strip(chr(39) + chr(34))}", message)


def _listed(members: str) -> str:
    """Return the members of a tuple as one word: 2,3 or 'Gene A,Gene B'."""
    words = ",".join(word.strip().strip("'\"") for word in members.split(","))
    return f"'{words}'" if " " in words else words
