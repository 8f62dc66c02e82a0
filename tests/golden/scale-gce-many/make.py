#!/usr/bin/env python3
"""Thirty nodes that take no pods: the preferred node of such a cluster has 8 cores."""
import json
import pathlib
import sys

NODES = [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"n{i:02}"},
          "spec": {"unschedulable": True},
          "status": {"allocatable": {"cpu": "1", "memory": "1Gi", "pods": "10"}}}
         for i in range(30)]
pathlib.Path(sys.argv[1], "nodes.json").write_text(json.dumps({"kind": "List", "items": NODES}))
