import io
import pathlib
import sys
import tarfile

FOLDER = pathlib.Path(sys.argv[1]) / "case"
FOLDER.mkdir()
for name, mode in (("bundle.tar.gz", "w:gz"), ("old.tgz", "w:gz"), ("plain.tar", "w")):
    with tarfile.open(FOLDER / name, mode) as tar:
        tar.addfile(tarfile.TarInfo("empty.yaml"), io.BytesIO(b""))
(FOLDER / "notes.gz").write_bytes(b"")
