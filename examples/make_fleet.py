#!/usr/bin/env python3
"""make_fleet.py [FOLDER] - writes the examples of fleets: clusters, and workloads to divide.

The tables below say what there is; the rest turns them into objects of Karmada and Kubernetes and
writes those as YAML.  The result is committed in examples/fleet, so nobody has to run this; change
a table, run it, and look at the difference.

* story: the two clusters of a proposal to Karmada, and a third that is dearer;
* company: eight clusters in seven regions and eight workloads that compete for the cheap ones.
  Memory is cheap where cores are dear and the other way round, so whoever comes first is not
  always the one who should have the room;
* members: three clusters by their own nodes, one of them empty but able to grow.
"""
import pathlib
import sys

from make_shop import document

KARMADA = {"Cluster": "cluster.karmada.io/v1alpha1",
           "PropagationPolicy": "policy.karmada.io/v1alpha1",
           "ResourceBinding": "work.karmada.io/v1alpha2"}

# ---- the fleets as tables ----------------------------------------------------------------------

# cluster: provider, region, free nodes of 8 cores, price of a replica per hour
STORY = {
    "cluster-a": ("private", "east", 20, "0.5"),
    "cluster-b": ("private", "west", 10, "0.3"),
    "cluster-c": ("private", "south", 5, "0.9"),
}

# cluster: provider, region, zones, nodes, cores and GiB of all nodes, in use, prices
COMPANY = {
    "dublin": ("aws", "eu-west-1", "ab", 12, (192, 768), (110, 300),
               {"cpu": "0.0340", "memory": "0.0034"}),
    "frankfurt": ("aws", "eu-central-1", "abc", 20, (320, 1280), (190, 640),
                  {"cpu": "0.0370", "memory": "0.0032"}),
    "oregon": ("aws", "us-west-2", "ab", 10, (160, 1280), (112, 640),
               {"cpu": "0.0330", "memory": "0.0026"}),
    "osaka": ("gcp", "asia-northeast2", "a", 6, (96, 384), (30, 100),
              {"cpu": "0.0420", "memory": "0.0056"}),
    "tokyo": ("gcp", "asia-northeast1", "abc", 16, (256, 1024), (120, 430),
              {"cpu": "0.0405", "memory": "0.0054"}),
    "virginia-1": ("aws", "us-east-1", "abc", 24, (384, 1536), (250, 880),
                   {"cpu": "0.0300", "memory": "0.0038"}),
    "virginia-2": ("aws", "us-east-1", "bc", 8, (256, 512), (190, 350),
                   {"cpu": "0.0270", "memory": "0.0046"}),
    "warehouse": ("private", "warehouse", "", 5, (60, 320), (20, 60),
                  {"cpu": "0.0110", "memory": "0.0012"}),
}

# workload: replicas, cores, GiB, its policy, and where it is now (None: nowhere yet)
WORKLOADS = {
    "shop/cart": (24, "1", "2Gi", "aggregated", {"frankfurt": 14, "virginia-1": 10}),
    "shop/catalog": (18, "1", "3Gi", "regions", {"dublin": 6, "tokyo": 6, "virginia-1": 6}),
    "shop/checkout": (12, "1", "2Gi", "static", {"dublin": 6, "virginia-1": 6}),
    "shop/images": (40, "1500m", "2Gi", "cheap", None),
    "shop/search": (16, "2", "16Gi", "cheap", {"tokyo": 16}),
    "shop/web": (30, "1", "1Gi", "regions", {"frankfurt": 10, "tokyo": 10, "virginia-1": 10}),
    "data/archive": (36, "1", "1Gi", "cheap", None),
    "data/reports": (10, "2", "12Gi", "cheap", None),
}

DIVIDED = {"replicaSchedulingType": "Divided"}
# policy: its placement
POLICIES = {
    "aggregated": {"replicaScheduling": {**DIVIDED, "replicaDivisionPreference": "Aggregated"}},
    "cheap": {"replicaScheduling": {**DIVIDED, "replicaDivisionPreference": "CostOptimized"}},
    "regions": {"spreadConstraints": [
        {"spreadByField": "region", "minGroups": 3, "maxGroups": 4},
        {"spreadByField": "cluster", "minGroups": 3, "maxGroups": 5}],
        "replicaScheduling": {**DIVIDED, "replicaDivisionPreference": "CostOptimized"}},
    "static": {"clusterAffinity": {"clusterNames": ["dublin", "virginia-1"]},
               "replicaScheduling": {
        **DIVIDED, "replicaDivisionPreference": "Weighted",
        "weightPreference": {"staticWeightList": [
            {"targetCluster": {"clusterNames": ["dublin"]}, "weight": 1},
            {"targetCluster": {"clusterNames": ["virginia-1"]}, "weight": 1}]}}},
}

# type: cores, GiB, and allocatable milli-cores, MiB, pods
SIZES = {
    "m5.xlarge": (4, 16, 3920, 14162, 58),
    "m5.2xlarge": (8, 32, 7910, 29317, 58),
    "c5.2xlarge": (8, 16, 7910, 14162, 58),
    "c5.4xlarge": (16, 32, 15890, 27400, 234),
}

# member: region, groups {name: (type, most nodes)}, nodes {name: (group, cores and GiB in use)}
MEMBERS = {
    "burst": ("us-east-1", {"spare": ("c5.4xlarge", 10)}, {}),
    "dublin": ("eu-west-1", {"general": ("m5.xlarge", 6)},
               {"general-1": ("general", 2, 8), "general-2": ("general", 1, 3),
                "general-3": ("general", 0, 0)}),
    "virginia": ("us-east-1", {"general": ("m5.2xlarge", 3), "compute": ("c5.2xlarge", 4)},
                 {"compute-1": ("compute", 2, 3), "general-1": ("general", 6, 24),
                  "general-2": ("general", 3, 8)}),
}
# replicas, cores, GiB, and the nodes that some are on
RENDER = (30, "1500m", "2Gi", {"dublin": ["general-1", "general-2", "general-2"]})

# ---- objects -----------------------------------------------------------------------------------


def meta(name, namespace=None, **more):
    return {"name": name, **({"namespace": namespace} if namespace else {}), **more}


def karmada(kind, metadata, **more):
    return {"apiVersion": KARMADA[kind], "kind": kind, "metadata": metadata, **more}


def amounts(cores, memory, pods):
    return {"cpu": str(cores), "memory": f"{memory}Gi", "pods": str(pods)}


def cluster(name, where, size, used, annotations=None):
    provider, region, zones, nodes = where
    spec = {"syncMode": "Push", "provider": provider, "region": region}
    if zones:
        spec["zones"] = [region + letter for letter in zones]
    kinds = [{"kind": kind, "name": kind.lower() + "s"} for kind in ("Deployment", "StatefulSet")]
    summary = {"allocatable": amounts(*size, 110 * nodes)}
    if used:
        summary["allocated"] = amounts(*used, 4 * nodes)
    status = {"apiEnablements": [{"groupVersion": "apps/v1", "resources": kinds}],
              "nodeSummary": {"totalNum": nodes, "readyNum": nodes}, "resourceSummary": summary}
    more = {"annotations": annotations} if annotations else {}
    return karmada("Cluster", meta(name, **more), spec=spec, status=status)


def deployment(workload, replicas, cores, memory):
    namespace, name = workload.split("/")
    container = {"name": name, "image": f"registry.example.com/{name}:1",
                 "resources": {"requests": {"cpu": cores, "memory": memory}}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta(name, namespace),
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}},
                     "template": {"metadata": {"labels": {"app": name}},
                                  "spec": {"containers": [container]}}}}


def price_book(name, currency, clusters):
    return {"apiVersion": "stowage.dev/v1alpha1", "kind": "PriceBook", "metadata": meta(name),
            "spec": {"currency": currency, "clusters": clusters}}


def story_clusters():
    return [cluster(name, (provider, region, "", nodes), (8 * nodes, 32 * nodes), None)
            for name, (provider, region, nodes, _) in STORY.items()]


def story_prices():
    return [price_book("story", "CNY", [{"cluster": name, "pricePerReplicaHour": row[3]}
                                        for name, row in STORY.items()])]


def company_clusters():
    """What the warehouse costs stands on its Cluster; the price book has the others."""
    own = {f"stowage.dev/price-per-hour.{what}": price
           for what, price in COMPANY["warehouse"][6].items()}
    return [cluster(name, row[:4], row[4], row[5], own if name == "warehouse" else None)
            for name, row in COMPANY.items()]


def company_prices():
    return [price_book("company", "USD", [{"cluster": name, "resources": row[6]}
                                          for name, row in COMPANY.items() if name != "warehouse"])]


def policy(name):
    mine = [w.split("/") for w, row in WORKLOADS.items() if row[3] == name]
    for namespace in sorted({space for space, _ in mine}):
        selectors = [{"apiVersion": "apps/v1", "kind": "Deployment", "namespace": space, "name": one}
                     for space, one in mine if space == namespace]
        yield karmada("PropagationPolicy", meta(name, namespace),
                      spec={"resourceSelectors": selectors, "placement": POLICIES[name]})


def binding(workload):
    replicas, cores, memory, placement, where = WORKLOADS[workload]
    namespace, name = workload.split("/")
    resource = {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": namespace, "name": name}
    labels = {"propagationpolicy.karmada.io/permanent-id": f"policy-{placement}"}
    return karmada(
        "ResourceBinding", meta(f"{name}-deployment", namespace, labels=labels),
        spec={"resource": resource, "replicas": replicas,
              "replicaRequirements": {"resourceRequest": {"cpu": cores, "memory": memory}},
              "clusters": [{"name": one, "replicas": many} for one, many in where.items()],
              "placement": POLICIES[placement]})


def node_parts(region, group, kind):
    cores, memory, milli, mib, pods = SIZES[kind]
    labels = {"stowage.dev/node-group": group, "node.kubernetes.io/instance-type": kind,
              "topology.kubernetes.io/region": region, "topology.kubernetes.io/zone": f"{region}a"}
    return labels, {"capacity": amounts(cores, memory, pods),
                    "allocatable": {"cpu": f"{milli}m", "memory": f"{mib}Mi", "pods": str(pods)}}


def member_node(member, name):
    region, groups, nodes = MEMBERS[member]
    labels, status = node_parts(region, nodes[name][0], groups[nodes[name][0]][0])
    return {"apiVersion": "v1", "kind": "Node", "metadata": meta(name, labels=labels),
            "spec": {"providerID": f"aws:///{region}a/{name}"}, "status": status}


def pod(name, node, cores, memory, **more):
    container = {"name": "c", "resources": {"requests": {"cpu": cores, "memory": memory}}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta(name, "default", **more),
            "spec": {"nodeName": node, "containers": [container]}, "status": {"phase": "Running"}}


def member_pods(member):
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "render-6f7d", "uid": "render",
             "controller": True}
    for name, (_, cores, memory) in MEMBERS[member][2].items():
        if cores:
            yield pod(f"others-{name}", name, str(cores), f"{memory}Gi")
    for number, node in enumerate(RENDER[3].get(member, [])):
        yield pod(f"render-6f7d-{number}", node, *RENDER[1:3], labels={"app": "render"},
                  ownerReferences=[owner])


def member_group(member, name):
    region, groups, _ = MEMBERS[member]
    kind, most = groups[name]
    labels, status = node_parts(region, name, kind)
    return {"apiVersion": "stowage.dev/v1alpha1", "kind": "NodeGroup", "metadata": meta(name),
            "spec": {"maxNodes": most, "template": {
                "metadata": {"labels": labels}, "spec": {"providerID": f"aws:///{region}a/new"},
                "status": status}}}


def member(name):
    groups, nodes = MEMBERS[name][1:]
    made = [member_group(name, one) for one in groups]
    made += [member_node(name, one) for one in nodes] + list(member_pods(name))
    if name in RENDER[3]:
        made.append(deployment("default/render", len(RENDER[3][name]), *RENDER[1:3]))
    return made


# file: its first line, and its objects
FILES = {
    "story/clusters": ("Clusters A and B of the proposal, and a third one that is dearer.",
                       story_clusters),
    "story/prices": ("What a replica costs per hour: the proposal's one number per cluster.",
                     story_prices),
    "story/workload": ("Twelve replicas of 8 cores. No policy selects them: they may go anywhere.",
                       lambda: [deployment("default/render", 12, "8", "16Gi")]),
    "company/clusters": ("Eight clusters, as `kubectl get clusters -o yaml` prints them, less what "
                         "nobody reads.", company_clusters),
    "company/prices": ("What cores and GiB cost per hour; the warehouse says it itself.",
                       company_prices),
    "company/policies": ("Which placement holds for which workload.",
                         lambda: [one for name in POLICIES for one in policy(name)]),
    "company/workloads": ("Workloads that are new: their bindings follow from the policies.",
                          lambda: [deployment(name, *row[:3]) for name, row in WORKLOADS.items()
                                   if not row[4]]),
    "company/bindings": ("Workloads that run, and where.",
                         lambda: [binding(name) for name, row in WORKLOADS.items() if row[4]]),
    "members/workload": ("Thirty replicas. Three of them run in Dublin, which its own objects "
                         "say.", lambda: [deployment("default/render", *RENDER[:3])]),
    **{f"members/{name}": (f"The cluster {name}: what `kubectl get nodes,pods,deployments -A` finds "
                           "there, and its groups.", lambda name=name: member(name))
       for name in MEMBERS},
}


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                          pathlib.Path(__file__).resolve().parent / "fleet")
    for name, (comment, objects) in FILES.items():
        path = folder / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {comment}\n" + "---\n".join(map(document, objects())))


if __name__ == "__main__":
    main()
