"""Prices: the book that questions use, and questions about prices themselves."""
from __future__ import annotations

import ctypes
import os
import weakref
from typing import Optional, Union

from ._answer import Answer
from ._error import error_of
from ._library import Err, library
from ._search import Run, ask_and_wait
from ._settings import Option, Text, checked

Path = Union[str, "os.PathLike[str]"]


class Prices:
    """An open price book.  It never changes; any number of questions may use it at once."""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        weakref.finalize(self, library().stow_pricebook_unref, handle)


def open_prices(book: Optional[Path] = None) -> Prices:
    """The built-in catalogue and the price book in a folder, which need not exist yet; None: the
    catalogue alone.  The command's STOWAGE_BOOK is not looked at."""
    handle, err = ctypes.c_void_p(), Err()
    folder = None if book is None else checked(os.fspath(book))
    code = library().stow_pricebook_open(folder, handle, err)
    if code < 0 or handle.value is None:
        raise error_of(code, err)
    return Prices(handle.value)


def ask(verb: str, *, prices: Optional[Prices] = None, **options: Option) -> Answer:
    """Any question of the command, by name ("price get"); inputs are the option `file`."""
    return ask_and_wait(Run(verb, options, None, prices))


def price_get(instance_type: str, *, prices: Optional[Prices] = None, **options: Option) -> Answer:
    """What a machine costs, of each offer."""
    return ask("price get", prices=prices, type=instance_type, **options)


def price_list(*, prices: Optional[Prices] = None, **options: Option) -> Answer:
    """All current prices."""
    return ask("price list", prices=prices, **options)


def price_history(instance_type: str, *, prices: Optional[Prices] = None,
                  **options: Option) -> Answer:
    """How the price of a machine developed."""
    return ask("price history", prices=prices, type=instance_type, **options)


def price_import(*files: Union[Path, Text], book: Path, **options: Option) -> Answer:
    """Adds prices from files to the price book in a folder."""
    return ask("price import", file=list(files), book=book, **options)
