"""Keyword arguments as settings of a question: max_nodes_total=5 is --max-nodes-total=5.

Names and values are not checked here: the library does it, with the tables of the command, and a
new option needs no change of this package.
"""
from __future__ import annotations

import datetime
import os
from decimal import Decimal
from typing import Any, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from ._error import InvalidArgument
from ._library import Setting


class Text(NamedTuple):
    """The content of a file, instead of its path: a plan to verify, prices to import, objects for
    `snapshot`.  `name` is for messages."""

    content: str
    name: str = "text"


Scalar = Union[str, int, float, Decimal, "os.PathLike[str]", datetime.datetime, datetime.timedelta,
               Text]
Option = Union[None, bool, Scalar, Sequence[Scalar], Mapping[str, Any]]


def value_of(name: str, value: Any) -> str:
    """One value as the command line has it."""
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            raise InvalidArgument(f"{name} needs a time with its zone, such as "
                                  "datetime.now(timezone.utc)")
        return value.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, datetime.timedelta):
        return f"{value // datetime.timedelta(milliseconds=1)}ms"
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (float, Decimal)):
        return format(Decimal(repr(value)) if isinstance(value, float) else value, "f")
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return str(value)
    raise InvalidArgument(f"{name} cannot be a {type(value).__name__}: give a text, a number, a "
                          "path, True, or a list of them")


def values_of(name: str, value: Any) -> Iterator[Tuple[Optional[str], Optional[str]]]:
    """Each value of an option, and the text that stands for a file."""
    if value is None or value is False:
        return
    if value is True:
        yield None, None
    elif isinstance(value, Text):
        yield value.name, value.content
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield f"{key}={value_of(name, part)}", None
    elif isinstance(value, (list, tuple, set, frozenset)):
        for part in value:
            yield from values_of(name, part)
    else:
        yield value_of(name, value), None


class Settings:
    """The settings in the form of the library, and what keeps their texts alive."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        rows: List[Setting] = []
        for keyword, value in options.items():
            name = keyword.replace("_", "-")
            rows += [self._row(name, one, text) for one, text in values_of(keyword, value)]
        self.rows, self.count = rows, len(rows)
        self.array = (Setting * max(1, len(rows)))(*rows)

    @staticmethod
    def _row(name: str, value: Optional[str], text: Optional[str]) -> Setting:
        raw = None if text is None else text.encode("utf-8", "surrogateescape")
        return Setting(checked(name), None if value is None else checked(value), raw,
                       len(raw or b""))


def checked(text: str) -> bytes:
    """A text for C, which a zero byte would cut short."""
    raw = text.encode("utf-8", "surrogateescape")
    if b"\0" in raw:
        raise InvalidArgument(f"{text!r} has a zero byte")
    return raw
