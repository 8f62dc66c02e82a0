"""The rows and figures of an answer, as plain data.  Amounts are per hour, exact, None: unknown."""
from __future__ import annotations

import dataclasses
from decimal import Decimal
from typing import Any, Dict, Optional, Union

from ._library import UNKNOWN, text_of


def amount_of(raw: int) -> Optional[Decimal]:
    """Billionths of a currency unit as an amount."""
    return None if raw == UNKNOWN else Decimal(f"{raw}e-9")


def name_of(raw: "bytes | None") -> Optional[str]:
    """A text that may be left out."""
    return None if raw is None else text_of(raw)


@dataclasses.dataclass(frozen=True)
class Figures:
    """What an answer comes to.  Which nodes and which cost, depends on the question: see cost."""

    currency: str
    cost: Optional[Decimal]
    """`inspect`: of all nodes; `scale`: of the new ones; `consolidate`: of those that are left;
    `divide`: of all replicas; `verify`: as it was worked out again.  As far as it is known;"""
    unpriced: int
    """so many parts of it are not."""
    before: Optional[Decimal]
    """`consolidate` and `verify`: what it costs now."""
    saving: Optional[Decimal]
    bound: Optional[Decimal]
    """No answer can cost less."""
    gap: Optional[float]
    """How far the cost may be above the cheapest: 0.01 is 1 %."""
    pods: int
    """Pods that are decided about; of `divide` replicas."""
    placed: int
    moved: int
    nodes: int
    """`inspect`: all; `scale`: new ones; `consolidate`: those that are left."""


@dataclasses.dataclass(frozen=True)
class Pod:
    """A pod: pending ones of `place` and `scale`, those that `consolidate` moves."""

    namespace: str
    name: str
    node: Optional[str]
    """Where it goes; None: it stays without a node, and `reason` says why."""
    new_node: bool
    """Its node is to be bought."""
    from_node: Optional[str]
    """Of `consolidate`: where it is."""
    step: Optional[int]
    """Of `consolidate`: from 0."""
    reason: Optional[str]

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


@dataclasses.dataclass(frozen=True)
class Node:
    """A node: all of `inspect`, new ones of `scale` and `consolidate`."""

    name: str
    group: Optional[str]
    price: Optional[Decimal]
    pods: int
    """How many; of `consolidate` those that move there."""
    step: Optional[int]


@dataclasses.dataclass(frozen=True)
class Step:
    """A step of a consolidation: what it saves; nodes that it removes and adds, pods it moves."""

    saving: Optional[Decimal]
    removes: int
    adds: int
    moves: int


@dataclasses.dataclass(frozen=True)
class Replica:
    """The replicas of a workload on a cluster."""

    namespace: str
    name: str
    kind: str
    cluster: str
    replicas: int
    before: int
    cost: Optional[Decimal]
    """Of all of them."""


@dataclasses.dataclass(frozen=True)
class Finding:
    """What is wrong with a plan; line and column are those of the plan."""

    check: str
    text: str
    line: Optional[int]
    column: Optional[int]


Row = Union[Pod, Node, Step, Replica, Finding]


def plain(row: Row) -> Dict[str, Any]:
    """A row as a dict for a data frame: amounts are floats there."""
    return {field.name: float(value) if isinstance(value, Decimal) else value
            for field in dataclasses.fields(row)
            for value in (getattr(row, field.name),)}
