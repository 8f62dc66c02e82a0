"""tap.py - the few lines of TAP that the tests written in Python share."""
import sys
import traceback


class Tap:
    """Counts cases; `with tap.case("a name is a sentence"): assert ...`."""

    def __init__(self):
        self.count = self.failed = 0

    def case(self, name):
        return Case(self, name)

    def result(self, name, problem=None):
        self.count += 1
        self.failed += bool(problem)
        print(f"{'not ok' if problem else 'ok'} {self.count} - {name}", flush=True)
        for line in str(problem or "").splitlines():
            print(f"# {line}", flush=True)

    def skip(self, name, why):
        self.count += 1
        print(f"ok {self.count} - {name} # SKIP {why}", flush=True)

    def done(self):
        print(f"1..{self.count}")
        sys.exit(1 if self.failed else 0)


class Case:
    def __init__(self, tap, name):
        self.tap, self.name = tap, name

    def __enter__(self):
        return self

    def __exit__(self, kind, problem, trace):
        if kind is not None and not issubclass(kind, Exception):
            return False
        text = str(problem) if isinstance(problem, AssertionError) else ""
        if problem and not text:
            text = "".join(traceback.format_exception(kind, problem, trace))
        self.tap.result(self.name, text)
        return True
