#!/usr/bin/env python3
"""run.py STOWAGE LIBRARY SANITIZE - the Python package answers what the command answers.

The package of the tree is imported with LIBRARY.  A library with sanitizers needs their runtime in
the process first, so this program starts itself again with it.
"""
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.dont_write_bytecode = True
import sanitized

STOWAGE, LIBRARY = (str(pathlib.Path(path).absolute()) for path in sys.argv[1:3])
SANITIZED = sys.argv[3] != "none"


def start_again():
    """With the surroundings that the package needs, once."""
    if "STOWAGE_PYTHON_TEST" in os.environ:
        return
    needed = sanitized.environment(LIBRARY)
    if SANITIZED and not needed:
        print("1..1\nok 1 - the package # SKIP the sanitizers of this compiler are not in a library")
        sys.exit(0)
    env = {**os.environ, **needed, "STOWAGE_PYTHON_TEST": "1", "STOWAGE_LIBRARY": LIBRARY,
           "STOWAGE_BOOK": "none"}
    os.execve(sys.executable, [sys.executable, *sys.argv], env)


def main():
    start_again()
    sys.path.insert(0, str(HERE.parent.parent / "bindings" / "python"))
    os.chdir(HERE.parent.parent)
    import check_answers
    import check_declarations
    import check_inputs
    import check_packaging
    import check_search
    from tap import Tap

    tap = Tap()
    check_declarations.check(tap, LIBRARY)
    check_answers.check(tap, STOWAGE)
    check_inputs.check(tap, STOWAGE)
    check_search.check(tap)
    check_packaging.check(tap, LIBRARY, SANITIZED)
    tap.done()


if __name__ == "__main__":
    main()
