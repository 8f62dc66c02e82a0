#!/usr/bin/env python3
"""make_running.py OUT NAME... - running clusters after a scale-down, for `stowage consolidate`.

Each NAME becomes the folder OUT/NAME/cluster: nodes.json, pods.json and groups.json with one NodeGroup per
type of machine, at the sizes and prices of machines.csv.  `--list` prints the names.

Pods of 30 classes are drawn and put on the first node with room, else on a new one of a type drawn from ten;
until there are so many nodes.  Then two pods of five go.  The same name gives the same bytes.
"""
import json
import pathlib
import random
import sys

import make_optimal

NAMES = {"groups-50": 50, "groups-200": 200, "groups-1000": 1000}
ESTATE = ("m5.xlarge", "m5.2xlarge", "m5.4xlarge", "m6i.xlarge", "m6i.2xlarge", "c5.2xlarge", "c6i.4xlarge", "r5.xlarge",
          "r6i.2xlarge", "m6a.2xlarge")
GONE = 0.4


def draw_pods(draw):
    while True:
        yield draw.choice((100, 250, 500, 1000, 1500)), draw.choice((100, 256, 512, 1024, 2048, 4096))


def fill(count, types, draw):
    """Nodes as [machine, free cpu, free memory, free pods, pods]."""
    nodes, first = [], 0
    for cpu, memory in draw_pods(draw):
        while first < len(nodes) and (nodes[first][1] < 100 or not nodes[first][3]):
            first += 1
        node = next((n for n in nodes[first:] if n[1] >= cpu and n[2] >= memory and n[3]), None)
        if node is None and len(nodes) == count:
            return nodes
        if node is None:
            machine = draw.choice(types)
            node = [machine, machine["cpu"], machine["memory"], machine["pods"], []]
            nodes.append(node)
        node[1], node[2], node[3] = node[1] - cpu, node[2] - memory, node[3] - 1
        node[4].append((cpu, memory))


def group_object(machine):
    made = make_optimal.group(machine)
    del made["spec"]["currentNodes"]  # as many as there are
    return made


def node_object(number, machine):
    made = group_object(machine)
    template = made["spec"]["template"]
    name = f"node-{number:04d}"
    labels = {**template.get("metadata", {}).get("labels", {}), "kubernetes.io/hostname": name,
              "stowage.dev/node-group": made["metadata"]["name"]}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
            "status": {**template["status"], "conditions": [{"type": "Ready", "status": "True"}]}}


def pod_object(number, node, cpu, memory):
    owner = f"c{cpu}-m{memory}"
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": f"{owner}-{number:05d}", "namespace": "default", "ownerReferences": [
                {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": owner, "controller": True}]},
            "spec": {"nodeName": f"node-{node:04d}", "containers": [{"name": "main", "resources": {
                "requests": {"cpu": f"{cpu}m", "memory": f"{memory}Mi"}}}]},
            "status": {"phase": "Running"}}


def write_cluster(folder, count):
    types = make_optimal.plain()
    nodes = fill(count, [machine for machine in types if machine["name"] in ESTATE], random.Random(1))
    pods = [(number, pod) for number, node in enumerate(nodes) for pod in node[4]]
    gone = set(random.Random(2).sample(range(len(pods)), round(GONE * len(pods))))
    folder.mkdir(parents=True, exist_ok=True)
    make_optimal.write_list(folder / "groups.json", [group_object(machine) for machine in types])
    make_optimal.write_list(folder / "nodes.json", [node_object(i, node[0]) for i, node in enumerate(nodes)])
    make_optimal.write_list(folder / "pods.json", [pod_object(i, node, *pod) for i, (node, pod) in enumerate(pods)
                                                   if i not in gone])


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(NAMES))
        return
    for name in sys.argv[2:]:
        write_cluster(pathlib.Path(sys.argv[1]) / name / "cluster", NAMES[name])


if __name__ == "__main__":
    main()
