#!/usr/bin/env python3
"""make_cluster.py OUT [--pods N] [--nodes N] [--workloads N] [--seed N]

Writes what `kubectl get pods,nodes -o json` would print for a large cluster, compact: keys sorted,
items before kind, about 2 kB per pod.  Several hundred workloads (Deployments, StatefulSets,
DaemonSets, Jobs) with probes, volumes, tolerations and affinity as people write them; 85 % of the
pods run, some wait, some are done.  The same arguments give the same bytes.

A pod of a workload differs from its brothers in a few texts only, so each workload is rendered
once, with holes, and every pod fills the holes.
"""
import argparse
import json
import random
import string

ZONES = ["us-east-1a", "us-east-1b", "us-east-1c"]
TYPES = [("m5.4xlarge", 16, 64), ("m5.8xlarge", 32, 128), ("c5.4xlarge", 16, 32),
         ("r5.4xlarge", 16, 128), ("m6i.4xlarge", 16, 64), ("g4dn.4xlarge", 16, 64)]
WORDS = ("cart checkout catalog search payment shipping email ads recommend currency session "
         "invoice ledger report ingest stream index crawl thumb video geo quota auth token audit "
         "feature flag metric trace alert build deploy cache queue relay sync export").split()
TEAMS = "shop data platform media identity billing growth mobile search infra".split()
STARTED = "2026-10-%02dT%02d:%02d:%02dZ"


def compact(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def template(value):
    """A %-format of the value in which @NAME@ became a hole."""
    parts = compact(value).replace("%", "%%").split("@")
    return "".join(part if i % 2 == 0 else f"%({part})s" for i, part in enumerate(parts))


def hexes(rng, count):
    return f"{rng.getrandbits(4 * count):0{count}x}"


def uid(rng):
    text = hexes(rng, 32)
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def suffix(ordinal):
    """Five letters that look random and never repeat."""
    number, text = ordinal * 7368787 % 36**5, ""
    for _ in range(5):
        number, digit = divmod(number, 36)
        text += (string.digits + string.ascii_lowercase)[digit]
    return text


def probe(path, port, delay):
    return {"failureThreshold": 3, "httpGet": {"path": path, "port": port, "scheme": "HTTP"},
            "initialDelaySeconds": delay, "periodSeconds": 10, "successThreshold": 1,
            "timeoutSeconds": 1}


def container(rng, name, team):
    image = f"registry.example.com/{team}/{name}:v{rng.randint(1, 9)}.{rng.randint(0, 40)}"
    port = rng.choice([8080, 9090, 3000, 8443])
    cpu, memory = rng.choice([50, 100, 250, 500, 1000]), rng.choice([64, 128, 256, 512, 1024, 2048])
    made = {
        "name": name, "image": image, "imagePullPolicy": "IfNotPresent",
        "env": [{"name": "PORT", "value": str(port)},
                {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}],
        "ports": [{"containerPort": port, "name": "http", "protocol": "TCP"}],
        "resources": {"limits": {"memory": f"{2 * memory}Mi"},
                      "requests": {"cpu": f"{cpu}m", "memory": f"{memory}Mi"}},
        "volumeMounts": [{"mountPath": "/var/run/secrets", "name": "token", "readOnly": True}]}
    if rng.random() < 0.2:
        made["readinessProbe"] = probe("/ready", port, 5)
    if rng.random() < 0.1:
        made["livenessProbe"] = probe("/live", port, 30)
    if rng.random() < 0.1:
        made["command"] = ["/bin/sh", "-c", f"exec /app/{name} --config \"/etc/{name}.yaml\""]
    return made


def affinity(rng, app):
    terms = {}
    if rng.random() < 0.6:
        terms["podAntiAffinity"] = {"preferredDuringSchedulingIgnoredDuringExecution": [
            {"podAffinityTerm": {"labelSelector": {"matchLabels": {"app": app}},
                                 "topologyKey": "kubernetes.io/hostname"}, "weight": 100}]}
    else:
        terms["nodeAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [
                {"key": "topology.kubernetes.io/zone", "operator": "In",
                 "values": rng.sample(ZONES, 2)}]}]}}
    return terms


def pod_spec(rng, app, team, kind, containers):
    spec = {
        "containers": containers, "dnsPolicy": "ClusterFirst",
        "priority": rng.choice([0, 0, 0, 1000]),
        "restartPolicy": "OnFailure" if kind == "Job" else "Always",
        "schedulerName": "default-scheduler",
        "serviceAccountName": app, "terminationGracePeriodSeconds": 30,
        "tolerations": [{"effect": "NoExecute", "key": f"node.kubernetes.io/{what}",
                         "operator": "Exists", "tolerationSeconds": 300}
                        for what in ("not-ready", "unreachable")],
        "volumes": [{"name": "token", "projected": {"defaultMode": 420, "sources": [
            {"serviceAccountToken": {"path": "token"}}]}}]}
    if kind == "DaemonSet":
        spec["tolerations"] = [{"operator": "Exists"}]
    elif rng.random() < 0.12:
        spec["affinity"] = affinity(rng, app)
    if rng.random() < 0.1:
        spec["nodeSelector"] = {"kubernetes.io/arch": "amd64", "team": team}
    if rng.random() < 0.08:
        spec["topologySpreadConstraints"] = [{
            "labelSelector": {"matchLabels": {"app": app}}, "maxSkew": 1,
            "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway"}]
    return spec


def condition(kind, status="True", **more):
    return {"lastTransitionTime": "@START@", "status": status, "type": kind, **more}


def running_status(containers, phase):
    ready = phase == "Running"
    state = {"running": {"startedAt": "@START@"}} if ready else {
        "terminated": {"exitCode": 0, "finishedAt": "@START@", "reason": "Completed"}}
    return {"conditions": [condition("Ready", str(ready)), condition("PodScheduled")],
            "containerStatuses": [
                {"containerID": f"containerd://@CID@{i:02d}", "image": c["image"],
                 "name": c["name"], "ready": ready, "restartCount": 0, "started": ready,
                 "state": state} for i, c in enumerate(containers)],
            "hostIP": "@HOST@", "phase": phase, "podIP": "@IP@",
            "qosClass": "Burstable", "startTime": "@START@"}


def waiting_status():
    return {"conditions": [condition("PodScheduled", "False", reason="Unschedulable",
                                     message="0/5000 nodes are available: 5000 Insufficient cpu.")],
            "phase": "Pending", "qosClass": "Burstable"}


class Workload:
    """One controller: pod templates by phase, and how its pods are named."""

    def __init__(self, rng, number, kind):
        team, word = rng.choice(TEAMS), WORDS[number % len(WORDS)]
        self.kind, self.app = kind, f"{word}-{number}"
        owner = {"Deployment": f"{self.app}-{hexes(rng, 9)}"}.get(kind, self.app)
        containers = [container(rng, word, team)]
        if rng.random() < 0.12:
            containers.append(container(rng, "proxy", "mesh"))
        self.prefix = owner
        metadata = {
            "annotations": {"prometheus.io/scrape": "true"},
            "creationTimestamp": "@START@", "generateName": owner + "-", "name": "@NAME@",
            "labels": {"app": self.app, "app.kubernetes.io/part-of": team, "team": team,
                       "pod-template-hash": hexes(rng, 9)},
            "namespace": f"{team}-{rng.choice(['prod', 'prod', 'staging'])}",
            "ownerReferences": [{"apiVersion": "apps/v1", "blockOwnerDeletion": True,
                                 "controller": True, "name": owner, "uid": uid(rng),
                                 "kind": "ReplicaSet" if kind == "Deployment" else kind}],
            "resourceVersion": "@VERSION@", "uid": "@UID@"}
        spec = pod_spec(rng, self.app, team, kind, containers)
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata}
        placed = {**spec, "nodeName": "@NODE@"}
        self.text = {"Running": template({**pod, "spec": placed,
                                          "status": running_status(containers, "Running")}),
                     "Succeeded": template({**pod, "spec": placed,
                                            "status": running_status(containers, "Succeeded")}),
                     "Pending": template({**pod, "spec": spec, "status": waiting_status()})}

    def name(self, ordinal):
        if self.kind == "StatefulSet":
            return f"{self.prefix}-{ordinal}"
        return f"{self.prefix}-{suffix(ordinal)}"

    def pod(self, rng, ordinal, node, phase):
        start = STARTED % (rng.randint(1, 30), rng.randint(0, 23), rng.randint(0, 59),
                           rng.randint(0, 59))
        number = rng.getrandbits(24)
        return self.text[phase] % {
            "NAME": self.name(ordinal), "NODE": node[0], "HOST": node[1], "START": start,
            "IP": f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}",
            "UID": uid(rng), "CID": hexes(rng, 62), "VERSION": str(rng.randint(10**8, 10**9))}


def node_condition(kind, status, reason):
    return {"lastHeartbeatTime": "2026-11-01T00:00:00Z", "reason": reason, "status": status,
            "lastTransitionTime": "2026-10-01T00:00:00Z", "type": kind,
            "message": f"kubelet reports {reason}"}


def node(rng, name, address):
    kind, cores, gib = rng.choices(TYPES, weights=[8, 4, 3, 3, 4, 1])[0]
    zone, gpu = rng.choice(ZONES), {"nvidia.com/gpu": "1"} if kind.startswith("g") else {}
    labels = {"beta.kubernetes.io/arch": "amd64", "kubernetes.io/arch": "amd64",
              "kubernetes.io/hostname": name, "kubernetes.io/os": "linux",
              "karpenter.sh/capacity-type": rng.choice(["on-demand", "on-demand", "spot"]),
              "karpenter.sh/nodepool": kind.replace(".", "-"), "team": rng.choice(TEAMS),
              "node.kubernetes.io/instance-type": kind,
              "topology.kubernetes.io/region": "us-east-1", "topology.kubernetes.io/zone": zone}
    common = {"ephemeral-storage": "104845292Ki", "hugepages-2Mi": "0", "pods": "110", **gpu}
    taints = {"taints": [{"effect": "NoSchedule", "key": "nvidia.com/gpu"}]} if gpu else {}
    return compact({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"annotations": {"node.alpha.kubernetes.io/ttl": "0"}, "labels": labels,
                     "creationTimestamp": "2026-10-01T00:00:00Z", "name": name, "uid": uid(rng),
                     "resourceVersion": str(rng.randint(10**8, 10**9))},
        "spec": {"providerID": f"aws:///{zone}/i-{hexes(rng, 17)}", **taints},
        "status": {
            "addresses": [{"address": address, "type": "InternalIP"},
                          {"address": name, "type": "Hostname"}],
            "allocatable": {"cpu": f"{cores * 1000 - 110}m", "memory": f"{gib * 1000000}Ki",
                            **common},
            "capacity": {"cpu": str(cores), "memory": f"{gib * 1024 * 1000}Ki", **common},
            "conditions": [node_condition("MemoryPressure", "False", "KubeletHasSufficientMemory"),
                           node_condition("DiskPressure", "False", "KubeletHasNoDiskPressure"),
                           node_condition("Ready", "True", "KubeletReady")],
            "images": [{"names": [f"registry.example.com/{rng.choice(TEAMS)}/{w}@sha256:"
                                  f"{hexes(rng, 64)}"], "sizeBytes": rng.randint(10**7, 10**9)}
                       for w in rng.sample(WORDS, 8)],
            "nodeInfo": {"architecture": "amd64", "kernelVersion": "6.1.0", "osImage": "Linux",
                         "kubeletVersion": "v1.36.3", "operatingSystem": "linux"}}})


def kinds(rng, count):
    """Most pods belong to Deployments; a handful of DaemonSets has a pod on every node."""
    for i in range(count):
        yield "DaemonSet" if i < 4 else rng.choices(["Deployment", "StatefulSet", "Job"],
                                                    weights=[80, 10, 10])[0]


def phase_of(rng, kind):
    if kind == "Job" and rng.random() < 0.5:
        return "Succeeded"
    return "Running" if rng.random() < 0.86 else "Pending"


def pods(rng, workloads, nodes, count):
    made = 0
    for daemon in (w for w in workloads if w.kind == "DaemonSet"):
        for place in nodes[: count - made]:
            yield daemon.pod(rng, made, place, "Running")
            made += 1
    others = [w for w in workloads if w.kind != "DaemonSet"]
    sizes = [rng.paretovariate(1.2) for _ in others]
    share = (count - made) / sum(sizes)
    wanted = [int(size * share) for size in sizes]
    wanted[0] += count - made - sum(wanted)
    for workload, replicas in zip(others, wanted):
        for ordinal in range(replicas):
            yield workload.pod(rng, ordinal, nodes[made % len(nodes)], phase_of(rng, workload.kind))
            made += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--pods", type=int, default=150_000)
    parser.add_argument("--nodes", type=int, default=5_000)
    parser.add_argument("--workloads", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    rng = random.Random(options.seed)
    addresses = [f"10.{200 + (i >> 16)}.{i >> 8 & 255}.{i & 255}" for i in range(options.nodes)]
    nodes = [("ip-" + a.replace(".", "-") + ".ec2.internal", a) for a in addresses]
    workloads = [Workload(rng, i, kind) for i, kind in enumerate(kinds(rng, options.workloads))]
    with open(options.out, "w", encoding="utf-8", buffering=1 << 20) as out:
        out.write('{"apiVersion":"v1","items":[')
        before = ""
        for text in pods(rng, workloads, nodes, options.pods):
            out.write(before + text)
            before = ","
        for name, address in nodes:
            out.write(before + node(rng, name, address))
            before = ","
        out.write('],"kind":"List","metadata":{"resourceVersion":""}}\n')


if __name__ == "__main__":
    main()
