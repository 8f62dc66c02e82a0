"""A cluster that was loaded, and the questions about it."""
from __future__ import annotations

import ctypes
import dataclasses
import functools
import gzip
import json
import os
import re
import threading
import weakref
from typing import Any, Dict, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from ._answer import Answer
from ._error import InvalidArgument, error_of
from ._library import Err, LoadOptions, library, sized, text_of
from ._price import Prices, ask
from ._search import Run, Search, ask_and_wait
from ._settings import Option, Text, checked

Path = Union[str, "os.PathLike[str]"]
Plan = Union[Answer, Mapping[str, Any], Text, Path]
NODES, PODS, RUNNING, PENDING, GROUPS, SPECS, RESOURCES, WARNINGS = range(8)  # enum stow_count
NO_NODE = 2 ** 32 - 1
OF_LOADING = ("skip_unreadable", "max_input")
CONSOLIDATION = re.compile(rb'\bkind"?\s*:\s*"?Consolidation\b')


@dataclasses.dataclass(frozen=True)
class ClusterNode:
    """A node of the input.  Amounts are milli-cores of cpu, bytes, devices."""

    name: str
    group: str
    allocatable: Dict[str, int]
    requested: Dict[str, int]


@dataclasses.dataclass(frozen=True)
class ClusterPod:
    """A pod of the input, those made from workloads included; its node, if it has one."""

    namespace: str
    name: str
    node: Optional[str]
    requests: Dict[str, int]


class Reading(NamedTuple):
    """How the sources are read.  Questions that need it otherwise have them read again."""

    skip_unreadable: bool = False
    max_input: int = 0
    provider: Optional[str] = None
    region: Optional[str] = None
    sample: Optional[str] = None
    moves_pods: bool = False

    def raw(self) -> LoadOptions:
        """As the library takes it."""
        options = sized(LoadOptions)
        options.skip_unreadable, options.max_input = self.skip_unreadable, self.max_input
        options.moves_pods = self.moves_pods
        for name in ("provider", "region", "sample"):
            value = getattr(self, name)
            setattr(options, name, None if value is None else checked(value))
        return options


class Source:
    """Files and folders, or a text."""

    def __init__(self, paths: Sequence[str] = (), text: Optional[Text] = None) -> None:
        self.paths = (ctypes.c_char_p * max(1, len(paths)))(*map(os.fsencode, paths))
        self.count = len(paths)
        self.text = text and (checked(text.name), text.content.encode("utf-8", "surrogateescape"))

    def read(self, options: LoadOptions) -> int:
        """A handle of the snapshot."""
        handle, err = ctypes.c_void_p(), Err()
        if self.text:
            name, content = self.text
            code = library().stow_snapshot_load_text(name, content, len(content), options, handle,
                                                     err)
        else:
            code = library().stow_snapshot_load(self.paths, self.count, options, handle, err)
        if code < 0 or handle.value is None:
            raise error_of(code, err)
        return handle.value


class Snapshot:
    """What was read.  It never changes."""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        weakref.finalize(self, library().stow_snapshot_unref, handle)

    def count(self, what: int) -> int:
        """How many there are (enum stow_count)."""
        return library().stow_snapshot_count(self.handle, what)

    def names(self, what: int, get: Any) -> Tuple[str, ...]:
        """Their names, in order."""
        return tuple(text_of(get(self.handle, i)) for i in range(self.count(what)))


class Cluster:
    """A cluster; `load`, `loads` and `from_objects` make one.

    Any number of threads may ask about it at once.  Options of a question are those of the
    command as keywords: `--max-nodes-total 5` is `max_nodes_total=5`.  True gives a flag, a list
    repeats an option, a dict gives NAME=VALUE pairs; `stowage.options("scale")` lists them.
    `prices` is a price book that was opened with `stowage.open_prices`; without it and without
    the option `book`, the built-in catalogue alone counts.
    """

    def __init__(self, source: Source, reading: Reading) -> None:
        self._source, self._reading = source, reading
        self._lock = threading.Lock()
        self._snapshots: Dict[Reading, Snapshot] = {}
        self._first = self._snapshot(reading)

    def _snapshot(self, reading: Reading) -> Snapshot:
        """The sources as a question needs them, read once per way of reading."""
        with self._lock:
            if reading not in self._snapshots:
                self._snapshots[reading] = Snapshot(self._source.read(reading.raw()))
            return self._snapshots[reading]

    # ---- what is in it -----------------------------------------------------------------------

    @functools.cached_property
    def counts(self) -> Dict[str, int]:
        """How many nodes, pods, running and pending pods, and groups there are."""
        names = {"nodes": NODES, "pods": PODS, "running": RUNNING, "pending": PENDING,
                 "groups": GROUPS}
        return {name: self._first.count(what) for name, what in names.items()}

    @functools.cached_property
    def warnings(self) -> Tuple[str, ...]:
        """What reading it gave rise to."""
        return self._first.names(WARNINGS, library().stow_snapshot_warning)

    @functools.cached_property
    def groups(self) -> Tuple[str, ...]:
        """The names of the groups of nodes."""
        return self._first.names(GROUPS, library().stow_snapshot_group_name)

    @functools.cached_property
    def resources(self) -> Tuple[str, ...]:
        """The names of the resources that nodes offer and pods ask for."""
        return self._first.names(RESOURCES, library().stow_snapshot_resource_name)

    def _amounts(self, get: Any, index: int) -> Dict[str, int]:
        found = ((name, get(self._first.handle, index, i))
                 for i, name in enumerate(self.resources))
        return {name: amount for name, amount in found if amount}

    @functools.cached_property
    def nodes(self) -> Tuple[ClusterNode, ...]:
        """Its nodes."""
        lib, handle = library(), self._first.handle
        names = self._first.names(NODES, lib.stow_snapshot_node_name)
        return tuple(ClusterNode(name, self.groups[lib.stow_snapshot_node_group(handle, i)],
                                 self._amounts(lib.stow_snapshot_allocatable, i),
                                 self._amounts(lib.stow_snapshot_requested, i))
                     for i, name in enumerate(names))

    @functools.cached_property
    def pods(self) -> Tuple[ClusterPod, ...]:
        """Its pods."""
        lib, handle = library(), self._first.handle
        nodes = self._first.names(NODES, lib.stow_snapshot_node_name)
        rows = []
        for i in range(self._first.count(PODS)):
            node = lib.stow_snapshot_pod_node(handle, i)
            rows.append(ClusterPod(text_of(lib.stow_snapshot_pod_namespace(handle, i)),
                                   text_of(lib.stow_snapshot_pod_name(handle, i)),
                                   None if node == NO_NODE else nodes[node],
                                   self._amounts(lib.stow_snapshot_pod_request, i)))
        return tuple(rows)

    def __repr__(self) -> str:
        of = self.counts
        return (f"<stowage.Cluster {of['nodes']} nodes, {of['running']} pods running, "
                f"{of['pending']} pending>")

    # ---- questions ---------------------------------------------------------------------------

    def _run(self, verb: str, options: Mapping[str, Option], prices: Optional[Prices],
             moves_pods: bool = False) -> Run:
        for name in OF_LOADING:
            if name in options:
                raise InvalidArgument(f"{name} is an option of stowage.load")
        own = {"provider": options.get("provider"), "region": options.get("region"),
               "sample": options.get("how_many")}
        given = {name: os.fspath(value) for name, value in own.items()  # type: ignore[arg-type]
                 if value is not None}
        reading = self._reading._replace(moves_pods=moves_pods or verb == "consolidate", **given)
        return Run(verb, options, self._snapshot(reading), prices)

    def ask(self, verb: str, *, prices: Optional[Prices] = None, **options: Option) -> Answer:
        """Any question of the command about the cluster, by name."""
        return ask_and_wait(self._run(verb, options, prices))

    def inspect(self, *, prices: Optional[Prices] = None, **options: Option) -> Answer:
        """What the cluster costs, what is unused, and why pods are pending."""
        return self.ask("inspect", prices=prices, **options)

    def place(self, *, prices: Optional[Prices] = None, **options: Option) -> Answer:
        """Where the pending pods would run on the nodes that are there."""
        return self.ask("place", prices=prices, **options)

    def scale(self, *, prices: Optional[Prices] = None, **options: Option) -> Answer:
        """What to buy so that the pending pods run."""
        return self.ask("scale", prices=prices, **options)

    def consolidate(self, *, prices: Optional[Prices] = None, **options: Option) -> Answer:
        """How to run the same pods on cheaper nodes, in safe steps."""
        return self.ask("consolidate", prices=prices, **options)

    def divide(self, *, prices: Optional[Prices] = None, **options: Option) -> Answer:
        """How many replicas of each workload run on which cluster of a fleet."""
        return self.ask("divide", prices=prices, **options)

    def ask_live(self, verb: str, *, prices: Optional[Prices] = None, **options: Option) -> Search:
        """The same as `ask`, and returns at once: each better plan and bound can be watched."""
        return Search(self._run(verb, options, prices))

    def scale_live(self, *, prices: Optional[Prices] = None, **options: Option) -> Search:
        """`scale`, watched: `for update in cluster.scale_live(): print(update.cost)`."""
        return self.ask_live("scale", prices=prices, **options)

    def consolidate_live(self, *, prices: Optional[Prices] = None, **options: Option) -> Search:
        """`consolidate`, watched."""
        return self.ask_live("consolidate", prices=prices, **options)

    def verify(self, plan: Plan, *, prices: Optional[Prices] = None, **options: Option) -> Answer:
        """Whether a plan holds, worked out again: an answer of `scale` or `consolidate`, its
        `to_dict()`, a Text, or a file.  The answer's `ok` says it, `findings` say why not."""
        given, content = plan_of(plan)
        moves = CONSOLIDATION.search(content) is not None
        return ask_and_wait(self._run("verify", {**options, "plan": given}, prices, moves))


def plan_of(plan: Plan) -> Tuple[Option, bytes]:
    """A plan as a setting, and its content.  A file is left to the library, which reports what is
    wrong with it; here only its kind counts."""
    if isinstance(plan, Answer):
        plan = Text(plan.to_json(), "the plan")
    elif isinstance(plan, Mapping):
        plan = Text(json.dumps(plan), "the plan")
    if isinstance(plan, Text):
        return plan, plan.content.encode("utf-8", "surrogateescape")
    try:
        with open(plan, "rb") as file:
            content = file.read()
        return plan, gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
    except (OSError, EOFError):
        return plan, b""


# ---- loading -----------------------------------------------------------------------------------

def load(*paths: Path, skip_unreadable: bool = False, max_input: int = 0,
         provider: Optional[str] = None, region: Optional[str] = None) -> Cluster:
    """The cluster of these files, folders and tar archives, each of which may be compressed.

    `skip_unreadable` leaves out files that cannot be read, with a warning.  `max_input` is how many
    bytes one input may have (0: 16 GiB).  `provider` and `region` are those of new nodes that say
    neither.
    """
    names = [os.fspath(path) for path in paths]
    if "-" in names:
        raise InvalidArgument("standard input is not read: use stowage.loads(sys.stdin.read())")
    for name in names:
        checked(name)
    return Cluster(Source(names), Reading(skip_unreadable, max_input, provider, region))


def loads(text: str, *, name: str = "text", max_input: int = 0, provider: Optional[str] = None,
          region: Optional[str] = None) -> Cluster:
    """The cluster of a text of YAML or JSON; `name` is its name in messages."""
    return Cluster(Source(text=Text(text, name)), Reading(False, max_input, provider, region))


def from_objects(objects: Sequence[Mapping[str, Any]], *, name: str = "objects",
                 provider: Optional[str] = None, region: Optional[str] = None) -> Cluster:
    """The cluster of Kubernetes objects as dicts, such as a client of the API server returns."""
    whole = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
    return loads(json.dumps(whole), name=name, provider=provider, region=region)


def snapshot(*files: Union[Path, Text], anonymise: bool = False) -> str:
    """The objects of these files that questions read, as one list of JSON without secrets;
    `anonymise` replaces names, so that it can be shared.  `loads` takes it."""
    return ask("snapshot", file=list(files), anonymise=anonymise).text()
