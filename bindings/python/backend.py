"""Builds the wheel: pip install bindings/python (PEP 517), without a network.

A wheel carries the library where there is one: the file that STOWAGE_LIBRARY names, else the
release of this tree.  Without one it holds Python alone, and finds the library of the system.
"""
import base64
import hashlib
import io
import os
import pathlib
import re
import sysconfig
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE / "stowage"
NAME = "libstowage.so.0"
MOMENT = (1980, 1, 1, 0, 0, 0)  # the same tree gives the same wheel


def version():
    return re.search(r'^__version__ = "(.+)"$', (PACKAGE / "__init__.py").read_text(), re.M)[1]


def sources():
    return sorted([*PACKAGE.glob("*.py"), PACKAGE / "py.typed"])


def library():
    """The file to carry, or None."""
    given = os.environ.get("STOWAGE_LIBRARY")
    path = pathlib.Path(given) if given else HERE.parents[1] / "build" / "release" / "src" / NAME
    if given and not path.exists():
        raise FileNotFoundError(f"STOWAGE_LIBRARY is {given}, which does not exist")
    return path if path.exists() else None


def tag():
    if not library():
        return "py3-none-any"
    return "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def metadata():
    return (f"Metadata-Version: 2.1\nName: stowage\nVersion: {version()}\n"
            "Summary: Decides where Kubernetes workloads run and which capacity to buy\n"
            "Requires-Python: >=3.8\n")


def contents():
    """Every file of the wheel but its RECORD: its name in it, and its bytes."""
    info = f"stowage-{version()}.dist-info"
    for path in sources():
        yield f"stowage/{path.name}", path.read_bytes()
    if library():
        yield f"stowage/{NAME}", library().read_bytes()
    yield f"{info}/METADATA", metadata().encode()
    yield f"{info}/WHEEL", (f"Wheel-Version: 1.0\nGenerator: stowage\nRoot-Is-Purelib: "
                            f"{'false' if library() else 'true'}\nTag: {tag()}\n").encode()


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Hook of PEP 517: the name of the wheel."""
    name = f"stowage-{version()}-{tag()}.whl"
    record = f"stowage-{version()}.dist-info/RECORD"
    lines = ""
    with zipfile.ZipFile(pathlib.Path(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for file, data in contents():
            wheel.writestr(zipfile.ZipInfo(file, MOMENT), data, zipfile.ZIP_DEFLATED)
            lines += record_line(file, data)
        wheel.writestr(zipfile.ZipInfo(record, MOMENT), lines + f"{record},,\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    """Hook of PEP 517: the name of the archive of sources, which has no library."""
    root = f"stowage-{version()}"
    files = [(path.relative_to(HERE).as_posix(), path.read_bytes())
             for path in [HERE / "pyproject.toml", HERE / "backend.py", *sources()]]
    with tarfile.open(pathlib.Path(sdist_directory, root + ".tar.gz"), "w:gz") as archive:
        for name, data in [*files, ("PKG-INFO", metadata().encode())]:
            entry = tarfile.TarInfo(f"{root}/{name}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return root + ".tar.gz"
