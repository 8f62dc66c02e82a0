import io
import pathlib
import sys
import tarfile

with tarfile.open(pathlib.Path(sys.argv[1]) / "a.tar", "w") as tar:
    member = tarfile.TarInfo("pods/web.yaml")
    text = b"kind: Pod\nmetadata: {name: [}\n"
    member.size = len(text)
    tar.addfile(member, io.BytesIO(text))
