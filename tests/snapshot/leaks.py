"""Objects whose every text is a name that must not be handed on.

Every word that is put in starts with `leak`, so that what is left of them is easy to find.  Texts are
filled in by where they stand, not by what they say: a field that no scenario had before is filled
like any other.
"""
import copy
import re

# What keeps its value, as the help of `snapshot` says: zones, regions, machines, and words that the
# API server takes from a short list only.
KEPT = {"zone", "zones", "availabilityZones", "region", "instanceType", "os", "arch", "architecture",
        "capacityType", "currency", "unit", "operator", "effect", "whenUnsatisfiable", "spreadByField",
        "scaling", "resourceVersion", "kubeletVersion"}
KEPT_LABELS = re.compile(r"(.*/)?(zone|region|instance-type|os|arch|lifecycle|capacity-type|capacityType|"
                         r"gke-spot|gke-preemptible|gke-accelerator|machine-family|scalesetpriority|"
                         r"interruptible-instance)|"
                         r"karpenter.k8s.aws/instance-.*|nvidia.com/.*|ultron.io/.*|stowage.dev/.*")
# Maps whose keys are the user's own.
MAPS = {"labels", "matchLabels", "nodeSelector", "annotations", "requests", "limits", "capacity",
        "allocatable", "parameters", "volumeAttributes", "options", "externalLabels", "hard",
        "allocated", "podFixed", "defaultRequest", "attachmentMetadata", "headers", "data"}
NOT_NAMES = re.compile(r"|true|false|[-+]?[0-9.]+([eE][-+]?[0-9]+|[a-zA-Z%]{0,2})|"
                       r"\d{4}-\d\d-\d\dT[\d:.]+(Z|[-+][\d:]+)")
TEXTS = ("leak{0}", "Leak{0}", "LeakScheduler", "leak{0}-leak{1}.leak{0}.io", "leak{0}/leak{1}:latest",
         "leak{0}://leak{1}/leak{0}", "leak{0}.k8s.io", "2025-01-01T00:00:00Leak{0}", "10.leak{0}")
KEYS = ("leak{0}", "leak{0}.io/leak{1}", "node-role.kubernetes.io/leak{0}", "leak{0}.kubernetes.io/x",
        "node-restriction.kubernetes.io/leak{0}", "attachable-volumes-csi-leak{0}.io", "LEAK{0}")


class Filler:
    def __init__(self):
        self.count = 0

    def word(self):
        self.count += 1
        return "".join(chr(97 + self.count // 26 ** i % 26) for i in range(4))

    def text(self):
        return TEXTS[self.count % len(TEXTS)].format(self.word(), self.word())

    def key(self):
        return KEYS[self.count % len(KEYS)].format(self.word(), self.word())

    def members(self, value, key):
        made = {}
        for k, v in value.items():
            if key in MAPS and not isinstance(v, (dict, list)):
                kept = isinstance(v, str) and KEPT_LABELS.fullmatch(k)
                made[k] = v if kept else self.fill(v, "")
                made[self.key()] = self.fill(v, "")
            else:
                made[k] = self.fill(v, k)
        return made

    def fill(self, value, key):
        if isinstance(value, dict):
            requirement = "key" in value and KEPT_LABELS.fullmatch(str(value["key"]))
            return copy.deepcopy(value) if requirement else self.members(value, key)
        if isinstance(value, list):
            return [self.fill(v, "" if isinstance(v, dict) else key) for v in value]
        if not isinstance(value, str) or key in KEPT or NOT_NAMES.fullmatch(value):
            return value
        return self.text()

    def object(self, value):
        made = self.members(value, "")
        made.update((k, value[k]) for k in ("apiVersion", "kind") if k in value)
        return made


def foreign():
    """A workload of a kind of the user's own: known by its pod template, and by nothing else."""
    return {"apiVersion": "apps.leakco.io/v1", "kind": "LeakApp", "metadata": {"name": "leaka"},
            "spec": {"leakTier": "leakb", "replicas": 2, "leaks": [{"leakKey": 1}],
                     "template": {"metadata": {"labels": {"app": "leakc"}},
                                  "spec": {"containers": [{"name": "leakd", "image": "leake"}]}}}}


def owned():
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {
        "name": "leaka", "ownerReferences": [{"apiVersion": "apps.leakco.io/v1", "kind": "LeakApp",
                                              "name": "leaka", "uid": "leak-1", "controller": True}]},
            "spec": {"schedulerName": "LeakScheduler", "containers": []}}


def node():
    return {"apiVersion": "v1", "kind": "Node", "metadata": {
        "name": "leaka", "labels": {"node-role.kubernetes.io/leakb": "", "provider": "leakc"},
        "annotations": {"stowage.dev/node-group": "leakd",
                        "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes": "leake"}},
            "spec": {"providerID": "leakf://leakg", "taints": [
                {"key": "node-role.kubernetes.io/leakb", "effect": "NoSchedule"}]},
            "status": {"conditions": [{"type": "LeakDetected", "status": "True", "reason": "LeakFound"}],
                       "allocatable": {"attachable-volumes-csi-leakh.io": "3"}}}


def objects(items):
    """The objects with names of this module's own for all of theirs."""
    filler = Filler()
    made = [filler.object(item) for item in items if item["kind"] not in ("Widget", "Odd")]
    return made + [foreign(), owned(), node()]
