"""puzzle.py - a cluster whose cheapest plan takes long to prove: for tests that stop a search."""


def puzzle(verb):
    """Pods and groups that take longer than a test does to be packed best: pending pods for scale,
    running ones for consolidate."""
    state, items = 7, []

    def draw(most):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return state // 2**33 % most

    def pod(name, node, cpu, memory):
        owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "u",
                 "controller": True}
        spec = {"containers": [{"name": "c", "resources": {"requests": {
            "cpu": f"{cpu}m", "memory": f"{memory}Mi"}}}]}
        return {"apiVersion": "v1", "kind": "Pod",
                "metadata": {"name": name, "ownerReferences": [owner]},
                "spec": {**spec, **({"nodeName": node} if node else {})},
                "status": {"phase": "Running" if node else "Pending"}}

    for g in range(12):
        cores, memory = 4 + draw(60), 8 + draw(240)
        room = {"cpu": str(cores), "memory": f"{memory}Gi", "pods": "110"}
        items.append({"apiVersion": "stowage.dev/v1alpha1", "kind": "NodeGroup",
                      "metadata": {"name": f"g{g}"},
                      "spec": {"maxNodes": 500, "pricePerHour":
                               f"{(cores * 31 + memory * 4 + draw(60)) / 1000:.4f}",
                               "template": {"status": {"capacity": room, "allocatable": room}}}})
        for n in range(8 if verb == "consolidate" else 0):
            items.append({"apiVersion": "v1", "kind": "Node", "metadata": {
                "name": f"g{g}-{n}", "labels": {"stowage.dev/node-group": f"g{g}"}},
                "status": {"capacity": room, "allocatable": room,
                           "conditions": [{"type": "Ready", "status": "True"}]}})
            for p in range(3):
                items.append(pod(f"r{g}-{n}-{p}", f"g{g}-{n}", 30 + draw(cores * 200),
                                 50 + draw(memory * 200)))
    for p in range(400 if verb == "scale" else 0):
        items.append(pod(f"p{p}", None, 7000 + draw(20000), 9000 + draw(60000)))
    return {"apiVersion": "v1", "kind": "List", "items": items}
