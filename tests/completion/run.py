#!/usr/bin/env python3
"""run.py STOWAGE [SHELL...] - words are typed into a shell on a terminal, and completed.

A key shows the line as the shell has it then.  `make test` tries bash; zsh and fish are tried when
they are named: run.py build/release/stowage bash zsh fish
"""
import os
import pathlib
import pty
import re
import select
import shutil
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tap import Tap

SHOW = "\x18\x04"  # ^X^D
TIME = 20  # seconds until a shell that says nothing has failed

START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"],
             "bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; "
             "bind -x '\"\\C-x\\C-d\": echo \"LINE<$READLINE_LINE>\"'; source <(stowage completion bash)"),
    "zsh": (["zsh", "-f", "-i"],
            "unsetopt zle_bracketed_paste prompt_sp 2>/dev/null; autoload -U compinit; compinit -u -D; "
            "show() { print -r -- \"LINE<$BUFFER>\" }; zle -N show; bindkey '^X^D' show; "
            "source <(stowage completion zsh)"),
    "fish": (["fish", "--no-config", "-i"],
             "function show; echo \"LINE<\"(commandline)\">\"; end; bind \\cx\\cd show; "
             "stowage completion fish | source"),
}

# What is typed, with a tab behind it, and the line then.
LINES = (
    ("stowage con", "stowage consolidate "),
    ("stowage scale --strategy gre", "stowage scale --strategy greedy:"),
    ("stowage scale --strategy greedy:pri", "stowage scale --strategy greedy:pri"),
    ("stowage scale --strategy greedy:most", "stowage scale --strategy greedy:most-pods "),
    ("stowage scale --strategy=gre", "stowage scale --strategy=greedy:"),
    ("stowage scale --strategy=greedy:r", "stowage scale --strategy=greedy:random "),
    ("stowage scale --strategy=o", "stowage scale --strategy=optimal "),
    ("stowage place --compare=ul", "stowage place --compare=ultron "),
    ("stowage place --compare=ultron,ch", "stowage place --compare=ultron,cheapest "),
    ("stowage place --compare ultron,gpu", "stowage place --compare ultron,gpu-cluster "),
    ("stowage place --profile g", "stowage place --profile gpu-cluster "),
    ("stowage place --color=al", "stowage place --color=always "),
    ("stowage inspect --by lab", "stowage inspect --by label="),
    ("stowage inspect --by=lab", "stowage inspect --by=label="),
    ("stowage price im", "stowage price import "),
    ("stowage place -f mani", "stowage place -f manifests/"),
    ("stowage place -f=mani", "stowage place -f=manifests/"),
    ("stowage place --file=manifests/on", "stowage place --file=manifests/one:two.yaml "),
    ("stowage place --fil", "stowage place --file"),
)
# bash quotes a colon in a path; zsh adds a comma that a blank takes away; zsh and fish offer the
# value of an option that needs none only where it is attached to it.
OTHERWISE = {
    "bash": {"stowage place --file=manifests/on": "stowage place --file=manifests/one\\:two.yaml "},
    "zsh": {"stowage place -f=mani": "stowage place -f=mani",
            "stowage place --compare=ul": "stowage place --compare=ultron,",
            "stowage place --compare=ultron,ch": "stowage place --compare=ultron,cheapest,",
            "stowage place --compare ultron,gpu": "stowage place --compare ultron,gpu"},
    "fish": {"stowage place --compare ultron,gpu": "stowage place --compare ultron,gpu"},
}


class Shell:
    def __init__(self, name, folder):
        words, self.first = START[name]
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.environ.update(PATH=f"{folder}/bin:{os.environ['PATH']}", TERM="dumb", PS1="$ ", HOME=folder,
                              INPUTRC="/dev/null", LC_ALL="C.UTF-8", COLUMNS="300")
            os.execvp(words[0], words)
        self.read(0.5)
        self.type(self.first + "; echo READY''OK\n")
        self.until(r"READYOK[^$>#]*[$>#] ")

    def type(self, text):
        os.write(self.fd, text.encode())

    def read(self, seconds):
        ready, _, _ = select.select([self.fd], [], [], seconds)
        return os.read(self.fd, 1 << 16).decode(errors="replace") if ready else ""

    def until(self, pattern):
        text, end = "", time.monotonic() + TIME
        while time.monotonic() < end:
            text += self.read(0.2)
            found = re.search(pattern, text)
            if found:
                return found
        raise AssertionError(f"nothing like {pattern} in {text!r}")

    def complete(self, text):
        self.type(text + "\t")
        self.read(0.05)
        self.type(SHOW)
        line = self.until(r"LINE<([^>\n]*)>").group(1)
        self.type("\x15")  # ^U
        return line

    def close(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def check(tap, name, folder):
    shell = Shell(name, folder)
    for typed, want in LINES:
        want = OTHERWISE.get(name, {}).get(typed, want)
        with tap.case(f"{name}: {typed}"):
            got = shell.complete(typed)
            assert got == want, f"{got!r}, expected {want!r}"
    shell.close()


def main():
    stowage, shells, tap = os.path.abspath(sys.argv[1]), sys.argv[2:] or ["bash"], Tap()
    with tempfile.TemporaryDirectory(prefix="stowage-") as folder:
        (pathlib.Path(folder) / "bin").mkdir()
        (pathlib.Path(folder) / "bin/stowage").symlink_to(stowage)
        (pathlib.Path(folder) / "manifests").mkdir()
        (pathlib.Path(folder) / "manifests/one:two.yaml").touch()
        for name in shells:
            if shutil.which(name):
                check(tap, name, folder)
            else:
                print(f"# {name} is not installed: not tried")
    tap.done()


if __name__ == "__main__":
    main()
