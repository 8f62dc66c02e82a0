"""Answers: the JSON of the command, and attributes that say the same."""
import csv
import html.parser
import io
import json
import os
import subprocess
from decimal import Decimal

import stowage
from stowage import _html

SHOP, FLEET = "examples/shop", "examples/fleet/company"
AT = "2026-11-01T00:00:00Z"
QUESTIONS = [
    ("inspect", SHOP, {}),
    ("inspect", SHOP, {"by": "owner", "namespace": "shop"}),
    ("place", SHOP, {"explain": True}),
    ("place", SHOP, {"profile": "cheapest", "provider": "aws", "region": "us-east-1"}),
    ("scale", SHOP, {"threads": 1}),
    ("scale", SHOP, {"strategy": "greedy:price", "budget": Decimal("0.75"), "explain": True}),
    ("scale", SHOP, {"quota": {"cpu": 200, "memory": "900Gi"}, "max_nodes_total": 16}),
    ("consolidate", SHOP, {}),
    ("consolidate", SHOP, {"max_moves": 2, "explain": "general-a1"}),
    ("divide", FLEET, {"joint": True, "fresh": True}),
    ("divide", FLEET, {"explain": True, "compare": False}),
]


def command(stowage_command, verb, path, options):
    words = [stowage_command, *verb.split(), *(["-f", path] if path else []), "--at", AT]
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            words.append(flag)
        elif isinstance(value, dict):
            words += [word for key, part in value.items() for word in (flag, f"{key}={part}")]
        elif value is not False:
            words += [flag, str(value)]
    env = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
    done = subprocess.run([*words, "-o", "json"], env=env, capture_output=True, timeout=300)
    return done.returncode, done.stdout.decode()


def check_json(tap, stowage_command):
    for verb, path, options in QUESTIONS:
        with tap.case(f"{verb} of {path} {options} is that of the command"):
            status, want = command(stowage_command, verb, path, options)
            answer = getattr(stowage.load(path), verb)(at=AT, **options)
            assert answer.to_json() == want, "the JSON differs"
            assert answer.to_dict() == json.loads(want)
            assert (answer.problem.exit_status if answer.problem else 0) == status, answer.problem
    with tap.case("price get is that of the command"):
        options = {"region": "us-east-1", "os": "linux"}
        _, want = command(stowage_command, "price get m5.large", None, options)
        assert stowage.price_get("m5.large", at=AT, **options).to_json() == want


def check_scale(tap, shop):
    answer = shop.scale()
    said = answer.to_dict()
    with tap.case("the figures of a plan are those of its JSON"):
        assert answer.verb == "scale" and answer.ok and answer.check() is answer
        assert answer.cost == Decimal(said["cost"]["perHour"]) == Decimal("1.4552")
        assert answer.bound == Decimal(said["bound"]["perHour"])
        assert answer.gap == said["bound"]["gap"] == 0
        assert answer.currency == "USD" and answer.figures.unpriced == 0
        assert answer.saving is None and answer.figures.before is None
        assert (answer.figures.nodes, answer.figures.pods, answer.figures.placed) == (2, 13, 12)
    with tap.case("new nodes have their group, price and pods"):
        assert [(n.name, n.group, n.price, n.pods) for n in answer.nodes] == \
            [(n["name"], n["group"], Decimal(n["pricePerHour"]), len(n["pods"]))
             for n in said["newNodes"]]
        for node in said["newNodes"] + said["existingNodes"]:
            assert sorted(map(str, answer.pods_on(node["name"]))) == sorted(node["pods"])
        assert all(pod.new_node == (pod.node in [n.name for n in answer.nodes])
                   for pod in answer.pods)
    with tap.case("pods without a node have a reason"):
        assert answer.reasons == {"payments/fraud-training-kppxp": "Insufficient cpu"}
        assert not answer.steps and not answer.replicas and not answer.findings
    return answer


def three_nodes():
    """Three nodes for 0.30 each, with a pod on each; one node has room for all."""
    room = {"cpu": "4", "memory": "8Gi", "pods": "110"}
    status = {"capacity": room, "allocatable": room,
              "conditions": [{"type": "Ready", "status": "True"}]}
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "u",
             "controller": True}
    asked = {"requests": {"cpu": "1", "memory": "1Gi"}}
    yield {"apiVersion": "stowage.dev/v1alpha1", "kind": "NodeGroup", "metadata": {"name": "g"},
           "spec": {"maxNodes": 9, "pricePerHour": "0.30", "template": {"status": status}}}
    for i in range(3):
        yield {"apiVersion": "v1", "kind": "Node", "status": status, "metadata": {
            "name": f"n{i}", "labels": {"stowage.dev/node-group": "g"}}}
        yield {"apiVersion": "v1", "kind": "Pod", "status": {"phase": "Running"},
               "metadata": {"name": f"p{i}", "ownerReferences": [owner]},
               "spec": {"nodeName": f"n{i}", "containers": [{"name": "c", "resources": asked}]}}


def check_others(tap, shop):
    with tap.case("a bill has a row per node"):
        bill = shop.inspect()
        assert [n.name for n in bill.nodes] == [n.name for n in shop.nodes]
        known = [n.price for n in bill.nodes if n.price is not None]
        assert sum(known) == bill.cost and len(bill.nodes) - len(known) == bill.figures.unpriced
    with tap.case("steps of a consolidation save what the whole saves"):
        answer = shop.consolidate()
        assert sum(step.saving for step in answer.steps) == answer.saving == Decimal("0.1509")
        assert answer.figures.before - answer.cost == answer.saving
        assert len(answer.pods) == sum(step.moves for step in answer.steps) == 3
        assert all(pod.from_node and pod.node and pod.step == 0 for pod in answer.pods)
    with tap.case("a gap is that of the JSON, and nodes that are counted are no money"):
        thirds = stowage.from_objects(list(three_nodes()))
        answer = thirds.consolidate(max_moves=1)
        assert (str(answer.cost), str(answer.bound)) == ("0.600000000", "0.300000000")
        assert answer.gap == answer.to_dict()["bound"]["gap"] == 1
        answer = thirds.consolidate(max_moves=1, minimise="nodes")
        assert answer.cost is answer.bound is answer.saving is answer.figures.before is None
        assert [step.saving for step in answer.steps] == [None] and answer.figures.nodes == 2
        assert answer.gap == answer.to_dict()["bound"]["gap"] == 1
    with tap.case("replicas are divided over clusters"):
        answer = stowage.load(FLEET).divide(joint=True, fresh=True)
        want = [(w["workload"], w["kind"], t["cluster"], t["replicas"], t["before"],
                 Decimal(t["pricePerHour"]))
                for w in answer.to_dict()["workloads"] for t in w["targets"]]
        assert want == [(f"{r.namespace}/{r.name}", r.kind, r.cluster, r.replicas, r.before, r.cost)
                        for r in answer.replicas]
        assert answer.figures.placed == sum(row.replicas for row in answer.replicas)
    with tap.case("pods are placed on nodes that are there"):
        nodes = {node.name for node in shop.nodes}
        answer = shop.place()
        assert {pod.node for pod in answer.pods if pod.node} <= nodes
        assert len([pod for pod in answer.pods if pod.node]) == answer.figures.placed == 8


def check_verify(tap, shop, plan):
    with tap.case("a plan is verified: the answer, its dict, a text, a file"):
        path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"stowage-plan-{os.getpid()}.json")
        moves = shop.consolidate()
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write(moves.to_json())
            for given in (plan, plan.to_dict(), stowage.Text(plan.to_json()), moves, path):
                assert shop.verify(given).ok
        finally:
            os.unlink(path)
    with tap.case("a plan that does not hold is found out"):
        wrong = plan.to_dict()
        wrong["newNodes"][0]["pods"].append("shop/gift-cards-0")
        verdict = shop.verify(wrong)
        assert not verdict.ok and isinstance(verdict.problem, stowage.DoesNotHold)
        assert verdict.findings and all(f.check and f.text for f in verdict.findings)
        try:
            verdict.check()
        except stowage.DoesNotHold as problem:
            assert problem.exit_status == 1
        else:
            raise AssertionError("check() raised nothing")
    with tap.case("a plan that is no plan is an error with its place"):
        try:
            shop.verify(stowage.Text('{"kind": "ScalePlan",\n "cost": 7}', "mine.json"))
        except stowage.ParseError as problem:
            assert problem.file == "mine.json" and problem.line, problem
        else:
            raise AssertionError("nothing was raised")


class Balance(html.parser.HTMLParser):
    """Whether every tag that opens is closed."""

    def __init__(self):
        super().__init__()
        self.open, self.tables = [], 0

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tables += tag == "table"

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


def check_forms(tap, shop, answer):
    with tap.case("rows are ready for a data frame"):
        for kind in ("pods", "nodes"):
            rows = answer.rows(kind)
            assert len(rows) == len(getattr(answer, kind))
            assert all(list(row) == list(rows[0]) for row in rows)
            json.dumps(rows)
            out = csv.DictWriter(io.StringIO(), rows[0])
            out.writerows(rows)
        assert answer.rows() == answer.rows("pods")
        assert answer.rows("nodes")[0]["price"] == 0.7032 and answer.rows("steps") == []
        assert shop.inspect().rows()[0]["name"] == "analytics-a1"
    with tap.case("rows of an unknown kind are refused"):
        try:
            answer.rows("verb")
        except stowage.InvalidArgument as problem:
            assert "pods, nodes" in str(problem)
        else:
            raise AssertionError("nothing was raised")
    with tap.case("a notebook shows a table"):
        page, balance = answer._repr_html_(), Balance()
        balance.feed(page)
        assert not balance.open and balance.tables == 2, balance.open
        assert "bulk-0" in page and "1.4552 USD per hour" in page
        assert "<script>" not in _html.table("T", [{"a": "<script>"}])
        assert "5 more" in _html.table("T", [{"a": 1}] * (_html.ROWS_MAX + 5))
    with tap.case("an answer is written in every form, as the question said or as asked for"):
        assert str(answer).startswith("Buy 2 nodes: 1.4552 USD per hour")
        assert answer.text("csv").splitlines()[0].count(",") > 2
        assert shop.scale(output="yaml").text().startswith("apiVersion:")
        assert max(map(len, answer.text("table", width=80).splitlines())) <= 80
        assert "\x1b[" in answer.text("table", colours=True)
        assert repr(answer).startswith("<stowage.Answer scale, 1.4552 USD per hour")
        try:
            answer.text("nodepool-of-mine")
        except stowage.InvalidArgument as problem:
            assert "table" in str(problem)
        else:
            raise AssertionError("nothing was raised")


def check(tap, stowage_command):
    check_json(tap, stowage_command)
    shop = stowage.load(SHOP)
    plan = check_scale(tap, shop)
    check_others(tap, shop)
    check_verify(tap, shop, plan)
    check_forms(tap, shop, plan)
