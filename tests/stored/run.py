#!/usr/bin/env python3
"""run.py STOWAGE [--seed N] [--rounds N] - random manifests and admission objects: what `stowage inspect`
says of requests, priorities, what was filled in and what would be refused must be what reference.py says."""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import reference
from tap import Tap

CASES = 25  # inputs per round
AMOUNTS = {"cpu": ["100m", "250m", "1", "1500m", "2"],
           "memory": ["64Mi", "128M", "1Gi", "1536Mi", "2G"],
           "hugepages-2Mi": ["2Mi", "64Mi"], "nvidia.com/gpu": ["1", "2"],
           "ephemeral-storage": ["1Gi", "5G"]}


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def maybe(self, chance=0.5):
        return self.random.random() < chance

    def some(self, names, chance=0.5):
        return {name: self.random.choice(AMOUNTS[name]) for name in names if self.maybe(chance)}

    def resources(self, names=tuple(AMOUNTS)):
        made = {}
        for field in ("requests", "limits"):
            if self.maybe(0.6):
                made[field] = self.some(names, 0.4)
        return made

    def container(self, name, init):
        made = {"name": name}
        if self.maybe(0.8):
            made["resources"] = self.resources()
        if init and self.maybe(0.4):
            made["restartPolicy"] = "Always"
        if self.maybe(0.3):
            made["ports"] = [{"containerPort": self.random.randint(1, 9000)} for _ in range(2)]
            if self.maybe():
                made["ports"][0]["hostPort"] = 80
        return made

    def toleration(self):
        made = {}
        if self.maybe(0.8):
            made["key"] = self.random.choice([reference.NOT_READY, reference.UNREACHABLE, "team"])
        if self.maybe(0.7):
            made["effect"] = self.random.choice(["NoExecute", "NoSchedule"])
        if "key" not in made or self.maybe():
            made["operator"] = "Exists"
        else:
            made["value"] = self.random.choice(["a", "b"])
        return made

    def spec(self):
        made = {"containers": [self.container(f"c{i}", False)
                               for i in range(self.random.randint(1, 3))]}
        if self.maybe(0.4):
            made["initContainers"] = [self.container(f"i{i}", True)
                                      for i in range(self.random.randint(1, 3))]
        if self.maybe(0.3):
            made["resources"] = self.resources(("cpu", "memory", "hugepages-2Mi"))
        if self.maybe(0.3):
            made["hostNetwork"] = True
        if self.maybe(0.4):
            made["tolerations"] = [self.toleration() for _ in range(self.random.randint(1, 3))]
        if self.maybe(0.5):
            made["runtimeClassName"] = self.random.choice(["kata", "gvisor", "gone"])
        if self.maybe(0.2):
            made["overhead"] = self.some(("cpu", "memory"))
        if self.maybe(0.4):
            made["nodeSelector"] = {key: self.random.choice("ab") for key in ("disk", "runtime")
                                    if self.maybe()}
        if self.maybe(0.4):
            made["priorityClassName"] = self.random.choice(
                ["high", "low", "gone", "system-node-critical"])
        if self.maybe(0.1):
            made["preemptionPolicy"] = "Never"
        if self.maybe(0.2):
            made["priority"] = self.random.randint(-5, 5)
        return made

    def limit_range(self, name):
        def item():
            kind = self.random.choice(["Container", "Container", "Pod", "PersistentVolumeClaim"])
            fields = ["min", "max"] + (["default", "defaultRequest"] if kind == "Container" else [])
            made = {"type": kind}
            for field in fields:
                if self.maybe(0.4):
                    made[field] = self.some(("cpu", "memory", "nvidia.com/gpu"), 0.4)
            if self.maybe(0.2):
                made["maxLimitRequestRatio"] = {"cpu": self.random.choice(["1", "1500m", "4"])}
            return made
        return {"apiVersion": "v1", "kind": "LimitRange",
                "metadata": {"name": name, "namespace": self.random.choice(["a", "b"])},
                "spec": {"limits": [item() for _ in range(self.random.randint(1, 3))]}}

    def runtime_class(self, name):
        made = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": name},
                "handler": name}
        if self.maybe():
            made["overhead"] = {"podFixed": self.some(("cpu", "memory"))}
        if self.maybe():
            made["scheduling"] = {"nodeSelector": {"runtime": self.random.choice("ab")},
                                  "tolerations": [self.toleration()]}
        return made

    def priority_class(self, name):
        return {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                "metadata": {"name": name}, "value": self.random.randint(-4, 4),
                "globalDefault": self.maybe(0.4),
                **({"preemptionPolicy": "Never"} if self.maybe(0.3) else {})}

    def pod(self, name):
        meta = {"name": name, "namespace": self.random.choice(["a", "b"])}
        if self.maybe(0.2):
            meta["uid"] = name
        return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": self.spec()}

    def deployment(self, name):
        labels = {"app": name}
        return {"apiVersion": "apps/v1", "kind": "Deployment",
                "metadata": {"name": name, "namespace": self.random.choice(["a", "b"])},
                "spec": {"replicas": self.random.randint(1, 3), "selector": {"matchLabels": labels},
                         "template": {"metadata": {"labels": labels}, "spec": self.spec()}}}

    def objects(self):
        made = [self.pod(f"p{i}") for i in range(self.random.randint(1, 4))]
        made += [self.deployment(f"d{i}") for i in range(self.random.randint(0, 2))]
        made += [self.limit_range(f"l{i}") for i in range(self.random.randint(0, 3))]
        made += [self.runtime_class(n) for n in ("gvisor", "kata") if self.maybe()]
        made += [self.priority_class(n) for n in ("high", "low", "usual") if self.maybe()]
        self.random.shuffle(made)
        return made


def pods_of(objects):
    """(namespace, name, owner, spec, whether it is new), in order of names."""
    made = []
    for thing in objects:
        meta = thing["metadata"]
        if thing["kind"] == "Pod":
            made.append((meta["namespace"], meta["name"], None, thing["spec"], "uid" not in meta))
        if thing["kind"] == "Deployment":
            made += [(meta["namespace"], f"{meta['name']}-{i}", meta["name"],
                      thing["spec"]["template"]["spec"], True)
                     for i in range(thing["spec"]["replicas"])]
    return sorted(made, key=lambda pod: pod[:2])


def expected(objects):
    server = reference.Server(objects)
    pending, listed, refused, missing, gone, differing = [], [], {}, {}, {}, {}
    for namespace, name, owner, spec, new in pods_of(objects):
        pod, full = server.store(spec, namespace, new), f"{namespace}/{name}"
        for why in dict.fromkeys(pod.refused):
            # pods that are alike are refused together
            key = (namespace, json.dumps(spec, sort_keys=True), why)
            refused.setdefault(key, [full, 0])[1] += 1
        if new and spec.get("runtimeClassName", "") not in {"", *server.classes}:
            gone.setdefault(spec["runtimeClassName"], []).append(full)
        found, priority = server.class_of(pod), server.priority(pod)
        if new and found and "priority" in spec and spec["priority"] != found[1]:
            differing.setdefault(spec.get("priorityClassName"), []).append((full, found, priority))
        if found is None and new:
            missing.setdefault(spec["priorityClassName"], []).append(full)
        if pod.added:
            listed.append((full, (namespace, owner) if owner else None, pod))
        requests = {k: reference.text(k, v) for k, v in reference.effective(pod.spec).items()}
        pending.append({"pod": full, "priority": priority or 0, "requests": requests})
    warnings = [f"RuntimeClass '{name}' is not given: the API server would reject the pods "
                f"that name it ({len(pods)}; the first is '{pods[0]}'); its overhead, node selector and "
                "tolerations are not counted" for name, pods in gone.items()]
    warnings += [f"the API server would reject pod '{first}'" +
                (f" and {count - 1} like it" if count > 1 else "") + f": {key[-1]}"
                for key, (first, count) in refused.items()]
    warnings += ["the API server would reject pods that state another spec.priority than " +
                 (f"PriorityClass '{pods[0][1][0]}'" if pods[0][1][0] else
                  "the one of pods without a class") +
                 f" ({pods[0][1][1]}): {len(pods)}; the first is '{pods[0][0]}' with {pods[0][2]}, "
                 "which counts" for pods in differing.values()]
    warnings += [f"PriorityClass '{name}' is not given: the API server would reject the "
                 f"pods that name it ({len(pods)}; the first is '{pods[0]}'); their priority counts "
                 "as 0, unless they state it" for name, pods in missing.items()]
    return {"pending": pending, "defaulted": reference.listing(listed), "warnings": warnings}


def answer(stowage, objects, folder):
    path = pathlib.Path(folder) / "objects.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    done = subprocess.run([stowage, "inspect", "-f", str(path), "--book", "none", "-o", "json"],
                          capture_output=True, text=True, timeout=60)
    if done.returncode:
        return done.stderr
    got = json.loads(done.stdout)
    return {"pending": got["pending"], "defaulted": got.get("defaulted", []),
            "warnings": got["warnings"]}


def same(want, got):
    """Amounts may be written in another way."""
    if not isinstance(got, dict):
        return False
    for side in (want, got):
        for pod in side["pending"]:
            pod["requests"] = {k: str(reference.quantity(v)) for k, v in pod["requests"].items()}
    return want == got


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("stowage")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=8)
    options = parser.parse_args()
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.rounds):
            maker, wrong = Maker(seed), None
            for _ in range(CASES):
                objects = maker.objects()
                want, got = expected(objects), answer(options.stowage, objects, folder)
                if not same(want, got):
                    wrong = json.dumps({"objects": objects, "want": want, "got": got}, indent=1)
                    break
            tap.result(f"seed {seed}", wrong)
    tap.done()


if __name__ == "__main__":
    main()
