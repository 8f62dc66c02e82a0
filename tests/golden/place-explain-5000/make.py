"""Writes 5,000 nodes into the folder named."""
import json
import pathlib
import sys


def node(i):
    made = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"n-{i:04}"}, "spec": {},
            "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}
    if i % 5 == 0:
        made["spec"]["taints"] = [{"key": "team", "value": str(i % 3), "effect": "NoSchedule"}]
    elif i % 5 == 1:
        made["spec"]["unschedulable"] = True
    elif i % 5 == 2:
        made["status"]["allocatable"]["cpu"] = "500m"
    return made


def pod(name, node_name, phase):
    made = {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"containers": [{"name": "c", "resources": {
                "requests": {"cpu": "1", "memory": "2Gi"}}}]},
            "status": {"phase": phase}}
    if node_name:
        made["spec"]["nodeName"] = node_name
    return made


items = [node(i) for i in range(5000)]
items += [pod("old-0", "n-1234", "Running"), pod("web-0", None, "Pending")]
text = json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
(pathlib.Path(sys.argv[1]) / "cluster.json").write_text(text)
