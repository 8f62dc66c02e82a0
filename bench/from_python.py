#!/usr/bin/env python3
"""from_python.py --build DIR --out DIR - the Python package against the command: 5,000 pods, read and planned for.

Processor time of load, scale and the JSON of the answer inside the interpreter, against that of the whole command; best of
several, in turn.  The strategy is one that ends by itself, so that both do the same work.  Starting the interpreter and
importing the package is a figure of its own.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

import pool

HERE = pathlib.Path(__file__).resolve().parent
RUNS, STRATEGY, MOST_PERCENT = 9, "greedy:price", 10
SHAPES = [(4, 16), (8, 16), (8, 64), (16, 64), (32, 128), (48, 96)]  # cores, GiB
ASK = """
import sys, time
import stowage
imported = time.process_time()
text = stowage.load(sys.argv[1]).scale(strategy=sys.argv[2]).to_json()
print(time.process_time() - imported, imported)
with open(sys.argv[3], "w") as file:
    file.write(text)
"""


def groups():
    for number, (cores, memory) in enumerate(SHAPES):
        room = {"cpu": str(cores), "memory": f"{memory}Gi", "pods": "110"}
        yield {"apiVersion": "stowage.dev/v1alpha1", "kind": "NodeGroup", "metadata": {"name": f"g{number}"},
               "spec": {"maxNodes": 5000, "pricePerHour": f"{cores * 0.031 + memory * 0.004:.4f}",
                        "template": {"status": {"capacity": room, "allocatable": room}}}}


def of_command(build, path, out):
    """Seconds of processor time of the command, which writes its answer."""
    with open(out, "wb") as file:
        process = subprocess.Popen([build / "stowage", "scale", "-f", path, "--strategy", STRATEGY, "--book", "none", "-q",
                                    "-o", "json"], stdout=file)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"exit {process.returncode}"
    return used.ru_utime + used.ru_stime


def of_python(build, path, out):
    """Seconds inside the calls, and before them."""
    env = {**os.environ, "PYTHONPATH": str(HERE.parent / "bindings" / "python"),
           "STOWAGE_LIBRARY": str(build / "src" / "libstowage.so.0")}
    done = subprocess.run([sys.executable, "-c", ASK, path, STRATEGY, out], check=True, capture_output=True, text=True, env=env)
    return tuple(map(float, done.stdout.split()))


def figures(build, out):
    """Rows for people, and the same as data."""
    path = pool.write(out / "python.json", [*groups(), *pool.pods()])
    by_command, by_python = out / "python-command.json", out / "python-python.json"
    command, python, start = [], [], []
    for _ in range(RUNS):
        command.append(of_command(build, path, by_command))
        inside, before = of_python(build, path, by_python)
        python.append(inside)
        start.append(before)
    assert by_command.read_bytes() == by_python.read_bytes(), "the answers differ"
    more = (min(python) / min(command) - 1) * 100
    rows = [(f"scale {pool.PODS:,} pods, command", min(command) * 1e3, "ms", None, None),
            ("  Python takes more", more, "%", "<=", MOST_PERCENT),
            ("  interpreter and import", min(start) * 1e3, "ms", None, None)]
    return rows, {"commandSeconds": min(command), "pythonSeconds": min(python), "startSeconds": min(start)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    rows, facts = figures(options.build.resolve(), options.out)
    for what, value, unit, sign, goal in rows:
        print(f"{what:<32} {value:>12.3f} {unit:<6} {f'{sign} {goal}' if sign else ''}".rstrip())
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
