"""What to say when there is no dataset of a name."""

import difflib
from collections.abc import Sequence


def unknown_name(
    kind: str, name: object, names: Sequence[str], function: str, more: Sequence[str] = ()
) -> str:
    """Return a sentence that lists what exists and guesses what was meant.

    >>> unknown_name("dataset", "karat", ("karate", "football"), "load")
    "no dataset 'karat'; there are karate, football; did you mean load('karate')?"
    """
    lower = {known.lower(): known for known in (*names, *more)}
    close = difflib.get_close_matches(str(name).lower(), lower, n=1)
    remedy = (
        f"did you mean {function}({lower[close[0]]!r})?" if close else "pass one of these names"
    )
    proteins = f" and {len(more)} proteins" if more else ""
    return f"no {kind} {name!r}; there are {', '.join(names)}{proteins}; {remedy}"
