#!/usr/bin/env python3
"""run.py STOWAGE ASK LIBRARY - the public API answers what the command answers, byte for byte.

ASK (ask.c) loads a snapshot and asks about it; STOWAGE reads the same files.  The names that the
library exports are those of exported.txt.
"""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
from tap import Tap

STOWAGE, ASK, LIBRARY = (str(pathlib.Path(path).absolute()) for path in sys.argv[1:4])
SHOP, FLEET = "examples/shop", "examples/fleet/company"
AT = "at=2026-11-01T00:00:00Z"
PATIENT = "time-limit=10m"  # a search that ends by its time limit may answer differently each time
QUESTIONS = [
    ("inspect", [SHOP], [AT]),
    ("inspect", [SHOP], [AT, "by=owner", "namespace=shop"]),
    ("place", [SHOP], [AT]),
    ("place", [SHOP], [AT, "explain"]),
    ("place", [SHOP], [AT, "compare"]),
    ("place", [SHOP], [AT, "profile=cheapest"]),
    ("scale", [SHOP], [AT, "threads=1", PATIENT]),
    ("scale", [SHOP], [AT, "strategy=greedy:price", "explain"]),
    ("consolidate", [SHOP], [AT, PATIENT]),
    ("divide", [FLEET], [AT, "joint", "fresh"]),
    ("divide", [FLEET], [AT, "explain"]),
]
FORMS = ["table", "wide", "json", "yaml", "csv", "markdown", "html"]


def run(*command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=300,
                          env={"STOWAGE_BOOK": "none", "PATH": "/usr/bin:/bin"})
    return done.returncode, done.stdout, done.stderr.decode()


def options(settings):
    return ["--" + s for s in settings]


def check_answers(tap):
    for verb, files, settings in QUESTIONS:
        words = [w for f in files for w in ("-f", f)]
        for form in FORMS:
            with tap.case(f"{verb} {' '.join(settings)} as {form}"):
                want = run(STOWAGE, verb, *words, "-o", form, *options(settings))
                got = run(ASK, verb, form, *files, "--", *settings)
                assert got[0] == want[0], f"status {got[0]}, not {want[0]}: {got[2]}"
                assert got[1] == want[1], "the answers differ"


def check_errors(tap):
    for verb, settings, says in [("scale", ["budgt=1"], "scale has no option 'budgt'"),
                                 ("scale", ["budget=x"], "--budget takes an amount"),
                                 ("scale", ["explain=yes"], "--explain takes no argument"),
                                 ("scale", ["budget=1", "budget=2"], "is given twice"),
                                 ("verify", [], "verify needs the setting 'plan'"),
                                 ("price", [], "is a family of questions"),
                                 ("guess", [], "there is no question 'guess'")]:
        with tap.case(f"{verb} {' '.join(settings)} is refused"):
            status, _, said = run(ASK, verb, "table", SHOP, "--", *settings)
            assert status == 2 and says in said, said
    with tap.case("a form that a verb does not have is refused"):
        status, _, said = run(ASK, "inspect", "nodeclaims", SHOP)
        assert status == 2 and "the form takes table, wide" in said, said


def check_exports(tap):
    with tap.case("the library exports the names of exported.txt"):
        table = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True,
                               text=True, check=True).stdout
        names = {line.split()[-1].split("@")[0] for line in table.splitlines()}
        got = sorted(n for n in names if n.startswith("stow_"))
        want = (HERE / "exported.txt").read_text(encoding="utf-8").split()
        assert got == want, f"new: {sorted(set(got) - set(want))}, gone: {sorted(set(want) - set(got))}"


def main():
    tap = Tap()
    check_answers(tap)
    check_errors(tap)
    check_exports(tap)
    tap.done()


if __name__ == "__main__":
    main()
