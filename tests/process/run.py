#!/usr/bin/env python3
"""run.py STOWAGE SANITIZER - how the command behaves as a process: input without an end, pipes in
folders, limits of files, kills in the middle of an import, signals during a search.
"""
import contextlib
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from puzzle import puzzle
from tap import Tap

STOWAGE = str(pathlib.Path(sys.argv[1]).resolve())
SANITIZED = sys.argv[2] != "none"
POD = """apiVersion: v1
kind: Pod
metadata: {name: a}
spec: {containers: [{name: c, resources: {requests: {cpu: "1"}}}]}
"""
ROWS = "provider,region,zone,instance_type,os,capacity_type,currency,effective_at,price_per_hour\n"
RANGES = [{"index": 0, "label": "5-10%"}, {"index": 1, "label": "10-15%"}]


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory() as name:
        yield pathlib.Path(name)


def environment(**more):
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS")}
    return {**kept, "HOME": "/nonexistent", "LC_ALL": "C.UTF-8", "STOWAGE_BOOK": "none", **more}


def limited(what, most):
    return lambda: resource.setrlimit(what, (most, most))


def run(*words, seconds=60, before=None):
    return subprocess.run([STOWAGE, *map(str, words)], env=environment(), timeout=seconds,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          preexec_fn=before)


def expect(done, status, *phrases):
    assert done.returncode == status, f"exit {done.returncode}: {done.stderr}"
    for phrase in phrases:
        assert phrase in done.stderr, f"no '{phrase}' in: {done.stderr}"


# ---- input ---------------------------------------------------------------------------------


def endless_input(tap):
    with tap.case("input without an end reaches the limit"):
        done = run("inspect", "-f", "/dev/zero", "--max-input", "1Mi")
        expect(done, 3, "larger than 1 MiB", "--max-input")
    name = "input without an end ends where memory does"
    if SANITIZED:
        tap.skip(name, "sanitizers reserve more memory than the limit allows")
    else:
        with tap.case(name):
            done = run("inspect", "-f", "/dev/zero", before=limited(resource.RLIMIT_AS, 1 << 29))
            expect(done, 1, "out of memory")


def large_files(tap):
    with folder() as at:
        (at / "a.yaml").write_text(POD + "#" * 2000)
        subprocess.run(["gzip", "-k", at / "a.yaml"], check=True)
        for name in ("a.yaml", "a.yaml.gz"):
            with tap.case(f"{name} that is too large is an error"):
                expect(run("inspect", "-f", at / name, "--max-input", "1Ki"), 3,
                       f"{name}: larger than 1 KiB")
        with tap.case("a file that is too large can be left out"):
            (at / "b.yaml").write_text(POD)
            done = run("inspect", "-f", at, "--max-input", "1Ki", "--skip-unreadable")
            expect(done, 0, "left out 2 files")
        with tap.case("a size that is none is an error"):
            expect(run("inspect", "-f", at, "--max-input", "0"), 2, "--max-input takes a size")


def pipes(tap):
    with tap.case("a pipe in a folder is skipped with a warning"), folder() as at:
        (at / "a.yaml").write_text(POD)
        os.mkfifo(at / "b.yaml")
        expect(run("inspect", "-f", at, seconds=20), 0, "pipes and devices (1)")


# ---- price books -----------------------------------------------------------------------------


def price(value):
    return ROWS + f"aws,r,,a,linux,on-demand,USD,,{value}\n"


def import_(book, *files, **more):
    return run("price", "import", "--book", book, *files, **more)


def damage(tap):
    with tap.case("a book whose last line is cut off is damaged"), folder() as at:
        (at / "prices.csv").write_text(price("0.0365")[:-5])
        (at / "new.csv").write_text(price("0.05").replace(",a,", ",b,"))
        expect(import_(at, at / "new.csv"), 3, "prices.csv:2:1", "damaged")
        assert (at / "prices.csv").read_text() == price("0.0365")[:-5]


def file_limit(tap):
    with tap.case("a file that may not grow is a clean error"), folder() as at:
        (at / "new.csv").write_text(ROWS + "".join(
            f"aws,r,,type-{i},linux,on-demand,USD,,0.5\n" for i in range(2000)))
        done = import_(at / "book", at / "new.csv", before=limited(resource.RLIMIT_FSIZE, 4096))
        expect(done, 1, "cannot be written: File too large")
        assert sorted(p.name for p in (at / "book").iterdir()) == [".lock"]


def editions(at):
    """Two sets of files, each of which changes both files of the book."""
    for i in (0, 1):
        (at / f"prices-{i}.csv").write_text(ROWS + "".join(
            f"aws,r,,type-{n},linux,spot,USD,,0.{i + 1}\n" for n in range(3000)))
        types = {f"type-{n}": {"s": 70, "r": i} for n in range(3000)}
        (at / f"advisor-{i}.json").write_text(json.dumps(
            {"ranges": RANGES, "spot_advisor": {"r": {"Linux": types}}}))
        yield [at / f"prices-{i}.csv", at / f"advisor-{i}.json"]


def edition_of(book):
    """Which edition each file of the book is of, as the command sees it."""
    done = run("price", "get", "type-7", "--region", "r", "--book", book, "-o", "json")
    expect(done, 0)
    offer = json.loads(done.stdout)["offers"][0]
    return offer["pricePerHour"][:3], json.dumps(offer["interruption"], sort_keys=True)


def kills(tap):
    with tap.case("a kill at any moment leaves all files old or all new"), folder() as at:
        files, book = list(editions(at)), at / "book"
        expect(import_(book, *files[0]), 0)
        allowed = [edition_of(book)]
        start = time.monotonic()
        expect(import_(book, *files[1]), 0)
        allowed.append(edition_of(book))
        whole = time.monotonic() - start
        for i in range(40):
            expect(import_(book, *files[i % 2]), 0)
            process = subprocess.Popen(
                [STOWAGE, "price", "import", "--book", book, *files[1 - i % 2]],
                env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(whole * (0.4 + 0.6 * i / 40))
            process.kill()
            process.wait()
            seen = edition_of(book)
            assert seen in allowed, f"kill {i}: {seen}, expected one of {allowed}"


# ---- signals ---------------------------------------------------------------------------------


def heed_signals():
    """A shell that runs tests in the background has it ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def signalled(words, number, times=1):
    """The command, sent a signal once it searches, and again if asked for."""
    process = subprocess.Popen([STOWAGE, *words], env=environment(), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, preexec_fn=heed_signals)
    time.sleep(8 if SANITIZED else 2)
    process.send_signal(number)
    if times > 1:
        time.sleep(0.01)
        process.send_signal(number)
    out, err = process.communicate(timeout=100)
    return subprocess.CompletedProcess(words, process.returncode, out, err)


def signals(tap):
    with folder() as at:
        for verb in ("scale", "consolidate"):
            (at / f"{verb}.json").write_text(json.dumps(puzzle(verb)))
        limits = ["--gap", "0", "--time-limit", "100s", "-o", "json"]
        scale = ["scale", "--strategy", "optimal", "-f", str(at / "scale.json"), *limits]
        for number in (signal.SIGINT, signal.SIGTERM):
            with tap.case(f"{number.name} ends the search of scale with the best plan"):
                done = signalled(scale, number)
                expect(done, 4, "stopped: this is the best")
                plan = json.loads(done.stdout)
                assert plan["ended"] == "stopped" and plan["newNodes"], done.stdout[:500]
                assert "perHour" in plan["bound"], done.stdout[:500]
        with tap.case("SIGINT ends the search of consolidate with the best steps"):
            done = signalled(["consolidate", "-f", str(at / "consolidate.json"), *limits],
                                signal.SIGINT)
            expect(done, 4, "stopped: this is the best")
            assert json.loads(done.stdout)["ended"] == "stopped", done.stdout[:500]
        with tap.case("a second signal kills"):
            for _ in range(5):  # the search may have ended before the second one arrives
                done = signalled(scale, signal.SIGINT, 2)
                if done.returncode == -signal.SIGINT:
                    break
                expect(done, 4)
            assert done.returncode == -signal.SIGINT, f"exit {done.returncode}: {done.stderr}"


def time_limits(tap):
    with folder() as at:
        for verb in (["scale", "--strategy", "optimal"], ["consolidate"]):
            path = at / f"{verb[0]}.json"
            path.write_text(json.dumps(puzzle(verb[0])))
            for form in ("table", "wide", "markdown", "html", "json", "yaml", "csv", "nodeclaims"):
                with tap.case(f"{verb[0]} -o {form} says that the time is up"):
                    done = run(*verb, "-f", path, "--gap", "0", "--time-limit", "300ms", "-o", form)
                    said = (done.stdout + done.stderr).lower()
                    assert "time limit was reached" in said or "time-limit" in said, said[-1000:]


def wide_pool(pods):
    """A NodePool of every machine of a region, and pods of many sizes."""
    where = [{"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot", "on-demand"]},
             {"key": "topology.kubernetes.io/zone", "operator": "In",
              "values": ["us-east-1a", "us-east-1b", "us-east-1c"]}]
    node_class = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "any"}
    items = [{"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "wide"},
              "spec": {"template": {"spec": {"nodeClassRef": node_class, "requirements": where}}}},
             {"apiVersion": "karpenter.k8s.aws/v1", "kind": "EC2NodeClass",
              "metadata": {"name": "any"}, "spec": {"amiFamily": "AL2023"}}]
    for i in range(pods):
        requests = {"cpu": f"{100 + i * 7919 % 2000}m", "memory": f"{128 + i * 104729 % 4000}Mi"}
        items.append({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"p{i}"},
                      "spec": {"containers": [{"name": "c", "resources": {"requests": requests}}]},
                      "status": {"phase": "Pending"}})
    return {"apiVersion": "v1", "kind": "List", "items": items}


def short_comparisons(tap):
    """However little time there is, no row of a comparison beats optimal's."""
    with folder() as at:
        (at / "in.json").write_text(json.dumps(wide_pool(300)))
        for limit in ("20ms", "100ms", "300ms"):
            with tap.case(f"a comparison within {limit}: optimal is the cheapest row"):
                done = run("scale", "--compare", "-f", at / "in.json", "--time-limit", limit,
                           "-o", "json", seconds=100)
                expect(done, 0)
                rows = json.loads(done.stdout)["strategies"]
                found = {row["strategy"]: (row["unplaced"], float(row["cost"]["perHour"]))
                         for row in rows}
                assert found["optimal"] == min(found.values()), found


def many_groups(tap):
    with tap.case("30,000 groups end soon after the time limit"), folder() as at:
        cluster = puzzle("scale")
        groups = [item for item in cluster["items"] if item["kind"] == "NodeGroup"]
        for i in range(30000):
            group = json.loads(json.dumps(groups[i % len(groups)]))
            group["metadata"]["name"] = f"more-{i}"
            for room in group["spec"]["template"]["status"].values():
                room["memory"] = f"{(8 << 20) + i * 7919}Ki"
            group["spec"]["pricePerHour"] = f"{1 + i / 30000:.6f}"
            cluster["items"].append(group)
        (at / "groups.json").write_text(json.dumps(cluster))
        expect(run("scale", "--strategy", "optimal", "-f", at / "groups.json", "--time-limit", "2s",
                   seconds=100), 0)


def main():
    tap = Tap()
    endless_input(tap)
    large_files(tap)
    pipes(tap)
    damage(tap)
    file_limit(tap)
    kills(tap)
    signals(tap)
    time_limits(tap)
    short_comparisons(tap)
    if not SANITIZED:
        many_groups(tap)
    tap.done()


if __name__ == "__main__":
    main()
