#!/usr/bin/env python3
"""select_vectors.py FROM TO [--bytes N] - a lean selection of case files, same format.

Every group stays.  Small groups stay whole; a large one gets a share of the bytes and keeps the
cases that together show everything that two or more of its cases have in common: fields, and
short values such as operators, effects, plugins and reasons.  What is left of the share is filled
with cases spread evenly over the rest.  The choice depends on the input alone.
"""
import argparse
import collections
import json
import math
import pathlib

SMALL = 64 * 1024


def dump(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def size(value):
    return len(dump(value).encode())


def traits(value, above=""):
    """Pairs of (place, value): a place is the last two names, as names of nodes vary."""
    if isinstance(value, dict):
        for name, below in value.items():
            yield above, name
            yield from traits(below, name)
    elif isinstance(value, list):
        yield above, f"list of {min(len(value), 3)}"
        for below in value:
            yield from traits(below, above)
    elif isinstance(value, str) and len(value) <= 60:
        yield above, "=" + value
    elif value is None or isinstance(value, bool):
        yield above, repr(value)


def shared_traits(cases):
    """Of each case those traits that another case has too."""
    own = [set(traits(case)) for case in cases]
    count = collections.Counter(trait for found in own for trait in found)
    return [{trait for trait in found if count[trait] > 1} for found in own]


def cover(cases, budget):
    """Indexes: greedily the case with the most traits not seen yet per byte."""
    own = shared_traits(cases)
    sizes = [size(case) for case in cases]
    left = set(range(len(cases)))
    seen, chosen, used = set(), set(), 0
    while left:
        best = max(left, key=lambda i: (len(own[i] - seen) / sizes[i], -i))
        if not own[best] - seen:
            break
        left.discard(best)
        if used + sizes[best] <= budget:
            chosen.add(best)
            seen |= own[best]
            used += sizes[best]
    return chosen, used, sizes


def fill(chosen, used, sizes, budget):
    """Adds cases from all over the group until the budget is used."""
    order = sorted(set(range(len(sizes))) - chosen, key=lambda i: (i * 0.6180339887) % 1)
    for i in order:
        if used + sizes[i] <= budget:
            chosen.add(i)
            used += sizes[i]
    return sorted(chosen)


def select(group, budget):
    cases = group["cases"]
    if size(group) <= budget or not cases:
        return group
    return {**group, "cases": [cases[i] for i in fill(*cover(cases, budget), budget)]}


def budgets(groups, total):
    """Small groups whole, the rest shared out by the square root of their sizes."""
    large = {i: size(g) for i, g in enumerate(groups) if size(g) > SMALL}
    rest = total - sum(size(g) for i, g in enumerate(groups) if i not in large)
    weight = sum(math.sqrt(n) for n in large.values()) or 1
    return [int(rest * math.sqrt(large[i]) / weight) if i in large else SMALL
            for i in range(len(groups))]


def write(path, document, groups):
    """One case per line: compact, and a change shows as a line."""
    head = {k: v for k, v in document.items() if k != "groups"}
    with path.open("w", encoding="utf-8") as out:
        out.write(dump(head)[:-1] + ',"groups":[\n')
        for n, group in enumerate(groups):
            rest = {k: v for k, v in group.items() if k != "cases"}
            out.write(dump(rest)[:-1] + ',"cases":[\n')
            out.write(",\n".join(dump(case) for case in group["cases"]))
            out.write("\n]}" + (",\n" if n + 1 < len(groups) else "\n"))
        out.write("]}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("target", type=pathlib.Path)
    parser.add_argument("--bytes", type=int, default=2_800_000)
    options = parser.parse_args()

    files = {p.name: json.loads(p.read_text(encoding="utf-8"))
             for p in sorted(options.source.glob("*.json"))}
    groups = [g for document in files.values() for g in document["groups"]]
    chosen = iter([select(g, b) for g, b in zip(groups, budgets(groups, options.bytes))])
    options.target.mkdir(parents=True, exist_ok=True)
    for name, document in files.items():
        kept = [next(chosen) for _ in document["groups"]]
        write(options.target / name, document, kept)
        print(f"{name}: {sum(len(g['cases']) for g in kept)} of "
              f"{sum(len(g['cases']) for g in document['groups'])} cases")


if __name__ == "__main__":
    main()
