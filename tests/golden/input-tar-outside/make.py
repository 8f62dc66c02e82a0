import io
import pathlib
import sys
import tarfile

PATHS = ("../bundle/a.yaml", "in/../../b.yaml", "./c.yaml", "in/./d.yaml", "../bundle/.git/e.yaml",
         "..f.yaml", "../bundle/notes.txt")

with tarfile.open(pathlib.Path(sys.argv[1]) / "bundle.tar", "w") as tar:
    for path in PATHS:
        text = b'{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s"}}' % path[-6:-5].encode()
        member = tarfile.TarInfo(path)
        member.size = len(text)
        tar.addfile(member, io.BytesIO(text))
