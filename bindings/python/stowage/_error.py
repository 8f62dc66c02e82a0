"""What goes wrong, as exceptions: one per code of include/stowage/error.h."""
from __future__ import annotations

from typing import Dict, Optional, Type

from ._library import Err, library, text_of


class Error(Exception):
    """A question or an input failed.

    `file`, `line` and `column` say where in the input, None where that is not known; `hint` says
    what can be done next; `exit_status` is that of the command for the same failure.
    """

    def __init__(self, message: str, *, code: int = -1, file: Optional[str] = None,
                 line: Optional[int] = None, column: Optional[int] = None,
                 hint: Optional[str] = None) -> None:
        super().__init__(message)
        self.message, self.code, self.hint = message, code, hint
        self.file, self.line, self.column = file, line, column

    @property
    def exit_status(self) -> int:
        """With which the command would end."""
        return int(library().stow_code_exit(self.code))

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        text = f"{place}: {self.message}" if place else self.message
        return f"{text} ({self.hint})" if self.hint else text

    def __reduce__(self):  # so that it passes between processes with all that it says
        return _again, (type(self), self.message, self.code, self.file, self.line, self.column,
                        self.hint)


def _again(kind, message, code, file, line, column, hint):
    return kind(message, code=code, file=file, line=line, column=column, hint=hint)


class InvalidArgument(Error, ValueError):
    """An option that does not exist, or a value that it cannot have."""


class ParseError(Error, ValueError):
    """Malformed input."""


class NotFound(Error, LookupError):
    """What was asked for is not there."""


class DoesNotHold(Error):
    """A plan does not hold, or a limit is exceeded: the `problem` of an answer."""


class LimitReached(Error):
    """An input is larger than allowed."""


class OutOfMemory(Error, MemoryError):
    """Memory is exhausted."""


class InputOutputError(Error):
    """A file could not be read or written."""


class NotSettled(Error):
    """The time was not enough to settle it: the `problem` of an answer."""


KINDS: Dict[int, Type[Error]] = {
    -1: InvalidArgument, -2: ParseError, -3: NotFound, -4: DoesNotHold, -5: LimitReached,
    -6: OutOfMemory, -7: InputOutputError, -8: NotSettled,
}


def error_of(code: int, err: Err) -> Error:
    """The exception for a call that returned `code` and filled `err`."""
    message = text_of(err.msg) or text_of(library().stow_code_text(code))
    return KINDS.get(code, Error)(message, code=code, file=text_of(err.file) or None,
                                  line=err.line or None, column=err.col or None,
                                  hint=text_of(err.hint) or None)
