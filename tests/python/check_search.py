"""Searches: several at once, and ended early."""
import gc
import json
import os
import subprocess
import sys
import threading
import weakref

import stowage
from puzzle import puzzle

SHOP = "examples/shop"
INTERRUPTED = """
import os, signal, sys, threading, stowage
cluster = stowage.loads(sys.stdin.read())
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    cluster.scale(strategy="optimal", gap=0, time_limit="500s")
except KeyboardInterrupt:
    print("interrupted")
"""


def check_threads(tap):
    with tap.case("threads ask about one cluster at once"):
        shop, want, got = stowage.load(SHOP), stowage.load(SHOP).scale().to_json(), []

        def work():
            for _ in range(5):
                got.append(shop.scale().to_json() == want and shop.place(namespace="shop").ok)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert got == [True] * 20, got


def check_interrupt(tap):
    with tap.case("an interrupt ends a search"):
        done = subprocess.run([sys.executable, "-c", INTERRUPTED], text=True, timeout=300,
                              input=json.dumps(puzzle("scale")), capture_output=True,
                              env={**os.environ, "PYTHONPATH": "bindings/python"})
        assert done.stdout == "interrupted\n", done.stdout + done.stderr


def check_live(tap):
    with tap.case("a search is watched until it ends, and the last update is its answer's"):
        search = stowage.load(SHOP).scale_live()
        updates = list(search)
        last, answer = updates[-1], search.answer
        assert search.done and list(search) == []
        assert (last.cost, last.bound, last.gap) == (answer.cost, answer.bound, answer.gap)
        assert answer.to_json() == stowage.load(SHOP).scale().to_json()
        assert [u.seconds for u in updates] == sorted(u.seconds for u in updates)
    hard = stowage.from_objects(puzzle("scale")["items"])
    with tap.case("better plans and bounds are told while a search runs"):
        search = hard.scale_live(strategy="optimal", gap=0, time_limit="500s")
        seen = []
        for update in search:
            seen.append(update)
            search.stop()
        assert len(seen) > 1 and seen[0].seconds < 500, seen
        assert all(u.bound <= u.cost and 0 <= u.gap for u in seen if u.cost and u.bound), seen
    with tap.case("a search that is stopped has an answer"):
        search = hard.scale_live(strategy="optimal", gap=0, time_limit="500s")
        search.stop()
        assert isinstance(search.answer.problem, stowage.NotSettled), search.answer.problem
        assert search.answer.bound <= search.answer.cost and search.answer.nodes
    with tap.case("a search that nobody wants any more ends"):
        with hard.scale_live(strategy="optimal", gap=0, time_limit="500s") as search:
            pass
        assert search.done
        search = hard.ask_live("scale", strategy="optimal", gap=0, time_limit="500s")
        run = search._run
        del search
        gc.collect()
        assert not run.thread.is_alive()
    with tap.case("what goes wrong in a search is raised where it is watched"):
        search = stowage.load(SHOP).scale_live(budgt=1)
        for _ in range(2):
            try:
                next(search)
            except stowage.InvalidArgument as problem:
                assert "budgt" in str(problem)
            else:
                raise AssertionError("nothing was raised")
    with tap.case("Python ends while a search runs"):
        text = INTERRUPTED.split("signal.signal")[0] + \
            "search = cluster.scale_live(gap=0, time_limit='500s'); print('left')"
        done = subprocess.run([sys.executable, "-c", text], text=True, timeout=300,
                              input=json.dumps(puzzle("scale")), capture_output=True,
                              env={**os.environ, "PYTHONPATH": "bindings/python"})
        assert (done.returncode, done.stdout) == (0, "left\n"), done.stderr


def check_memory(tap):
    with tap.case("an answer is freed with its last user"):
        answer = stowage.load(SHOP).place()
        gone = weakref.ref(answer)
        pods = answer.pods
        del answer
        gc.collect()
        assert gone() is None and pods[0].name


def check(tap):
    check_threads(tap)
    check_interrupt(tap)
    check_live(tap)
    check_memory(tap)
