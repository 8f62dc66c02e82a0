#!/usr/bin/env python3
"""preload.py STOWAGE SHIM COMMANDS - every allocation of the whole process fails once.

Libraries allocate too (libyaml, simdjson, libc, the C++ runtime).  For each command line the n-th
allocation fails, for n = 1, 2, ... until a run is not touched: the process must end with status 0
(nobody needed it) or 1 with a message, and never by a signal.  A long row is sampled.
"""
import concurrent.futures
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tap import Tap

STOWAGE, SHIM, COMMANDS = (os.path.abspath(p) for p in sys.argv[1:4])
EVERY, SAMPLES = 150, 150  # the first ones all, then so many of the rest
ENOUGH = 1 << 20


def run(words, at):
    """Status, messages, and whether the fault happened."""
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb") as report:
        env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LD_PRELOAD": SHIM,
               "STOWAGE_COLUMNS": "60",  # tables have to be fitted
               "STOW_FAULT_AT": str(at), "STOW_FAULT_FD": str(write_end)}
        done = subprocess.run([STOWAGE, *words], env=env, pass_fds=[write_end], timeout=60,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE)
        os.close(write_end)
        return done.returncode, done.stderr.decode(errors="replace"), report.read(1) == b"!"


def total(words):
    """How many allocations there are: double until none fails, then halve."""
    low, high = 0, 1
    while run(words, high)[2] and high < ENOUGH:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if run(words, middle)[2] else (low, middle)
    return low


def chosen(count):
    rest = range(EVERY + 1, count + 1)
    return [*range(1, min(EVERY, count) + 1), *rest[:: max(1, -(-len(rest) // SAMPLES))]]


def problem(words, at):
    status, messages, fired = run(words, at)
    if status not in (0, 1):
        return f"allocation {at} fails: status {status}\n{messages}"
    if fired and status == 1 and not messages:
        return f"allocation {at} fails: status 1 without a message"
    return None


def main():
    tap = Tap()
    lines = [line.strip() for line in pathlib.Path(COMMANDS).read_text().splitlines()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for line in lines:
            if not line or line.startswith("#"):
                continue
            with tap.case(line), tempfile.TemporaryDirectory() as tmp:
                words = [tmp if word == "@TMP@" else word for word in shlex.split(line)]
                status, messages, _ = run(words, 0)
                assert status == 0, f"without a fault: status {status}\n{messages}"
                found = list(filter(None, pool.map(lambda n: problem(words, n),
                                                   chosen(total(words)))))
                assert not found, "\n".join(found[:5])
    tap.done()


if __name__ == "__main__":
    main()
