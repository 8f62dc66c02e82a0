"""The answer to a question."""
from __future__ import annotations

import ctypes
import functools
import json
import weakref
from decimal import Decimal
from typing import Any, Dict, List, Optional, Tuple

from . import _html
from ._error import Error, InvalidArgument, error_of
from ._library import (SINK, WARN, Err, FindingRow, NodeRow, PodRow, ReplicaRow, StepRow, Write,
                       library, sized, text_of)
from ._library import Figures as RawFigures
from ._rows import (Figures, Finding, Node, Pod, Replica, Row, Step, amount_of, name_of, plain)

PODS, NODES, STEPS, REPLICAS, FINDINGS = range(5)  # enum stow_rows
NO_MEMORY = -6
KINDS_OF_ROWS = ("pods", "nodes", "steps", "replicas", "findings")


class Answer:
    """What was found out.  It never changes; any number of threads may read it.

    Figures and rows are attributes; `to_dict()` is the JSON of the command; `str()` its table; a
    notebook shows tables of the rows.
    """

    def __init__(self, handle: int, verb: str) -> None:
        self._handle, self._verb = handle, verb
        weakref.finalize(self, library().stow_answer_unref, handle)

    @property
    def verb(self) -> str:
        """What was asked: "scale", "price get"."""
        return self._verb

    # ---- whether it is good news -------------------------------------------------------------

    @functools.cached_property
    def problem(self) -> Optional[Error]:
        """What the command reports by its exit status: a plan that does not hold (DoesNotHold), or
        something that is not settled (NotSettled); None: nothing."""
        err = Err()
        code = library().stow_answer_status(self._handle, err)
        return error_of(code, err) if code < 0 else None

    @property
    def ok(self) -> bool:
        """Whether there is no problem."""
        return self.problem is None

    def check(self) -> "Answer":
        """Raises the problem, if there is one; else the answer itself."""
        if self.problem is not None:
            raise self.problem
        return self

    @functools.cached_property
    def warnings(self) -> Tuple[str, ...]:
        """What the asker should know, as the command prints it."""
        count = library().stow_answer_warnings(self._handle)
        return tuple(text_of(library().stow_answer_warning(self._handle, i)) for i in range(count))

    # ---- figures -----------------------------------------------------------------------------

    @functools.cached_property
    def figures(self) -> Figures:
        """Cost, bound and counts."""
        raw = sized(RawFigures)
        code = library().stow_answer_figures(self._handle, raw)
        if code < 0:
            raise error_of(code, Err())
        return Figures(currency=text_of(raw.currency), cost=amount_of(raw.cost),
                       unpriced=raw.unpriced, before=amount_of(raw.before),
                       saving=amount_of(raw.saving), bound=amount_of(raw.bound),
                       gap=raw.gap if raw.gap >= 0 else None, pods=raw.pods, placed=raw.placed,
                       moved=raw.moved, nodes=raw.nodes)

    @property
    def cost(self) -> Optional[Decimal]:
        """Per hour, of what the question is about (Figures.cost); None: not known."""
        return self.figures.cost

    @property
    def bound(self) -> Optional[Decimal]:
        """No answer can cost less; None: not known."""
        return self.figures.bound

    @property
    def gap(self) -> Optional[float]:
        """How far the cost may be above the cheapest: 0.01 is 1 %; None: not known."""
        return self.figures.gap

    @property
    def saving(self) -> Optional[Decimal]:
        """Of `consolidate` and `verify`, per hour."""
        return self.figures.saving

    @property
    def currency(self) -> str:
        """"USD"; empty where no price is involved."""
        return self.figures.currency

    # ---- rows --------------------------------------------------------------------------------

    def _read(self, what: int, kind: Any, get: Any, make: Any) -> Tuple[Any, ...]:
        row = sized(kind)
        rows = []
        for i in range(library().stow_answer_rows(self._handle, what)):
            code = get(self._handle, i, row)
            if code < 0:
                raise error_of(code, Err())
            rows.append(make(row))
        return tuple(rows)

    def _step(self, step: int) -> Optional[int]:
        return step if self._verb == "consolidate" else None

    @functools.cached_property
    def pods(self) -> Tuple[Pod, ...]:
        """Each pod that is decided about, and its node."""
        return self._read(PODS, PodRow, library().stow_answer_pod, lambda row: Pod(
            text_of(row.pod_namespace), text_of(row.name), name_of(row.node), row.new_node,
            name_of(getattr(row, "from")), self._step(row.step), name_of(row.reason)))

    @functools.cached_property
    def nodes(self) -> Tuple[Node, ...]:
        """Nodes of `inspect`; new nodes of `scale` and `consolidate`."""
        return self._read(NODES, NodeRow, library().stow_answer_node, lambda row: Node(
            text_of(row.name), name_of(row.group), amount_of(row.price), row.pods,
            self._step(row.step)))

    @functools.cached_property
    def steps(self) -> Tuple[Step, ...]:
        """Of `consolidate`, in their order."""
        return self._read(STEPS, StepRow, library().stow_answer_step, lambda row: Step(
            amount_of(row.saving), row.removes, row.adds, row.moves))

    @functools.cached_property
    def replicas(self) -> Tuple[Replica, ...]:
        """Of `divide`: a row per workload and cluster."""
        return self._read(REPLICAS, ReplicaRow, library().stow_answer_replica, lambda row: Replica(
            text_of(row.workload_namespace), text_of(row.name), text_of(row.kind),
            text_of(row.cluster), row.replicas, row.before, amount_of(row.cost)))

    @functools.cached_property
    def findings(self) -> Tuple[Finding, ...]:
        """Of `verify`: what is wrong with the plan."""
        return self._read(FINDINGS, FindingRow, library().stow_answer_finding, lambda row: Finding(
            text_of(row.check), text_of(row.text), row.line or None, row.col or None))

    @property
    def reasons(self) -> Dict[str, str]:
        """Why pods stay without a node, by "namespace/name"."""
        return {str(pod): pod.reason or "" for pod in self.pods if pod.node is None}

    def pods_on(self, node: str) -> List[Pod]:
        """The pods that this answer puts on a node."""
        return [pod for pod in self.pods if pod.node == node]

    def _rows_of(self, what: str) -> Tuple[Row, ...]:
        if what not in KINDS_OF_ROWS:
            raise InvalidArgument(f"there are no rows '{what}': ask for one of "
                                  + ", ".join(KINDS_OF_ROWS))
        return getattr(self, what)

    def rows(self, what: Optional[str] = None) -> List[Dict[str, Any]]:
        """Rows for a data frame: `pandas.DataFrame(answer.rows("nodes"))`.

        `what` is "pods", "nodes", "steps", "replicas" or "findings"; without it, the first of them
        that the answer has.  Amounts are floats; the attributes have them exactly.
        """
        if what is None:
            what = next((kind for kind in KINDS_OF_ROWS if self._rows_of(kind)), "pods")
        return [plain(row) for row in self._rows_of(what)]

    # ---- the whole ---------------------------------------------------------------------------

    def text(self, form: Optional[str] = None, *, width: int = 0, colours: bool = False) -> str:
        """The answer as the command prints it; `form` is a value of its option --output.  Without
        it, as the option `output` of the question said, else a table."""
        parts: List[bytes] = []

        def take(_ctx: Any, text: Any, length: int) -> int:
            try:
                parts.append(ctypes.string_at(text, length))
            except MemoryError:
                return NO_MEMORY
            return 0

        write, err = sized(Write), Err()
        write.form = None if form is None else form.encode()
        write.width, write.colours = width, colours
        write.sink, write.warn = SINK(take), WARN()
        code = library().stow_answer_write(self._handle, write, err)
        if code < 0:
            raise error_of(code, err)
        return text_of(b"".join(parts))

    def to_json(self) -> str:
        """The JSON of the command, byte for byte."""
        return self.text("json")

    def to_dict(self) -> Dict[str, Any]:
        """The JSON of the command, read."""
        return json.loads(self.to_json())

    def __str__(self) -> str:
        return self.text("table")

    def __repr__(self) -> str:
        return f"<stowage.Answer {self._verb}{''.join(', ' + part for part in _html.parts(self))}>"

    def _repr_html_(self) -> str:
        return _html.page(self)
