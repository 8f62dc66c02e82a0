"""Stowage: where Kubernetes workloads run, and which capacity to buy.

    >>> import stowage
    >>> answer = stowage.load("examples/shop").scale(budget="12.50")
    >>> print(answer.cost, answer.currency, [node.group for node in answer.nodes])

Everything that the command answers can be asked here, with the same options, answers and errors.
"""
from ._answer import Answer
from ._cluster import Cluster, ClusterNode, ClusterPod, from_objects, load, loads, snapshot
from ._error import (DoesNotHold, Error, InputOutputError, InvalidArgument, LimitReached, NotFound,
                     NotSettled, OutOfMemory, ParseError)
from ._library import LibraryNotFound, library_version
from ._price import (Prices, ask, open_prices, price_get, price_history, price_import, price_list)
from ._rows import Figures, Finding, Node, Pod, Replica, Step
from ._search import Search, Update
from ._settings import Option, Text
from ._verbs import OptionInfo, options, verbs

__version__ = "0.1.0"

__all__ = [
    "Answer", "Cluster", "ClusterNode", "ClusterPod", "DoesNotHold", "Error", "Figures", "Finding",
    "InputOutputError", "InvalidArgument", "LibraryNotFound", "LimitReached", "Node", "NotFound",
    "NotSettled", "Option", "OptionInfo", "OutOfMemory", "ParseError", "Pod", "Prices", "Replica",
    "Search", "Step", "Text", "Update", "ask", "from_objects", "library_version", "load", "loads",
    "open_prices", "options", "price_get", "price_history", "price_import", "price_list",
    "snapshot", "verbs",
]
