"""The explorer as a widget: in Jupyter, VS Code and marimo, computed by the kernel itself.

The page is the one of `cellapse explore`, in a frame of its own; instead of a server it asks the
kernel, through traits, so that every host of anywidget carries the questions. Where there are no
widgets, as in a file that is only shown, the static card of the complex takes its place.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict, fields
from typing import Any

from cellapse._collapse.collapsed import CollapsedOperator
from cellapse._complex.complex import Complex
from cellapse._errors import InputError, extra
from cellapse.report.explorer import Explorer
from cellapse.report.markup import asset
from cellapse.report.server import explorer_html
from cellapse.report.settings import Settings

with extra("anywidget", "notebook"):
    import anywidget
    import traitlets


class ExplorerWidget(anywidget.AnyWidget):
    """What `explore` returns: a picture, sliders and clusters, at the end of a cell.

    Attributes
    ----------
    value : list of int
        The cluster of every vertex, in the order of `complex.labels`; follows the sliders.
    selection : label or None
        The vertex that was clicked; set it to mark one.
    settings : dict
        Where the sliders stand: realization, eps, gamma (a share of its bound), beta, vectors and
        clusters. Set some of them to move sliders: `widget.settings = {"clusters": 3}`.
    height : int
        Of the frame, in pixels.

    Examples
    --------
    >>> import cellapse as cl
    >>> widget = cl.report.explore("karate")
    >>> widget.settings = {"clusters": 3}
    >>> len(set(widget.value)), widget.operator.shape
    (3, (34, 34))
    """

    _esm = asset("notebook.js")
    _page = traitlets.Unicode().tag(sync=True)
    _key = traitlets.Unicode().tag(sync=True)
    _question = traitlets.Dict().tag(sync=True)
    _answer = traitlets.Unicode("{}").tag(sync=True)
    _chosen = traitlets.Int(None, allow_none=True).tag(sync=True)
    settings = traitlets.Dict().tag(sync=True)
    value = traitlets.List(traitlets.Int(), read_only=True)
    selection = traitlets.Any(None)
    height = traitlets.Int(800).tag(sync=True)

    def __init__(self, explorer: Explorer, height: int) -> None:
        self._explorer, key = explorer, secrets.token_hex(8)
        self._drawn = [explorer.complex.labels[i] for i in explorer.drawn.tolist()]
        super().__init__(_page=explorer_html(explorer, key), _key=key, height=height)
        self.settings = asdict(explorer.begin)

    @property
    def complex(self) -> Complex:
        """The complex that is explored."""
        return self._explorer.complex

    @property
    def operator(self) -> CollapsedOperator:
        """The collapse of the sliders."""
        return self._explorer.operator(Settings(**self.settings))

    @traitlets.validate("settings")
    def _complete(self, proposal: Any) -> dict[str, Any]:
        known = {f.name for f in fields(Settings)}
        if wrong := set(proposal["value"]) - known:
            raise InputError(f"no setting {min(wrong)!r:.60}; there are {', '.join(sorted(known))}")
        now = self.settings | proposal["value"]
        return asdict(Settings.parse({name: str(value) for name, value in now.items()}))

    @traitlets.observe("settings")
    def _follow(self, change: Any) -> None:
        answer = self._explorer.answer(Settings(**change["new"]))
        if "error" in answer:
            raise InputError(answer["error"])
        self.set_trait("value", answer["nodes"]["clusters"])

    @traitlets.observe("_question")
    def _reply(self, change: Any) -> None:
        asked = change["new"]
        if not asked:
            return
        try:
            self.settings = asked["settings"]
            answer = self._explorer.answer(Settings(**self.settings))
        except InputError as error:
            answer = {"error": str(error)}
        self._answer = json.dumps(answer | {"ticket": asked["ticket"]})

    @traitlets.observe("_chosen")
    def _clicked(self, change: Any) -> None:
        self.selection = None if change["new"] is None else self._drawn[change["new"]]

    @traitlets.observe("selection")
    def _marked(self, change: Any) -> None:
        label = change["new"]
        if label is not None and label not in self._drawn:
            raise InputError(f"selection={label!r:.60}, which is no vertex that is drawn")
        self._chosen = None if label is None else self._drawn.index(label)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """Return the widget, and for a host without widgets the card of the complex."""
        bundle = super()._repr_mimebundle_(**options)
        card = {"text/html": self.complex._repr_html_(), "text/plain": str(self.complex)}
        if bundle is None:
            return card, {}
        data, metadata = bundle
        return card | data, metadata
