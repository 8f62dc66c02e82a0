"""The package as it is installed: a wheel of the tree, an archive of its sources, pip."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "bindings" / "python"
SCALE = ("import stowage, sys; assert stowage.__file__.startswith(sys.argv[1]), stowage.__file__; "
         "print(stowage.load('examples/shop').scale().cost)")


def backend():
    spec = importlib.util.spec_from_file_location("backend", FOLDER / "backend.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def scale_from(folder, **more):
    """The cost of the shop's plan, with the package in `folder` and the library that it finds."""
    env = {k: v for k, v in os.environ.items() if k != "STOWAGE_LIBRARY"}
    done = subprocess.run([sys.executable, "-c", SCALE, str(folder)], capture_output=True, text=True,
                          env={**env, "PYTHONPATH": str(folder), **more}, timeout=120, cwd=ROOT)
    return done.stdout + done.stderr


def check_wheel(tap):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with tap.case("a wheel is built without a network, and the same twice"):
            wheel = backend().build_wheel(folder)
            first = (folder / wheel).read_bytes()
            assert backend().build_wheel(folder) == wheel
            assert (folder / wheel).read_bytes() == first
        with tap.case("its package finds the library that it carries"):
            with zipfile.ZipFile(folder / wheel) as archive:
                names = archive.namelist()
                archive.extractall(folder / "site")
            assert {"stowage/py.typed", "stowage/libstowage.so.0"} <= set(names), names
            assert scale_from(folder / "site") == "1.455200000\n", scale_from(folder / "site")
        with tap.case("its RECORD names every file"):
            record = next((folder / "site").glob("*.dist-info/RECORD")).read_text()
            assert sorted(line.split(",")[0] for line in record.splitlines()) == sorted(names)


def check_sources(tap):
    with tap.case("an archive of the sources builds the same package"):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, backend().build_sdist(folder))
            with tarfile.open(path) as archive:
                names = {pathlib.PurePath(name).name for name in archive.getnames()}
        assert {"pyproject.toml", "backend.py", "PKG-INFO", "_answer.py", "py.typed"} <= names


def check_pip(tap):
    name = "pip installs the folder without a network"
    if importlib.util.find_spec("pip") is None:
        tap.skip(name, "pip is not installed")
        return
    with tap.case(name):
        with tempfile.TemporaryDirectory() as folder:
            env = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
            done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-index",
                                   "--no-deps", "--disable-pip-version-check", "--target", folder,
                                   str(FOLDER)], capture_output=True, text=True, env=env,
                                  timeout=300)
            assert done.returncode == 0, done.stdout + done.stderr
            assert scale_from(folder) == "1.455200000\n", scale_from(folder)


def check(tap, _library, _sanitized):
    check_wheel(tap)
    check_sources(tap)
    check_pip(tap)
