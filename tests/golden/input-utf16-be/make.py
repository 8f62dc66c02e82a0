import codecs
import pathlib
import sys

# As PowerShell writes it, and the other way round.
TEXT = """apiVersion: v1\r
kind: Node\r
metadata: {name: n1, labels: {who: "\u00fcn\U0001f6a2"}}\r
status: {allocatable: {cpu: "4", memory: 16Gi, pods: "110"}}\r
---\r
apiVersion: v1\r
kind: Pod\r
metadata: {name: web}\r
spec: {nodeSelector: {who: "\u00fcn\U0001f6a2"}}\r
"""
(pathlib.Path(sys.argv[1]) / "cluster.yaml").write_bytes(codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"))
