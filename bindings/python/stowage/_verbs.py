"""The questions and their options, as the library lists them."""
from __future__ import annotations

import dataclasses
from typing import Dict, Iterator, Optional, Tuple

from ._error import InvalidArgument
from ._library import VerbRow, library, text_of
from ._rows import name_of
from ._settings import checked


@dataclasses.dataclass(frozen=True)
class OptionInfo:
    """An option of a question."""

    keyword: str
    """As an argument in Python: max_nodes_total."""
    argument: Optional[str]
    """What it takes: "FILE"; None: it is a flag."""
    choices: Tuple[str, ...]
    """The values that it can have; empty: any."""
    default: Optional[str]
    help: str
    repeats: bool


def options(verb: str) -> Dict[str, OptionInfo]:
    """The options of a question ("scale", "price get"), by keyword."""
    found = library().stow_verb_find(checked(verb))
    if not found:
        raise InvalidArgument(f"there is no question '{verb}'")
    rows = [option for option in options_of(found.contents)]
    if " " in verb:  # `price get` takes the options of `price`, too
        rows = [*options(verb.rpartition(" ")[0]).values(), *rows]
    return {option.keyword: option for option in rows}


def options_of(verb: VerbRow) -> Iterator[OptionInfo]:
    """Those of its table that are not of the command alone; its argument is one, too."""
    if verb.argument:
        yield OptionInfo(text_of(verb.argument), text_of(verb.arguments), (), None,
                         "what is asked about", text_of(verb.arguments).endswith("..."))
    for row in verb.options or ():
        if not row.name:
            break
        if not row.command:
            choices = text_of(row.choices)
            yield OptionInfo(text_of(row.name).replace("-", "_"), name_of(row.argument),
                             tuple(choices.split("|")) if choices else (), name_of(row.fallback),
                             text_of(row.help), row.repeats)


def verbs() -> Dict[str, str]:
    """The questions, and in one line each what they are about."""
    found: Dict[str, str] = {}
    for index in range(1000):  # more than there will be: the loop ends at the last
        verb = library().stow_verb_at(index)
        if not verb:
            break
        add(found, verb.contents, "")
    return found


def add(found: Dict[str, str], verb: VerbRow, before: str) -> None:
    """A question, or those below it."""
    name = before + text_of(verb.name)
    if not verb.verbs:
        found[name] = text_of(verb.summary)
        return
    for below in verb.verbs:
        if not below.name:
            break
        add(found, below, name + " ")
