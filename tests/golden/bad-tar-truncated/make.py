import io
import pathlib
import sys
import tarfile

path = pathlib.Path(sys.argv[1]) / "cut.tar"
with tarfile.open(path, "w") as tar:
    member = tarfile.TarInfo("pods.json")
    member.size = 5000
    tar.addfile(member, io.BytesIO(b" " * 5000))
path.write_bytes(path.read_bytes()[:3000])
