import gzip
import os
import sys

folder = sys.argv[1] + "/folder"
os.mkdir(folder)
with gzip.open(folder + "/node.yaml.gz", "wt") as out:
    out.write("""apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", memory: 16Gi, pods: "110"}}
""")
with gzip.open(folder + "/pods.json", "wt") as out:  # compressed, whatever its name
    out.write('{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}}')
with gzip.open(folder + "/kubelet.gz", "wt") as out:
    out.write("a log")
