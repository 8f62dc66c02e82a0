"""What is given: files, texts, objects, options, prices; and what is wrong with them."""
import datetime
import json
import pathlib
import pickle
import tempfile

import stowage
from stowage._settings import Settings

SHOP = "examples/shop"
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
        "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "a"},
       "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]}}


def refused(kind, says, call, *words, **options):
    """The error that a call has to end with."""
    try:
        call(*words, **options)
    except kind as problem:
        assert says in str(problem), f"'{problem}' does not say '{says}'"
        return problem
    raise AssertionError(f"nothing was raised: {says}")


def write(folder, name, thing):
    path = pathlib.Path(folder, name)
    path.write_text(json.dumps(thing))
    return path


def check_loading(tap):
    with tap.case("a cluster says what is in it"):
        shop = stowage.load(SHOP)
        assert shop.counts == {"nodes": 15, "pods": 97, "running": 82, "pending": 13, "groups": 9}
        first = shop.nodes[0]
        assert (first.name, first.group, first.allocatable["cpu"]) == \
            ("analytics-a1", "analytics", 15890)
        assert sum(pod.node is None for pod in shop.pods) >= 13 and "cpu" in shop.resources
        assert repr(shop) == "<stowage.Cluster 15 nodes, 82 pods running, 13 pending>"
    with tap.case("files, a text and objects give the same answer"):
        text = stowage.snapshot(SHOP)
        want = stowage.load(SHOP).scale().to_json()
        paths = sorted(pathlib.Path(SHOP).glob("*.yaml"))
        assert stowage.loads(text).scale().to_json() == want
        assert stowage.from_objects(json.loads(text)["items"]).scale().to_json() == want
        assert stowage.load(*paths).scale().to_json() == want
    with tap.case("a snapshot can be shared without names"):
        hidden = stowage.snapshot(SHOP, anonymise=True)
        assert "postgres" not in hidden
        assert stowage.loads(hidden).scale().cost == stowage.load(SHOP).scale().cost
    with tap.case("files that cannot be read are left out where that is asked for"):
        with tempfile.TemporaryDirectory() as folder:
            write(folder, "a.json", NODE)
            pathlib.Path(folder, "b.yaml").write_text("kind: [")
            refused(stowage.ParseError, "b.yaml:2:1: malformed YAML", stowage.load, folder)
            cluster = stowage.load(folder, skip_unreadable=True)
            assert cluster.counts["nodes"] == 1 and "b.yaml" in "".join(cluster.warnings)


def check_questions(tap):
    cluster = stowage.from_objects([NODE, POD, {**POD, "metadata": {"name": "q", "namespace": "b"}}])
    with tap.case("a question leaves nothing behind for the next one"):
        want = cluster.place().to_json()
        assert [pod.name for pod in cluster.place(namespace="a").pods] == ["p"]
        assert cluster.place().to_json() == want
    with tap.case("warnings of a question are those of that question"):
        alone = stowage.from_objects([NODE])
        first, second = alone.place().warnings, alone.place().warnings
        assert first == second and "no Pod or workload was given" in "".join(first), second
    with tap.case("how many pods like a sample fit"):
        with tempfile.TemporaryDirectory() as folder:
            sample = write(folder, "pod.json", POD)
            loaded = stowage.load(write(folder, "node.json", NODE))
            for asked in (cluster, loaded):
                assert asked.place(how_many=sample).to_dict()["pods"] == 4
    with tap.case("an answer outlives its cluster"):
        answer = stowage.from_objects([NODE, POD]).place()
        assert answer.pods[0].node == "n" and answer.to_dict()["placed"] == 1


def settings(**options):
    made = Settings(options)
    return [(row.name.decode(), row.value and row.value.decode()) for row in made.array[:made.count]]


def check_options(tap):
    with tap.case("keywords are options, and values are written as the command has them"):
        moment = datetime.datetime(2026, 11, 1, 2, tzinfo=datetime.timezone(
            datetime.timedelta(hours=2)))
        assert settings(max_nodes_total=5, explain=True, compare=False, budget=None) == \
            [("max-nodes-total", "5"), ("explain", None)]
        assert settings(at=moment, time_limit=datetime.timedelta(seconds=1.5)) == \
            [("at", "2026-11-01T00:00:00Z"), ("time-limit", "1500ms")]
        assert settings(strategy=["price", "optimal"], quota={"cpu": 4}) == \
            [("strategy", "price"), ("strategy", "optimal"), ("quota", "cpu=4")]
        assert settings(gap=1e-7, policy=pathlib.Path("a/b")) == \
            [("gap", "0.0000001"), ("policy", "a/b")]
    with tap.case("options and values that cannot be are refused"):
        shop = stowage.load(SHOP)
        problem = refused(stowage.InvalidArgument, "scale has no option 'budgt'", shop.scale,
                          budgt=1)
        assert problem.hint == "did you mean budget?" and problem.exit_status == 2
        refused(stowage.InvalidArgument, "--budget takes an amount", shop.scale, budget="x")
        refused(stowage.InvalidArgument, "needs a time with its zone", shop.scale,
                at=datetime.datetime(2026, 1, 1))
        refused(stowage.InvalidArgument, "cannot be a object", shop.scale, budget=object())
        refused(stowage.InvalidArgument, "zero byte", shop.scale, budget="1\0")
        refused(stowage.InvalidArgument, "option of stowage.load", shop.scale, max_input=5)
        refused(stowage.InvalidArgument, "no question 'guess'", shop.ask, "guess")
        refused(stowage.InvalidArgument, "no question 'guess'", stowage.options, "guess")
        refused(ValueError, "no option", shop.scale, budgt=1)


def check_errors(tap):
    with tap.case("malformed input has file, line and column"):
        problem = refused(stowage.ParseError, "x.yaml:2:1: malformed YAML", stowage.loads,
                          "kind: [\n", name="x.yaml")
        assert (problem.file, problem.line, problem.column) == ("x.yaml", 2, 1)
        assert problem.message.startswith("malformed YAML") and problem.code == -2
        again = pickle.loads(pickle.dumps(problem))
        assert type(again) is type(problem) and str(again) == str(problem) and again.line == 2
    with tap.case("a file that is not there is named"):
        problem = refused(stowage.Error, "nowhere.yaml", stowage.load, "nowhere.yaml")
        assert problem.line is None and problem.exit_status == 1
    with tap.case("standard input and nothing are not read"):
        refused(stowage.InvalidArgument, "stowage.loads", stowage.load, "-")
        refused(stowage.Error, "needs", stowage.load().inspect)
        refused(stowage.Error, "needs", stowage.loads("").inspect)


def check_prices(tap):
    with tap.case("prices are imported into a book, opened, and used"):
        with tempfile.TemporaryDirectory() as folder:
            rows = pathlib.Path(folder, "prices.csv")
            rows.write_text("provider,region,zone,instance_type,os,capacity_type,currency,"
                            "effective_at,price_per_hour\n"
                            "mine,here,,big,linux,on-demand,USD,2026-01-01T00:00:00Z,1.25\n")
            book = pathlib.Path(folder, "book")
            assert stowage.price_import(rows, book=book).ok
            prices = stowage.open_prices(book)
            node = {**NODE, "metadata": {"name": "n", "labels": {
                "node.kubernetes.io/instance-type": "big",
                "topology.kubernetes.io/region": "here"}}}
            cluster = stowage.from_objects([node])
            asked = {"provider": "mine", "at": "2026-11-01T00:00:00Z"}
            bill = cluster.inspect(prices=prices, **asked)
            assert str(bill.cost) == "1.250000000", bill
            assert cluster.inspect(book=book, **asked).to_json() == bill.to_json()
            assert cluster.inspect(**asked).figures.unpriced == 1
            assert "big" in stowage.price_list(prices=prices, provider="mine").to_json()
            assert stowage.price_history("big", prices=prices, provider="mine").to_dict()
    with tap.case("a book that cannot be read is an error"):
        with tempfile.NamedTemporaryFile() as file:
            refused(stowage.Error, file.name, stowage.open_prices, file.name)


def check(tap, _stowage_command):
    check_loading(tap)
    check_questions(tap)
    check_options(tap)
    check_errors(tap)
    check_prices(tap)
