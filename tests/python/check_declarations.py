"""What the package declares of the library is what the headers say; what it offers is described."""
import inspect
import os
import pathlib
import subprocess
import sys
import tempfile

import stowage
from stowage import _answer, _cluster, _error, _library

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NUMBERS = {
    "STOW_UNKNOWN": _library.UNKNOWN,
    "STOW_ROWS_PODS": _answer.PODS, "STOW_ROWS_NODES": _answer.NODES,
    "STOW_ROWS_STEPS": _answer.STEPS, "STOW_ROWS_REPLICAS": _answer.REPLICAS,
    "STOW_ROWS_FINDINGS": _answer.FINDINGS,
    "STOW_NODES": _cluster.NODES, "STOW_PODS": _cluster.PODS,
    "STOW_PODS_RUNNING": _cluster.RUNNING, "STOW_PODS_PENDING": _cluster.PENDING,
    "STOW_GROUPS": _cluster.GROUPS, "STOW_RESOURCES": _cluster.RESOURCES,
    "STOW_WARNINGS": _cluster.WARNINGS, "STOW_ENOMEM": _answer.NO_MEMORY,
    "STOW_EINVAL": -1, "STOW_EPARSE": -2, "STOW_ENOTFOUND": -3, "STOW_EWRONG": -4,
    "STOW_ELIMIT": -5, "STOW_EIO": -7, "STOW_ETIME": -8,
}


def environment():
    """For programs that are not Python: without the runtime of sanitizers."""
    return {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}


def compiled():
    """Sizes, offsets and numbers, as the C compiler has them."""
    lines = []
    for struct, kind in _library.STRUCTS.items():
        lines.append(f'printf("{struct} %zu\\n", sizeof(struct {struct}));')
        for field, *_ in kind._fields_:
            lines.append(f'printf("{struct}.{field} %zu %zu\\n", offsetof(struct {struct}, {field}),'
                         f' sizeof(((struct {struct} *)0)->{field}));')
    lines += [f'printf("{name} %lld\\n", (long long){name});' for name in NUMBERS]
    text = "#include <stdio.h>\n#include <stowage/stowage.h>\nint main(void) {\n" + \
        "\n".join(lines) + "\n}\n"
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "sizes.c"), pathlib.Path(folder, "sizes")
        source.write_text(text)
        subprocess.run(["cc", f"-I{ROOT}/include", str(source), "-o", str(program)], check=True,
                       env=environment(), timeout=60)
        return subprocess.run([str(program)], check=True, capture_output=True, text=True,
                              env=environment(), timeout=60).stdout.splitlines()


def declared():
    """The same, as the package has them."""
    import ctypes
    for struct, kind in _library.STRUCTS.items():
        yield f"{struct} {ctypes.sizeof(kind)}"
        for field, *_ in kind._fields_:
            at = getattr(kind, field)
            yield f"{struct}.{field} {at.offset} {at.size}"
    for name, number in NUMBERS.items():
        yield f"{name} {number}"


def has_grown(want, got):
    """A structure that tells its size may have more fields than the package knows."""
    name = want.split()[0]
    sized = name in _library.STRUCTS and _library.STRUCTS[name]._fields_[0][0] == "size"
    return sized and name == got.split()[0] and int(want.split()[1]) > int(got.split()[1])


def check_descriptions(tap):
    with tap.case("every public name is described, and every function typed"):
        for name in stowage.__all__:
            thing = getattr(stowage, name)
            members = [thing] if inspect.isclass(thing) or inspect.isfunction(thing) else []
            if inspect.isclass(thing):
                members += [m for n, m in vars(thing).items() if not n.startswith("_")
                            and (inspect.isfunction(m) or isinstance(m, property))]
            for member in members:
                assert inspect.getdoc(member), f"{name}: {member} has no docstring"
                function = member.fget if isinstance(member, property) else member
                if inspect.isfunction(function):
                    hints = function.__annotations__
                    asked = set(inspect.signature(function).parameters) - {"self"}
                    assert asked | {"return"} <= set(hints), f"{name}: {function} is not typed"


def check_verbs(tap):
    with tap.case("every question of the library has a function"):
        for verb in stowage.verbs():
            name = verb.replace(" ", "_")
            assert hasattr(stowage.Cluster, name) or hasattr(stowage, name), verb
    with tap.case("the options of a question are listed, those of its family too"):
        scale = stowage.options("scale")
        assert scale["max_nodes_total"].argument == "N", scale["max_nodes_total"]
        assert "json" in scale["output"].choices
        assert scale["explain"].argument is None
        assert {"type", "region", "window"} <= set(stowage.options("price get"))
        assert "kubectl" not in stowage.options("snapshot")


def check_library(tap):
    with tap.case("a library that is not there is reported at the first use"):
        text = ("import stowage\ntry:\n    stowage.load('x')\n"
                "except stowage.LibraryNotFound as problem:\n    print(problem)\n")
        env = {**os.environ, "STOWAGE_LIBRARY": "/nonexistent/libstowage.so.0",
               "PYTHONPATH": str(ROOT / "bindings" / "python")}
        said = subprocess.run([sys.executable, "-c", text], env=env, capture_output=True, text=True,
                              timeout=60).stdout
        assert "STOWAGE_LIBRARY" in said and "/nonexistent/" in said, said
    with tap.case("the package and the library have one version"):
        assert stowage.__version__ == stowage.library_version()


def check(tap, _path):
    with tap.case("structures and numbers are those of the headers"):
        for want, got in zip(compiled(), declared(), strict=True):
            assert want == got or has_grown(want, got), f"C has {want}, Python {got}"
    with tap.case("every function that is declared is exported"):
        names = set((ROOT / "tests/api/exported.txt").read_text().split())
        assert set(_library.FUNCTIONS) <= names, set(_library.FUNCTIONS) - names
    with tap.case("every code has an exception with the command's exit status"):
        assert sorted(_error.KINDS) == list(range(-8, 0))
        assert [_error.KINDS[code]("x", code=code).exit_status for code in (-1, -2, -4, -8)] == \
            [2, 3, 1, 4]
    check_descriptions(tap)
    check_verbs(tap)
    check_library(tap)
