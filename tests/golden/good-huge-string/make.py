"""A string of 1 GiB that nobody asked for."""
import pathlib
import sys

with pathlib.Path(sys.argv[1], "pod.json").open("wb") as out:
    out.write(b'{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "annotations": {"x": "')
    for _ in range(1024):
        out.write(b"a" * (1 << 20))
    out.write(b'"}}, "spec": {"containers": [{"name": "c"}]}}\n')
