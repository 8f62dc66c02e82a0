import gzip
import pathlib
import sys

to = pathlib.Path(sys.argv[1])

# Two members, and a name that does not tell.
node = b'{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"},\n'
rest = b' "status": {"allocatable": {"cpu": "4", "memory": "16Gi", "pods": "110"}}}\n'
pod = b'{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}}\n'
(to / "cluster.data").write_bytes(gzip.compress(node) + gzip.compress(rest + pod))
