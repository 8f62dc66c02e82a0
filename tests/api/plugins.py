#!/usr/bin/env python3
"""plugins.py STOWAGE PLUGIN... - the command loads what --plugin names, and nothing else."""
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
from tap import Tap

STOWAGE, *PATHS = (str(pathlib.Path(path).absolute()) for path in sys.argv[1:])
PLUGIN = {pathlib.Path(path).stem.removeprefix("plugin-"): path for path in PATHS}
HEAD = "apiVersion: stowage.dev/v1alpha1\nkind: Policy\nmetadata: {name: own}\nspec:\n" \
       "  profile: kube-default\n"
BOTH = HEAD + "  filters: [{name: building, label: tier}]\n  scorers: [{name: few-pods}]\n"
SCORER = HEAD + "  scorers: [{name: few-pods}]\n"
WILD = HEAD + "  scorers: [{name: wild}]\n"


def run(policy, *words, verb="place"):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "policy.yaml")
        file.write_text(policy, encoding="utf-8")
        done = subprocess.run([STOWAGE, verb, "-f", "examples/shop", "--policy", str(file),
                               "--at", "2026-11-01T00:00:00Z", *words],
                              cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
                              env={"STOWAGE_BOOK": "none", "PATH": "/usr/bin:/bin"})
    return done.returncode, done.stdout, done.stderr


def check_use(tap):
    with tap.case("rules of a plugin decide and are explained"):
        status, out, said = run(BOTH, "--plugin", PLUGIN["building"], "--explain", "-o", "json")
        assert status == 0, said
        first = json.loads(out)["explanations"][0]
        assert "few-pods" in json.dumps(first), first
    with tap.case("several plugins can be given"):
        status, _, said = run(SCORER, "--plugin", PLUGIN["wild"], "--plugin", PLUGIN["building"])
        assert status == 0, said
    with tap.case("without --plugin its rules are not known"):
        status, _, said = run(SCORER)
        assert status == 3 and "there is no scorer 'few-pods'" in said, said
    with tap.case("scale reads a Policy with a scorer of a plugin"):
        status, _, said = run(SCORER, "--plugin", PLUGIN["building"], "--strategy", "greedy:price",
                              verb="scale")
        assert status == 0, said
    for verb in ("scale", "consolidate"):
        with tap.case(f"{verb} refuses a filter of a plugin"):
            status, _, said = run(BOTH, "--plugin", PLUGIN["building"], verb=verb)
            assert status == 2 and "the filter building, which is not built in" in said, said


def check_errors(tap):
    for title, files, status, says in [
            ("a file that is not there", ["nothing.so"], 1, "cannot read the plugin nothing.so"),
            ("a file that is no library", ["README.md"], 1, "cannot load the plugin README.md"),
            ("another ABI", [PLUGIN["old"]], 2, "is of plugin ABI 0; this version of stowage has"),
            ("a missing function", [PLUGIN["silent"]], 2, "it does not define stowage_plugin_open"),
            ("a name that is taken", [PLUGIN["building"]] * 2, 2,
             "there is a filter building already")]:
        with tap.case(f"{title} is an error"):
            got, out, said = run(SCORER, *(word for f in files for word in ("--plugin", f)))
            assert got == status and says in said and not out, (got, said)
    with tap.case("a library that is no plugin is an error"):
        library = next(line.split()[2] for line in subprocess.run(
            ["ldd", STOWAGE], capture_output=True, text=True, check=True).stdout.splitlines()
            if "libz" in line)
        got, _, said = run(SCORER, "--plugin", library)
        assert got == 2 and "it does not define stowage_plugin_abi" in said, said
    with tap.case("points that no scorer may give are an error that names it"):
        got, out, said = run(WILD, "--plugin", PLUGIN["wild"])
        assert got == 1 and "scorer wild gives node" in said and not out, said


def main():
    tap = Tap()
    check_use(tap)
    check_errors(tap)
    tap.done()


if __name__ == "__main__":
    main()
