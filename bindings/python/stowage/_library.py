"""Finds libstowage and declares its functions (include/stowage/*.h) for ctypes.

The library is looked for, in this order: the file that the environment variable STOWAGE_LIBRARY
names; next to this package (a wheel carries it there); the release of the source tree that the
package lies in; the folder that `make install` put it in; wherever the system finds libraries.

Structures repeat the headers field by field.  tests/python compares every offset with the C
compiler's.
"""
from __future__ import annotations

import ctypes
import functools
import os
import pathlib
from ctypes import CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_int64
from ctypes import c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, Dict, Iterator, Sequence, Tuple, Type, TypeVar

NAME = "libstowage.so.0"
PACKAGE = pathlib.Path(__file__).resolve().parent
UNKNOWN = -(2 ** 63)  # STOW_UNKNOWN

SINK = CFUNCTYPE(c_int, c_void_p, POINTER(c_char), c_size_t)
WARN = CFUNCTYPE(None, c_void_p, c_char_p)
SEARCH = CFUNCTYPE(None, c_void_p, c_bool)


class LibraryNotFound(ImportError):
    """libstowage cannot be loaded; the message names the places where it was looked for."""


# ---- structures --------------------------------------------------------------------------------

class Err(Structure):
    _fields_ = [("code", c_int), ("line", c_uint32), ("col", c_uint32), ("file", c_char * 1024),
                ("msg", c_char * 512), ("hint", c_char * 512)]


class LoadOptions(Structure):
    _fields_ = [("size", c_size_t), ("sample", c_char_p), ("provider", c_char_p),
                ("region", c_char_p), ("max_input", c_uint64), ("skip_unreadable", c_bool),
                ("as_given", c_bool), ("moves_pods", c_bool)]


class Setting(Structure):
    _fields_ = [("name", c_char_p), ("value", c_char_p), ("text", c_char_p), ("len", c_size_t)]


class Progress(Structure):
    _fields_ = [("size", c_size_t), ("seconds", c_double), ("cost", c_int64), ("bound", c_int64)]


PROGRESS = CFUNCTYPE(None, c_void_p, POINTER(Progress))


class Question(Structure):
    _fields_ = [("size", c_size_t), ("snapshot", c_void_p), ("prices", c_void_p),
                ("setting", POINTER(Setting)), ("settings", c_uint32), ("stop", c_void_p),
                ("watched", c_bool), ("ctx", c_void_p), ("warn", WARN), ("search", SEARCH),
                ("rules", c_void_p), ("progress", PROGRESS)]


class Write(Structure):
    _fields_ = [("size", c_size_t), ("form", c_char_p), ("width", c_uint32), ("colours", c_bool),
                ("ctx", c_void_p), ("sink", SINK), ("warn", WARN)]


class Figures(Structure):
    _fields_ = [("size", c_size_t), ("currency", c_char * 8), ("cost", c_int64),
                ("unpriced", c_int64), ("before", c_int64), ("saving", c_int64),
                ("bound", c_int64), ("gap", c_double), ("pods", c_uint32), ("placed", c_uint32),
                ("moved", c_uint32), ("nodes", c_uint32)]


class PodRow(Structure):
    _fields_ = [("size", c_size_t), ("pod_namespace", c_char_p), ("name", c_char_p),
                ("node", c_char_p), ("from", c_char_p), ("reason", c_char_p), ("step", c_uint32),
                ("new_node", c_bool)]


class NodeRow(Structure):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("group", c_char_p), ("price", c_int64),
                ("pods", c_uint32), ("step", c_uint32)]


class StepRow(Structure):
    _fields_ = [("size", c_size_t), ("saving", c_int64), ("removes", c_uint32), ("adds", c_uint32),
                ("moves", c_uint32)]


class ReplicaRow(Structure):
    _fields_ = [("size", c_size_t), ("workload_namespace", c_char_p), ("name", c_char_p),
                ("kind", c_char_p), ("cluster", c_char_p), ("replicas", c_int64),
                ("before", c_int64), ("cost", c_int64)]


class FindingRow(Structure):
    _fields_ = [("size", c_size_t), ("check", c_char_p), ("text", c_char_p), ("line", c_uint32),
                ("col", c_uint32)]


class OptionRow(Structure):
    _fields_ = [("name", c_char_p), ("argument", c_char_p), ("choices", c_char_p),
                ("fallback", c_char_p), ("help", c_char_p), ("also", c_char_p),
                ("offers", POINTER(c_char_p)), ("letter", c_char), ("repeats", c_bool),
                ("commas", c_bool), ("optional", c_bool), ("command", c_bool)]


class VerbRow(Structure):
    pass


VerbRow._fields_ = [("name", c_char_p), ("summary", c_char_p), ("arguments", c_char_p),
                    ("argument", c_char_p), ("description", c_char_p),
                    ("options", POINTER(OptionRow)), ("verbs", POINTER(VerbRow)),
                    ("examples", c_void_p), ("work", c_void_p), ("hidden", c_bool)]

STRUCTS: Dict[str, Type[Structure]] = {
    "stow_err": Err, "stow_load_options": LoadOptions, "stow_setting": Setting,
    "stow_progress": Progress, "stow_question": Question, "stow_write": Write,
    "stow_figures": Figures, "stow_pod_row": PodRow, "stow_node_row": NodeRow,
    "stow_step_row": StepRow, "stow_replica_row": ReplicaRow, "stow_finding_row": FindingRow,
    "stow_option": OptionRow, "stow_verb": VerbRow,
}

# ---- functions ---------------------------------------------------------------------------------

HANDLE, TEXT, ERR = c_void_p, c_char_p, POINTER(Err)
FUNCTIONS: Dict[str, Tuple[Any, Sequence[Any]]] = {
    "stow_version": (TEXT, []),
    "stow_code_text": (TEXT, [c_int]),
    "stow_code_exit": (c_int, [c_int]),
    "stow_snapshot_load": (c_int, [POINTER(TEXT), c_uint32, POINTER(LoadOptions), POINTER(HANDLE),
                                   ERR]),
    "stow_snapshot_load_text": (c_int, [TEXT, TEXT, c_size_t, POINTER(LoadOptions),
                                        POINTER(HANDLE), ERR]),
    "stow_snapshot_unref": (None, [HANDLE]),
    "stow_snapshot_count": (c_uint32, [HANDLE, c_int]),
    "stow_snapshot_node_name": (TEXT, [HANDLE, c_uint32]),
    "stow_snapshot_group_name": (TEXT, [HANDLE, c_uint32]),
    "stow_snapshot_resource_name": (TEXT, [HANDLE, c_uint32]),
    "stow_snapshot_warning": (TEXT, [HANDLE, c_uint32]),
    "stow_snapshot_node_group": (c_uint32, [HANDLE, c_uint32]),
    "stow_snapshot_allocatable": (c_int64, [HANDLE, c_uint32, c_uint32]),
    "stow_snapshot_requested": (c_int64, [HANDLE, c_uint32, c_uint32]),
    "stow_snapshot_pod_namespace": (TEXT, [HANDLE, c_uint32]),
    "stow_snapshot_pod_name": (TEXT, [HANDLE, c_uint32]),
    "stow_snapshot_pod_node": (c_uint32, [HANDLE, c_uint32]),
    "stow_snapshot_pod_request": (c_int64, [HANDLE, c_uint32, c_uint32]),
    "stow_pricebook_open": (c_int, [TEXT, POINTER(HANDLE), ERR]),
    "stow_pricebook_unref": (None, [HANDLE]),
    "stow_stop_new": (HANDLE, []),
    "stow_stop_request": (None, [HANDLE]),
    "stow_stop_free": (None, [HANDLE]),
    "stow_ask": (c_int, [TEXT, POINTER(Question), POINTER(HANDLE), ERR]),
    "stow_answer_unref": (None, [HANDLE]),
    "stow_answer_status": (c_int, [HANDLE, ERR]),
    "stow_answer_warnings": (c_uint32, [HANDLE]),
    "stow_answer_warning": (TEXT, [HANDLE, c_uint32]),
    "stow_answer_figures": (c_int, [HANDLE, POINTER(Figures)]),
    "stow_answer_rows": (c_uint32, [HANDLE, c_int]),
    "stow_answer_pod": (c_int, [HANDLE, c_uint32, POINTER(PodRow)]),
    "stow_answer_node": (c_int, [HANDLE, c_uint32, POINTER(NodeRow)]),
    "stow_answer_step": (c_int, [HANDLE, c_uint32, POINTER(StepRow)]),
    "stow_answer_replica": (c_int, [HANDLE, c_uint32, POINTER(ReplicaRow)]),
    "stow_answer_finding": (c_int, [HANDLE, c_uint32, POINTER(FindingRow)]),
    "stow_answer_write": (c_int, [HANDLE, POINTER(Write), ERR]),
    "stow_verb_at": (POINTER(VerbRow), [c_uint32]),
    "stow_verb_find": (POINTER(VerbRow), [TEXT]),
}

# ---- finding it --------------------------------------------------------------------------------


def places() -> Iterator[str]:
    """Where the library may be, best first."""
    given = os.environ.get("STOWAGE_LIBRARY")
    if given:
        yield given
        return
    yield str(PACKAGE / NAME)
    if PACKAGE.parts[-3:-1] == ("bindings", "python"):
        yield str(PACKAGE.parents[2] / "build" / "release" / "src" / NAME)
    for folder in list(PACKAGE.parents)[1:4]:  # PREFIX/lib/python3/dist-packages/stowage
        yield str(folder / NAME)
        yield from sorted(str(path) for path in folder.glob(f"*-linux-*/{NAME}"))
    yield NAME


def open_library() -> ctypes.CDLL:
    """The first that loads.  What is there and does not load is an error, not passed over."""
    tried = []
    for place in places():
        if os.sep in place and not os.path.exists(place):
            tried.append(place)
            continue
        try:
            return ctypes.CDLL(place)
        except OSError as problem:
            tried.append(str(problem))
            if os.sep in place:
                break
    raise LibraryNotFound(f"{NAME} cannot be loaded; build it with make build, install it with "
                          "make install, or name the file in STOWAGE_LIBRARY; tried: "
                          + "; ".join(tried))


@functools.lru_cache(maxsize=None)
def library() -> Any:
    """The library, loaded at the first use and declared."""
    found = open_library()
    for name, (result, arguments) in FUNCTIONS.items():
        try:
            function = getattr(found, name)
        except AttributeError:
            raise LibraryNotFound(f"{found._name} has no function {name}: it is of another "
                                  "version than this package") from None
        function.restype, function.argtypes = result, arguments
    return found


def library_version() -> str:
    """The version of libstowage that is loaded."""
    return text_of(library().stow_version())


# ---- small conversions -------------------------------------------------------------------------

Row = TypeVar("Row", bound=Structure)


def sized(kind: Type[Row]) -> Row:
    """A structure that begins with its own size."""
    made = kind()
    made.size = ctypes.sizeof(kind)  # type: ignore[attr-defined]
    return made


def text_of(raw: "bytes | None") -> str:
    """A text of the library; bytes that are no UTF-8 are shown as such."""
    return raw.decode("utf-8", "backslashreplace") if raw else ""
