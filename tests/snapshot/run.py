#!/usr/bin/env python3
"""run.py STOWAGE [SCENARIO...] - an anonymised cluster is decided about like the original.

Every golden scenario that inspects, places or scales is played twice with -o json: on its own files,
and on what `stowage snapshot -f ... --anonymise` makes of them.  Names differ; everything else must
be the same, number for number and in the same order.  And no name may be left: words of the original
that are nobody's but the user's are looked for in the result.  So are names that are put into every
text of all objects that scenarios have.
"""
import difflib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE.parent / "golden"
sys.path.insert(0, str(HERE.parent))
from tap import Tap

import leaks

VERBS = ("inspect", "place", "scale", "consolidate")
# What names files and objects of its own, or is about something else than figures.
LEFT_OUT = ("nodeclaims", "nodepool", "--policy", "--how-many", "--explain", "--priorities", "--profile", "-n", "-l",
            "--namespace", "--selector", "--quota", "--balancing-label", "--balancing-ignore-label",
            "--compare", "scaling-advice", "--by")
# A Policy is about labels that are replaced, and is left out; a pod without its StatefulSet belongs to
# a Prometheus by a name that the operator makes.
BY_NAME = ("inspect-policy-keys", "inspect-workload-prometheus")
# Members whose values are texts made from names, or about the input.
TEXTS = {"warnings", "reason", "detail", "detailed", "why", "proof", "bound", "defaulted", "each",
         "rounds", "buys", "kept", "leftOut", "skipped", "order", "priceSource", "unpriced", "resource"}


def run(stowage, words, folder, text=b""):
    env = {k: v for k, v in os.environ.items() if k in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS")}
    return subprocess.run([stowage, *words], cwd=folder, input=text, capture_output=True,
                          env={**env, "HOME": "/nonexistent", "LC_ALL": "C.UTF-8", "TZ": "UTC"},
                          timeout=120)


def in_any_order(values):
    return sorted(values, key=json.dumps)


def figures(value):
    """The answer without names: texts become their kind, numbers and money stay.  Resources and
    groups are sorted by names that are replaced in part."""
    if isinstance(value, dict):
        made = {k: figures(v) for k, v in value.items() if k not in TEXTS}
        for key in ("groups", "nodes"):
            if isinstance(made.get(key), list):
                made[key] = in_any_order(made[key])
        for key in ("resources", "requests"):
            if isinstance(made.get(key), dict):
                made[key] = in_any_order(made[key].values())
        return made
    if isinstance(value, list):
        return [figures(v) for v in value]
    if isinstance(value, str):
        return value if re.fullmatch(r"-?[0-9.]+([a-zA-Z]{0,2})?", value) else "text"
    return value


def command_of(folder):
    """The last command of a scenario without its files and form; None: it is not for this test."""
    lines = [line for line in (folder / "args").read_text().splitlines()
             if line.strip() and not line.startswith("#")]
    words = shlex.split(lines[-1])
    status = folder / "expect.status"
    if "@TMP@" in lines[-1] or len(lines) != 1 or words[0] not in VERBS or status.exists() or (folder / "stdin").exists():
        return None
    if any(word.split("=")[0] in LEFT_OUT for word in words):
        return None
    files, rest, at = [], [], 0
    while at < len(words):
        if words[at] in ("-f", "--file", "--filename", "-o", "--output"):
            if words[at].startswith(("-f", "--file")):
                files += ["-f", words[at + 1]]
            at += 1
        elif not words[at].startswith("-f"):
            rest.append(words[at])
        at += 1
    return (files, rest) if files else None


def check(stowage, folder, files, rest, tmp):
    skip = [word for word in rest if word == "--skip-unreadable"]
    made = run(stowage, ["snapshot", *files, *skip, "--anonymise"], folder)
    assert made.returncode == 0, made.stderr.decode()
    path = tmp / "cluster.json"
    path.write_bytes(made.stdout)
    want = run(stowage, [*rest, *files, "-o", "json"], folder)
    got = run(stowage, [*rest, "-f", str(path), "-o", "json"], folder)
    assert want.returncode == got.returncode, got.stderr.decode()
    answers = [json.loads(one.stdout) for one in (want, got)]
    if any(one.get("ended") == "time-limit" for one in answers):
        return  # a search that ends by time may end elsewhere
    a, b = (json.dumps(figures(one), indent=0) for one in answers)
    assert a == b, "\n".join(difflib.unified_diff(a.split("\n"), b.split("\n"), "original",
                                                  "anonymised", n=8, lineterm=""))


def check_words(stowage, folder, tmp):
    """Nothing of the example's own names is left."""
    made = run(stowage, ["snapshot", "-f", str(folder), "--anonymise"], tmp).stdout.decode()
    own = set(re.findall(r"(?:name|namespace|nodeName|image|app): ([a-z][a-z0-9./:-]+)",
                         "\n".join(path.read_text() for path in folder.rglob("*.yaml"))))
    words = {word for text in own for word in re.split(r"[^a-z0-9]+", text) if len(word) > 3}
    words -= {"system", "node", "cluster", "critical", "kubernetes"}
    left = sorted(word for word in words if re.search(rf"[\"-/:]{word}[\"-/:]", made))
    allowed = {"batch", "image", "latest", "prometheus", "spot", "true", "zone"}  # others have them
    assert not set(left) - allowed, left


def check_every_text(stowage, tmp):
    """Names that stand in any field of any kind are replaced."""
    plain = run(stowage, ["snapshot", "-q", "-f", str(GOLDEN), "--skip-unreadable"], tmp)
    path = tmp / "filled.json"
    path.write_text(json.dumps({"kind": "List", "items": leaks.objects(json.loads(plain.stdout)["items"])}))
    made = run(stowage, ["snapshot", "-q", "-f", str(path), "--anonymise"], tmp)
    assert made.returncode == 0, made.stderr.decode()
    left = [line[max(0, at.start() - 60):at.end() + 20] for line in made.stdout.decode().split("\n")
            for at in re.finditer("leak", line, re.IGNORECASE)]
    assert not left, f"{len(left)} names are left:\n" + "\n".join(left[:20])


def main():
    stowage, wanted, tap = os.path.abspath(sys.argv[1]), sys.argv[2:], Tap()
    for folder in sorted(path.parent for path in GOLDEN.rglob("args")):
        command = command_of(folder)
        if command is None or folder.name in BY_NAME or (wanted and folder.name not in wanted):
            continue
        with tap.case(folder.name), tempfile.TemporaryDirectory(prefix="stowage-") as tmp:
            check(stowage, folder, *command, pathlib.Path(tmp))
    if not wanted:
        with tap.case("no name of the example is left"), \
                tempfile.TemporaryDirectory(prefix="stowage-") as tmp:
            check_words(stowage, HERE.parent.parent / "examples/shop", pathlib.Path(tmp))
        with tap.case("no name in any text of any kind is left"), \
                tempfile.TemporaryDirectory(prefix="stowage-") as tmp:
            check_every_text(stowage, pathlib.Path(tmp))
    tap.done()


if __name__ == "__main__":
    main()
