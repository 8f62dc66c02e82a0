#!/usr/bin/env python3
"""check_runner.py CONFORMANCE - what the conformance runner promises about any case file."""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tap import Tap

RUNNER = sys.argv[1]
GOOD = {"id": "q1", "input": "1500m", "format": "DecimalSI", "canonical": "1500m", "value": 2,
        "milliValue": 1500}
MEDIAN = {"id": "t1", "window_hours": 10,
          "segments": [{"price": "0.20", "hours": 5}, {"price": "0.40", "hours": 5}]}


def case_file(folder, *groups, name="cases.json", **more):
    path = pathlib.Path(folder) / name
    path.write_text(json.dumps({"format": 1, "family": "any", "groups": [
        {"group": g, "context": {}, "cases": c} for g, c in groups], **more}))
    return path


def run(*arguments):
    return subprocess.run([RUNNER, *map(str, arguments)], capture_output=True, text=True,
                          timeout=60)


def expect(done, status, *phrases, last=None):
    text = done.stdout + done.stderr
    assert done.returncode == status, f"status {done.returncode}, not {status}:\n{text}"
    for phrase in phrases:
        assert phrase in text, f"does not say {phrase!r}:\n{text}"
    if last:
        assert done.stdout.splitlines()[-1] == last, f"does not end with {last!r}:\n{text}"


def check_counting(tap, folder):
    with tap.case("a case that fits passes"):
        path = case_file(folder, ("quantity/quantity", [GOOD]))
        expect(run(path), 0, last="1 passed, 0 failed, 0 skipped")
    with tap.case("a case that differs fails with its id and the difference"):
        path = case_file(folder, ("quantity/quantity", [GOOD, {**GOOD, "id": "q2", "value": 1}]))
        expect(run(path), 1, "q2", "value: expected 1, got 2", last="1 passed, 1 failed, 0 skipped")
    with tap.case("a group without a handler is skipped by name with all its cases"):
        path = case_file(folder, ("place/from-the-future", [{"id": 1}, {"id": 2}]),
                         ("quantity/quantity", [GOOD]))
        expect(run(path), 0, "place/from-the-future: 0 passed, 0 failed, 2 skipped",
               last="1 passed, 0 failed, 2 skipped")
    with tap.case("groups without cases, even unknown ones, are fine"):
        path = case_file(folder, ("conventions", []), ("quantity/quantity", []))
        expect(run(path), 0, last="0 passed, 0 failed, 0 skipped")
    with tap.case("several files are counted together"):
        one = case_file(folder, ("quantity/quantity", [GOOD]), name="one.json")
        two = case_file(folder, ("quantity/quantity", [GOOD, GOOD]), name="two.json")
        expect(run(one, two), 0, last="3 passed, 0 failed, 0 skipped")


def check_group_option(tap, folder):
    path = case_file(folder, ("quantity/quantity", [GOOD]), ("other", [{"id": 1}]),
                     ("price_median_vectors", [{**MEDIAN, "expected": {}}]))
    with tap.case("--group limits the run and the others are not counted"):
        expect(run("--group", "quantity/quantity", path), 0, last="1 passed, 0 failed, 0 skipped")
    with tap.case("--group may be repeated"):
        expect(run("--group", "quantity/quantity", "--group=other", path), 0,
               last="1 passed, 0 failed, 1 skipped")
    with tap.case("--group with a name that is nowhere is warned about"):
        expect(run("--group", "quantiti", path), 0, "no group named quantiti",
               last="0 passed, 0 failed, 0 skipped")


def check_one_of(tap, folder):
    fits, other = {"time_weighted_median": "0.20"}, {"time_weighted_median": "0.40"}
    with tap.case("one of several expected answers is enough"):
        cases = [{**MEDIAN, "expected": {"one_of": [other, fits]}}]
        expect(run(case_file(folder, ("price_median_vectors", cases))), 0,
               last="1 passed, 0 failed, 0 skipped")
    with tap.case("none of several expected answers is a failure"):
        cases = [{**MEDIAN, "expected": {"one_of": [other, other]}}]
        expect(run(case_file(folder, ("price_median_vectors", cases))), 1, "none of the 2",
               last="0 passed, 1 failed, 0 skipped")
    with tap.case("an expectation that no rule compares is a failure, not a pass"):
        cases = [{**MEDIAN, "expected": {"time_weighted_p42": "0.40"}}]
        expect(run(case_file(folder, ("price_median_vectors", cases))), 1, "time_weighted_p42",
               last="0 passed, 1 failed, 0 skipped")


VECTORS = pathlib.Path(__file__).resolve().parent.parent / "vectors"


def cases_of(family, group):
    groups = json.loads((VECTORS / f"{family}.json").read_text())["groups"]
    return next(g["cases"] for g in groups if g["group"] == group)


def check_forms(tap, folder):
    """Forms of input that the stored cases do not have: each with a case that must differ."""
    def counts(group, passes, differs, family="karmada"):
        path = case_file(folder, (group, [passes, differs]), family=family)
        expect(run(path), 1, last="1 passed, 1 failed, 0 skipped")

    with tap.case("spread constraints may be an object"):
        case = next(c for c in cases_of("karmada", "select_clusters")
                    if c["placement"].get("spreadConstraints"))
        field = dict(case["placement"]["spreadConstraints"][0])
        name = field.pop("spreadByField")
        for spread in ({name: field}, {"spreadByField": name, **field}):
            good = {**case, "placement": {**case["placement"], "spreadConstraints": spread}}
            counts("select_clusters", good, {**good, "expected": ["no-such-cluster"]})
        groups = cases_of("karmada", "group_clusters")[0]
        good = {**groups, "spreadConstraints": {"region": {"minGroups": 1, "maxGroups": 1}},
                "expected": {**groups["expected"], "regions": 2}}
        counts("group_clusters", good, {**good, "spreadConstraints": {"zone": {"minGroups": 1}}})
    with tap.case("an expected error may be a text"):
        case = next(c for c in cases_of("karmada", "select_by_region") if c.get("expected_error"))
        good = {**case, "expected_error": "the number of clusters is less than the minimum"}
        counts("select_by_region", good, {**case, "expected_error": False, "expected": []})
    with tap.case("node affinity may have the estimator's name"):
        case = cases_of("karmada", "accurate_estimator_max_replicas")[0]
        claim = {"nodeAffinity": {"nodeSelectorTerms": [{"matchFields": [
            {"key": "metadata.name", "operator": "In", "values": ["machine3"]}]}]}}
        good = {**case, "expected_maxReplicas": 8, "replicaRequirements":
                {**case["replicaRequirements"], "nodeClaim": claim}}
        counts("accurate_estimator_max_replicas", good, {**good, "expected_maxReplicas": 12})
    with tap.case("a group's target size counts nodes that are on their way: they take the pod"):
        case = {**cases_of("cluster-autoscaler", "orchestrator")[0], "pods_triggered": []}
        del case["expander_picks"], case["expected_final"]
        counts("orchestrator", {**case, "groups": {"ng2": {"target_size": 2}}},
               {**case, "groups": {"ng2": {"target_size": 1}}}, family="cluster-autoscaler")


def check_odd_cases(tap, folder):
    with tap.case("a case without its input fails and the rest is still run"):
        path = case_file(folder, ("quantity/quantity", [{"id": "bare"}, GOOD]))
        expect(run(path), 1, "bare", last="1 passed, 1 failed, 0 skipped")
    with tap.case("cases that are no objects fail and do no harm"):
        path = case_file(folder, ("quantity/quantity", [7, None, "x", [], {}]))
        expect(run(path), 1, "case 1 (without id)", last="0 passed, 5 failed, 0 skipped")
    with tap.case("numbers beyond 64 bits are compared exactly"):
        huge = {"id": "h", "input": "1E", "format": "DecimalSI", "canonical": "1E",
                "value": 10**18, "milliValue": 0, "milliValueDiffersFromExactCeiling": 10**21}
        path = case_file(folder, ("quantity/quantity", [huge]), ignored=10**60)
        expect(run(path), 0, last="1 passed, 0 failed, 0 skipped")
    with tap.case("escapes in ids and names are resolved"):
        path = pathlib.Path(folder) / "escape.json"
        path.write_text('{"groups":[{"gr\\u006fup":"quantity\\/quantity","cases":'
                        '[{"id":"\\u0041\\n","input":"\\u0031x"}]}]}')
        expect(run(path), 1, "FAILED A", last="0 passed, 1 failed, 0 skipped")


def check_bad_files(tap, folder):
    bad = pathlib.Path(folder) / "bad.json"
    for what, text, phrase in [
        ("an empty file", b"", "bad.json"),
        ("a truncated file", b'{"format": 1, "groups": [{"group": "a", "cases": [', "truncated"),
        ("a list", b"[]", "groups"),
        ("a missing list of groups", b'{"format": 1}', "groups"),
        ("a group without a name", b'{"groups": [{"cases": []}]}', "name"),
        ("a group without cases", b'{"groups": [{"group": "a"}]}', "cases"),
        ("another format", b'{"format": 2, "groups": []}', "format"),
        ("two documents", b'{"groups": []} {}', "behind"),
        ("deep nesting", b"[" * 10000 + b"]" * 10000, "nested"),
        ("invalid UTF-8", b'{"groups": "\xff"}', "UTF-8"),
    ]:
        with tap.case(f"{what} is refused with status 3"):
            bad.write_bytes(text)
            expect(run(bad), 3, "bad.json", phrase, last="0 passed, 0 failed, 0 skipped")
    with tap.case("a bad file does not hide the results of a good one"):
        good = case_file(folder, ("quantity/quantity", [GOOD]))
        expect(run(bad, good), 3, last="1 passed, 0 failed, 0 skipped")
    with tap.case("a file that is not there is an error"):
        expect(run(pathlib.Path(folder) / "none.json"), 1, "none.json")
    with tap.case("wrong usage is status 2"):
        expect(run(), 2, "usage")
        expect(run("--groups", "x"), 2, "usage")
        expect(run("--help"), 0, "usage")


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        for check in (check_counting, check_group_option, check_one_of, check_forms,
                      check_odd_cases, check_bad_files):
            check(tap, folder)
    tap.done()


if __name__ == "__main__":
    main()
