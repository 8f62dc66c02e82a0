"""Asking, so that it can be interrupted and watched.

A call into C does not notice Ctrl-C: Python runs handlers of signals between its own instructions
only.  So a question runs on a thread of its own, and the asker waits.  An interrupt asks the
search to end, which it does within milliseconds, and is raised then.
"""
from __future__ import annotations

import ctypes
import dataclasses
import queue
import threading
import time
import weakref
from decimal import Decimal
from typing import Any, Mapping, Optional

from ._answer import Answer
from ._error import OutOfMemory, error_of
from ._library import PROGRESS, Err, Question, library, sized
from ._rows import amount_of
from ._settings import Settings, checked


class Stop:
    """A wish to end early, from any thread."""

    def __init__(self) -> None:
        self.handle = library().stow_stop_new()
        if not self.handle:
            raise OutOfMemory("out of memory", code=-6)
        weakref.finalize(self, library().stow_stop_free, self.handle)

    def request(self) -> None:
        """The search ends with the best that it has found."""
        library().stow_stop_request(self.handle)


@dataclasses.dataclass(frozen=True)
class Update:
    """How far a search has come."""

    seconds: float
    """Since it began."""
    cost: Optional[Decimal]
    """Of the best plan so far; None: there is none yet, or its cost is not known."""
    bound: Optional[Decimal]
    """No plan can cost less; None: not known yet."""
    gap: Optional[float]
    """How far the cost may be above the cheapest: 0.01 is 1 %."""


def update_of(now: Any) -> Update:
    """From what the library tells, which has no gap."""
    cost, bound = amount_of(now.cost), amount_of(now.bound)
    gap = float(cost / bound - 1) if cost is not None and bound else None
    return Update(now.seconds, cost, bound, gap)


class Run:
    """One question on its thread.  It keeps alive what the library looks at meanwhile."""

    def __init__(self, verb: str, options: Mapping[str, Any], snapshot: Any = None,
                 prices: Any = None) -> None:
        self.verb, self.stop = verb, Stop()
        self.name, self.settings = checked(verb), Settings(options)
        self.snapshot, self.prices = snapshot, prices
        self.answer: Optional[Answer] = None
        self.failure: Optional[BaseException] = None
        self.updates: "queue.SimpleQueue[Optional[Update]]" = queue.SimpleQueue()
        self.started = time.monotonic()
        self.progress = PROGRESS()
        self.thread = threading.Thread(target=self._work, name=f"stowage {verb}", daemon=True)

    def _question(self) -> Question:
        question = sized(Question)
        question.snapshot = self.snapshot.handle if self.snapshot else None
        question.prices = self.prices.handle if self.prices else None
        question.setting, question.settings = self.settings.array, self.settings.count
        question.stop, question.progress = self.stop.handle, self.progress
        return question

    def watch(self) -> None:
        """Has better plans and bounds told.  The function does not hold the run, which holds it."""
        put = self.updates.put
        self.progress = PROGRESS(lambda _ctx, now: put(update_of(now.contents)))

    def _ask(self) -> Answer:
        answer, err = ctypes.c_void_p(), Err()
        code = library().stow_ask(self.name, self._question(), answer, err)
        if code < 0 or answer.value is None:
            raise error_of(code, err)
        return Answer(answer.value, self.verb)

    def _work(self) -> None:
        try:
            self.answer = self._ask()
            known = self.answer.figures
            self.updates.put(Update(time.monotonic() - self.started, known.cost, known.bound,
                                    known.gap))
        except BaseException as problem:  # pylint: disable=broad-except  # raised by result()
            self.failure = problem
        self.updates.put(None)

    def result(self) -> Answer:
        """The answer, once it is there."""
        self.thread.join()
        if self.failure is not None:
            raise self.failure
        assert self.answer is not None
        return self.answer


def ask_and_wait(run: Run) -> Answer:
    """The answer; an interrupt, or whatever a handler of signals raises, ends the search first."""
    run.thread.start()
    try:
        return run.result()
    except BaseException:
        finish(run.stop, run.thread)
        raise


class Search:
    """A question that is being answered: `for update in search`, then `search.answer`.

    The last update is the answer's.  Leaving the loop does not end the search; `stop()` does, and
    so does the end of a `with` block or of the object.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        run.watch()
        run.thread.start()
        weakref.finalize(self, finish, run.stop, run.thread)

    def __iter__(self) -> "Search":
        return self

    def __next__(self) -> Update:
        update = self._run.updates.get()
        if update is not None:
            return update
        self._run.updates.put(None)  # for whoever asks again
        self._run.result()
        raise StopIteration

    def stop(self) -> None:
        """The search ends with the best that it has found; any thread may ask for it."""
        self._run.stop.request()

    @property
    def done(self) -> bool:
        """Whether the answer is there."""
        return not self._run.thread.is_alive()

    @property
    def answer(self) -> Answer:
        """The answer, once it is there; what went wrong is raised."""
        try:
            return self._run.result()
        except KeyboardInterrupt:
            self.stop()
            raise

    def __enter__(self) -> "Search":
        return self

    def __exit__(self, *_: object) -> None:
        finish(self._run.stop, self._run.thread)


def finish(stop: Stop, thread: threading.Thread) -> None:
    """Ends a search that nobody waits for any more.  Python does not end while it runs."""
    stop.request()
    if thread is not threading.current_thread():
        thread.join()
