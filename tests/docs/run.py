#!/usr/bin/env python3
"""run.py STOWAGE SANITIZE [--update] [PAGE...] - what the documentation shows is what happens.

Every Markdown page runs in an empty folder of its own that looks like a clone with a release build:
examples/, tests/ and build/release/ are there, and `stowage` is installed.  Fenced blocks count:

    ```console          `$ command` and below it what it prints, errors included; a line with three
                        dots stands for any lines.  Commands of a block share one shell; one that
                        ends in a backslash goes on in the next line
    ```yaml cluster.yaml   a file that the page's later blocks use (any language, any name)
    ```sh               for the reader's own machine: not run

Tables are fitted into a screen of 100 columns.  --update writes what commands print now into the
blocks that differ, except below commands with three dots; look at the difference before you keep it.

A page that shows a file which no command uses fails, and so does one that names a make target or
links to a file that is not there.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
import sanitized
from tap import Tap

STOWAGE, SANITIZE = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
UPDATE = "--update" in sys.argv
BUILD = STOWAGE.parent
FENCE = re.compile(r"^```(\w*)[ \t]*(\S*)\n(.*?)^```$", re.M | re.S)
MARK = "-- the next command --"

# `make run` builds, which a test must not; what it runs then is compared with the Makefile.
RUN = ["build/release/stowage inspect -f examples/shop",
       "build/release/stowage place -f examples/shop",
       "build/release/stowage place -f examples/shop --explain=image-resizer-crqz7f5mw-p9w29",
       "build/release/stowage scale -f examples/shop --compare",
       "build/release/stowage divide -f examples/fleet/story --explain",
       "build/release/stowage divide -f examples/fleet/story -o propagation-policy"]
STANDS_FOR = {"make run": "; echo; echo; ".join(f"echo {one}; {one}" for one in RUN)}

# What a page may call that a test machine does not have.
PROGRAMS = {
    "kubectl": "#!/bin/sh\ncase $2 in nodepools,*) exec cat examples/karpenter/cluster.yaml; esac\n"
               "cd examples/shop; cat nodes.yaml; echo ---; cat pods.yaml\n"
               "case $2 in *,services*) echo ---; cat pending.yaml; echo ---; cat rules.yaml; esac\n"
               "case $2 in *,daemonsets*) echo ---; cat daemonsets.yaml; esac\n",
    "python3": "#!/bin/sh\n{preload}exec {python} \"$@\"\n",
    "cc": "#!/bin/sh\nexec gcc -Wall -Wextra -Wpedantic -Wconversion -Werror {sanitize} \"$@\"\n",
}


class Block:
    def __init__(self, page, match):
        text = page.read_text()
        self.language, self.name, self.body = match.groups()
        self.line = text.count("\n", 0, match.start()) + 1
        self.title = f"{page.relative_to(ROOT)}:{self.line}"

    def steps(self):
        """Pairs of a command and what it should print."""
        steps, goes_on = [], False
        for line in self.body.splitlines():
            if goes_on:
                steps[-1][0] += "\n" + line
            elif line.startswith("$ "):
                steps.append([line[2:], []])
            else:
                assert steps, "output before the first command"
                steps[-1][1].append(line)
            goes_on = (goes_on or line.startswith("$ ")) and line.endswith("\\")
        return steps


def blocks_of(page):
    return [Block(page, match) for match in FENCE.finditer(page.read_text())]


# ---- running -----------------------------------------------------------------------------------

def install(folder):
    """The library where pkg-config finds it, and the environment that says so."""
    subprocess.run(["meson", "install", "-C", str(BUILD), "--no-rebuild", "--quiet", "--destdir",
                    str(folder)], check=True, capture_output=True, timeout=120)
    config = next(folder.rglob("stowage.pc"))
    library = next(folder.rglob("libstowage.so"))
    return {"PKG_CONFIG_PATH": str(config.parent), "PKG_CONFIG_SYSROOT_DIR": str(folder),
            "LD_LIBRARY_PATH": str(library.parent),
            "PYTHONPATH": str(next(folder.rglob("stowage/__init__.py")).parent.parent)}


def programs(folder, library):
    folder.mkdir()
    sanitize = "" if SANITIZE == "none" else f"-fsanitize={SANITIZE}"
    preload = "".join(f"export {k}={v}\n" for k, v in sanitized.environment(library).items())
    for name, text in PROGRAMS.items():
        for word, value in {"{sanitize}": sanitize, "{preload}": preload,
                            "{python}": sys.executable}.items():
            text = text.replace(word, value)
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    (folder / "stowage").symlink_to(STOWAGE)


def clone(folder):
    (folder / "build").mkdir(parents=True)
    (folder / "build/release").symlink_to(BUILD)
    for name in ("examples", "tests", "catalogue"):
        (folder / name).symlink_to(ROOT / name)


def environment(tmp, installed):
    kept = {k: v for k, v in os.environ.items() if k in ("ASAN_OPTIONS", "UBSAN_OPTIONS")}
    return {**kept, **installed, "HOME": str(tmp / "home"), "TZ": "UTC", "LC_ALL": "C.UTF-8",
            "STOWAGE_COLUMNS": "100",
            "PATH": f"{tmp / 'bin'}:{os.environ['PATH']}"}


def script_of(steps):
    """One shell for all commands; $? survives the marks between them."""
    lines = []
    for command, _ in steps:
        lines.append(f"status=$?; echo '{MARK}'; (exit $status)")
        lines.append(STANDS_FOR.get(command, command))
    return "\n".join(lines) + "\n"


def matches(want, got):
    """Whether the lines are the same, three dots standing for any."""
    if not want:
        return not got
    if want[0].strip() == "...":
        return any(matches(want[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and want[0].rstrip() == got[0].rstrip() and matches(want[1:], got[1:])


def has_dots(lines):
    return any(line.strip() == "..." for line in lines)


def update(page, block, said):
    """Writes what the commands of a block said into the page."""
    body = ""
    for (command, want), got in zip(block.steps(), said, strict=True):
        lines = want if has_dots(want) else [line.rstrip() for line in got.splitlines()]
        body += "".join(line + "\n" for line in ["$ " + command, *lines])
    page.write_text(page.read_text().replace(block.body, body))


def play(page, block, folder, env):
    steps = block.steps()
    done = subprocess.run(["sh", "-c", script_of(steps)], cwd=folder, env=env, timeout=120,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    said = done.stdout.decode(errors="replace").split(MARK + "\n")[1:]
    if UPDATE:
        update(page, block, said)
    for (command, want), got in zip(steps, said, strict=True):
        assert matches(want, got.splitlines()), \
            f"$ {command}\nexpected:\n" + "\n".join(want) + "\ngot:\n" + got.rstrip()


def write_file(block, folder):
    path = folder / block.name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(block.body)


def run_page(tap, page, env, tmp):
    folder = tmp / "pages" / str(page.relative_to(ROOT)).replace("/", "-")
    clone(folder)
    blocks = blocks_of(page)
    for number, block in enumerate(blocks):
        if block.name:
            with tap.case(f"{block.title} {block.name}"):
                write_file(block, folder)
                assert any(block.name in later.body for later in blocks[number + 1:]), \
                    "no later command uses it"
        elif block.language == "console":
            with tap.case(block.title):
                play(page, block, folder, env)


# ---- pages as a whole --------------------------------------------------------------------------

def check_targets(tap, pages):
    with tap.case("every make target that a page names exists, and `make run` does what they show"):
        makefile = (ROOT / "Makefile").read_text()
        targets = set(re.findall(r"^([a-z]+):", makefile, re.M))
        for page in pages:
            named = re.findall(r"(?:`|^|\$ )make ([a-z]+)", page.read_text(), re.M)
            unknown = set(named) - targets
            assert not unknown, f"{page.name}: make {' '.join(unknown)}"
        recipe = re.search(r"^run:.*\n((?:\t.*\n)+)", makefile, re.M).group(1)
        shown = re.findall(r"^\t(\$\(RELEASE\).*)", recipe, re.M)
        assert [one.replace("$(RELEASE)", "build/release") for one in shown] == RUN, recipe


def check_links(tap, pages):
    with tap.case("every link inside the project leads to a file"):
        for page in pages:
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text()):
                inside = not re.match(r"[a-z]+:", target)
                assert not inside or (page.parent / target).exists(), f"{page.name}: {target}"


def check_names(tap, pages):
    """`src/read/text/yaml.c` in a text is a promise, too."""
    with tap.case("every file of the tree that a page names exists"):
        for page in pages:
            text = FENCE.sub("", page.read_text())
            names = re.findall(r"`((?:src|cli|tests|tools|bench|include|catalogue|examples|docs)/"
                               r"[\w./-]*[\w/])`", text)
            for name in names:
                assert (ROOT / name).exists(), f"{page.name}: {name}"


def check_example(tap, tmp, example):
    with tap.case(f"examples/{example} is what examples/make_{example}.py writes"):
        folder = tmp / example
        folder.mkdir()
        subprocess.run([sys.executable, str(ROOT / f"examples/make_{example}.py"), str(folder)],
                       check=True, timeout=60, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        made = sorted(path.relative_to(folder) for path in folder.rglob("*.yaml"))
        kept = ROOT / "examples" / example
        assert made == sorted(path.relative_to(kept) for path in kept.rglob("*.yaml")), made
        for name in made:
            assert (folder / name).read_text() == (kept / name).read_text(), name


def check_reference(tap):
    with tap.case("the figures of inspections are those of tests/golden/inspect_reference.py"):
        done = subprocess.run([sys.executable, str(HERE.parent / "golden/inspect_reference.py"),
                               "--check"], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        assert done.returncode == 0, done.stdout + done.stderr


def main():
    pages = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("examples/*/*.md")])
    wanted, tap = [word for word in sys.argv[3:] if word != "--update"], Tap()
    with tempfile.TemporaryDirectory(prefix="stowage-docs-") as name:
        tmp = pathlib.Path(name)
        env = environment(tmp, install(tmp / "root"))
        programs(tmp / "bin", next((tmp / "root").rglob("libstowage.so")))
        (tmp / "home").mkdir()
        for page in pages:
            if not wanted or page.name in wanted:
                run_page(tap, page, env, tmp)
                shutil.rmtree(tmp / "home")
                (tmp / "home").mkdir()
        check_targets(tap, pages)
        check_links(tap, pages)
        check_names(tap, pages)
        for example in ("shop", "fleet", "karpenter"):
            check_example(tap, tmp, example)
    check_reference(tap)
    tap.done()


if __name__ == "__main__":
    main()
