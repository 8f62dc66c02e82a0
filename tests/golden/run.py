#!/usr/bin/env python3
"""run.py STOWAGE [--update] [SCENARIO...] - every folder beside this file is a scenario.

    args            what is typed behind `stowage`; several lines run one after another in the same
                    surroundings, all but the last must answer 0, the last one is compared;
                    each finds the answer of the one before on its standard input
    make.py         writes inputs that are too large to keep into its argument, @TMP@
    stdin           given to the last command
    columns         of the terminal that the answer and messages are shown on;
                    absent: pipes, so no limit
    expect.json     the answer as JSON (compared as data, order of keys included)
    expect.txt      the answer as text, to the byte
    expect.stderr   what is said beside it; absent: nothing (or, on failure, something)
    expect.status   exit status; absent: 0
    anything else   inputs; commands run inside the folder

@TMP@ in these files stands for an empty folder that is gone afterwards; HOME is one, too.
--update writes what the command says now into the files that are there (and the status); look at
the difference before you keep it.
"""
import difflib
import fcntl
import json
import os
import pathlib
import pty
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from tap import Tap


class Answer:
    def __init__(self, done, tmp):
        self.status = done.returncode
        self.out = done.stdout.decode(errors="replace").replace(tmp, "@TMP@")
        self.err = done.stderr.decode(errors="replace").replace(tmp, "@TMP@")


def surroundings(tmp):
    """Nothing of the user's machine may change an answer."""
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS")}
    return {**kept, "HOME": tmp, "LC_ALL": "C.UTF-8", "TZ": "UTC",
            "COLUMNS": "40"}  # of the user's terminal; nothing of a pipe


def read_all(end, into):
    try:
        while text := os.read(end, 65536):
            into.append(text)
    except OSError:  # nobody has the other end open any more
        pass
    os.close(end)


def on_terminal(words, folder, env, width):
    """What two terminals of this width show, one for answers and one for messages."""
    ends, shown = [pty.openpty() for _ in range(2)], ([], [])
    for end, _ in ends:
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    env = {name: value for name, value in env.items() if name != "COLUMNS"}
    process = subprocess.Popen(words, cwd=folder, env=env, stdin=subprocess.DEVNULL,
                               stdout=ends[0][1], stderr=ends[1][1])
    readers = [threading.Thread(target=read_all, args=(end, into))
               for (end, _), into in zip(ends, shown)]
    for (_, other), reader in zip(ends, readers):
        os.close(other)
        reader.start()
    status = process.wait(timeout=60)
    for reader in readers:
        reader.join()
    out, err = (b"".join(texts).replace(b"\r\n", b"\n") for texts in shown)
    return subprocess.CompletedProcess(words, status, out, err)


def play(stowage, folder, tmp):
    lines = [line for line in (folder / "args").read_text().splitlines()
             if line.strip() and not line.startswith("#")]
    if (folder / "make.py").exists():
        subprocess.run([sys.executable, folder / "make.py", tmp], check=True, timeout=60)
    stdin, columns, env = folder / "stdin", folder / "columns", surroundings(tmp)
    text = b""
    for number, line in enumerate(lines, 1):
        last = number == len(lines)
        text = stdin.read_bytes() if last and stdin.exists() else text
        words = shlex.split(line.replace("@TMP@", tmp))
        if columns.exists():
            done = on_terminal([stowage, *words], folder, env, int(columns.read_text()))
        else:
            done = subprocess.run([stowage, *words], cwd=folder, input=text, capture_output=True,
                                  env=env, timeout=60)
        if last:
            return Answer(done, tmp)
        assert done.returncode == 0, f"line {number}: status {done.returncode}\n" + \
            done.stderr.decode(errors="replace")
        text = done.stdout
    raise AssertionError("args has no command")


def difference(want, got):
    lines = difflib.unified_diff(want.splitlines(), got.splitlines(), "expected", "got", "", "", 3,
                                 "")
    return "\n".join(lines)


def pretty(text):
    try:
        return json.dumps(json.loads(text), indent=1)
    except ValueError as bad:
        return f"{text}\n(not JSON: {bad})"


def check_status(folder, answer):
    path = folder / "expect.status"
    want = int(path.read_text()) if path.exists() else 0
    assert answer.status == want, f"status {answer.status}, expected {want}\n{answer.err}"


def check_output(folder, answer):
    if (folder / "expect.json").exists():
        want, got = pretty((folder / "expect.json").read_text()), pretty(answer.out)
        assert want == got, difference(want, got)
    if (folder / "expect.txt").exists():
        want = (folder / "expect.txt").read_text()
        assert want == answer.out, difference(want, answer.out) or "ends of lines differ"


def check_messages(folder, answer):
    path = folder / "expect.stderr"
    if path.exists():
        want = path.read_text()
        assert want == answer.err, difference(want, answer.err)
    elif answer.status == 0:
        assert not answer.err, f"unexpected on stderr:\n{answer.err}"
    else:
        assert answer.err, "failed without a message"


def update(folder, answer):
    if (folder / "reference.json").exists():
        return  # its answer is worked out by inspect_reference.py
    if (folder / "expect.json").exists():
        (folder / "expect.json").write_text(pretty(answer.out) + "\n")
    if (folder / "expect.txt").exists():
        (folder / "expect.txt").write_text(answer.out)
    if answer.err:
        (folder / "expect.stderr").write_text(answer.err)
    elif (folder / "expect.stderr").exists():
        (folder / "expect.stderr").unlink()
    if answer.status:
        (folder / "expect.status").write_text(f"{answer.status}\n")
    elif (folder / "expect.status").exists():
        (folder / "expect.status").unlink()


def scenarios(names):
    every = sorted(p.parent.relative_to(HERE).as_posix() for p in HERE.rglob("args"))
    return [name for name in every if not names or name in names]


def main():
    words = [w for w in sys.argv[2:] if w != "--update"]
    stowage, tap = os.path.abspath(sys.argv[1]), Tap()
    for name in scenarios(words):
        folder = HERE / name
        with tap.case(name), tempfile.TemporaryDirectory(prefix="stowage-") as tmp:
            answer = play(stowage, folder, tmp)
            if "--update" in sys.argv:
                update(folder, answer)
            check_status(folder, answer)
            check_output(folder, answer)
            check_messages(folder, answer)
    tap.done()


if __name__ == "__main__":
    main()
