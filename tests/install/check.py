#!/usr/bin/env python3
"""check.py BUILD LIBRARY HEADERS SANITIZE OPTIMIZATION - what a program that links libstowage relies on.

Every public header compiles alone, in C and in C++; the library exports stow_ names only; what
`meson install` puts down is found by pkg-config, compiles, links and runs.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import sanitized
from tap import Tap

BUILD, LIBRARY, HEADERS, SANITIZE, OPTIMIZATION = sys.argv[1:6]
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]
COMPILERS = [("gcc", ["-x", "c", "-std=c11", "-Wstrict-prototypes"]),
             ("g++", ["-x", "c++", "-std=c++11"]),
             ("clang", ["-x", "c", "-std=c17", "-Wstrict-prototypes"]),
             ("clang++", ["-x", "c++", "-std=c++17"])]
INSTRUMENTATION = re.compile(r"^(__odr_asan|__asan|__ubsan|__tsan|_init$|_fini$|__bss_start$|"
                             r"_edata$|_end$)")
CONSUMER = """\
#include <stdio.h>
#include <stowage/error.h>
int main(void) { return puts(stow_code_text(STOW_ENOMEM)) < 0; }
"""


def run(*command, **more):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=120,
                          **more)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


def check_headers(tap):
    for header in sorted(pathlib.Path(HEADERS).glob("stowage/*.h")):
        text = f"#include <stowage/{header.name}>\n" * 2 + "extern int something;\n"
        for compiler, flags in COMPILERS:
            name = f"stowage/{header.name} compiles alone with {compiler}"
            if not shutil.which(compiler):
                tap.skip(name, "not installed")
                continue
            with tap.case(name):
                run(compiler, *flags, *STRICT, f"-I{HEADERS}", "-fsyntax-only", "-", input=text)


def check_exports(tap):
    with tap.case("the library exports stow_ names and nothing else"):
        table = run("nm", "-D", "--defined-only", LIBRARY)
        names = [line.split()[-1].split("@")[0] for line in table.splitlines()]  # stow_fail@@STOWAGE_0
        others = [n for n in names if not n.startswith("stow_") and not INSTRUMENTATION.match(n)
                  and not re.fullmatch(r"STOWAGE_\d+", n)]
        assert not others, "also exported: " + " ".join(others)
        assert "stow_fail" in names, "stow_fail is not exported"


# What belongs to a program: its environment, its messages, its end, C++'s handler without memory.
OF_A_PROGRAM = re.compile(r"^(secure_getenv|getenv|setenv|putenv|environ|exit|_exit|quick_exit|"
                          r"printf|puts|putchar|perror|signal|sigaction|setlocale|atexit|stdout|"
                          r"stderr|stdin|_ZSt15set_new_handlerPFvvE)(@|$)")


def check_imports(tap):
    with tap.case("the library leaves the settings of the process alone"):
        table = run("nm", "-D", "--undefined-only", LIBRARY)
        names = [line.split()[-1] for line in table.splitlines()]
        wrong = [n for n in names if OF_A_PROGRAM.match(n)]
        assert not wrong, "used by the library: " + " ".join(wrong)


def check_hardening(tap, root):
    """Of release builds: full RELRO, a position independent program, stack protector, FORTIFY."""
    for path in (next(pathlib.Path(root).rglob("bin/stowage")), pathlib.Path(LIBRARY)):
        name = f"{path.name} is hardened"
        if OPTIMIZATION in ("0", "g") or SANITIZE != "none":
            tap.skip(name, "not a release build")
            continue
        with tap.case(name):
            elf = run("readelf", "-W", "-h", "-l", "-d", path)
            symbols = run("nm", "-D", "--undefined-only", path)
            assert "Type:                              DYN" in elf, "not position independent"
            assert "GNU_RELRO" in elf, "no RELRO"
            assert re.search(r"BIND_NOW|FLAGS_1.*NOW", elf), "RELRO is not full"
            assert "__stack_chk_fail" in symbols, "no stack protector"
            assert re.search(r"__(mem|s|v|f)\w+_chk", symbols), "no FORTIFY"


def check_files(tap, root):
    names = {p.name for p in pathlib.Path(root).rglob("*")}
    with tap.case("the command, its man page and completion code are installed"):
        wanted = {"stowage", "stowage.1", "_stowage", "stowage.fish", "error.h"}
        assert wanted <= names, f"missing: {wanted - names}"
    with tap.case("programs of the build itself are not installed"):
        assert "conformance" not in names


def check_consumer(tap, root):
    with tap.case("an installed library is found by pkg-config, compiles, links and runs"):
        config = next(pathlib.Path(root).rglob("stowage.pc"))
        library = next(pathlib.Path(root).rglob("libstowage.so"))
        env = {**os.environ, "PKG_CONFIG_PATH": str(config.parent),
               "PKG_CONFIG_SYSROOT_DIR": root, "LD_LIBRARY_PATH": str(library.parent)}
        flags = run("pkg-config", "--cflags", "--libs", "stowage", env=env).split()
        source, program = pathlib.Path(root, "consumer.c"), pathlib.Path(root, "consumer")
        source.write_text(CONSUMER)
        sanitize = [] if SANITIZE == "none" else [f"-fsanitize={SANITIZE}"]
        run("gcc", *sanitize, source, "-o", program, *flags)
        assert run(program, env=env) == "out of memory\n"


def check_python(tap, root):
    with tap.case("the installed Python package has all its files, and finds the library beside it"):
        package = next(pathlib.Path(root).rglob("stowage/__init__.py")).parent
        kept = pathlib.Path(__file__).resolve().parents[2] / "bindings" / "python" / "stowage"
        assert {p.name for p in package.glob("*.*")} == {p.name for p in kept.glob("*.*")}
        env = {**os.environ, **sanitized.environment(LIBRARY), "PYTHONPATH": str(package.parent),
               "PYTHONDONTWRITEBYTECODE": "1"}
        assert run(sys.executable, "-c", "import stowage; print(stowage.library_version())",
                   env=env) == "0.1.0\n"


def main():
    tap = Tap()
    check_headers(tap)
    check_exports(tap)
    check_imports(tap)
    with tempfile.TemporaryDirectory() as root:
        run("meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", root)
        check_hardening(tap, root)
        check_files(tap, root)
        check_consumer(tap, root)
        check_python(tap, root)
    tap.done()


if __name__ == "__main__":
    main()
