#!/usr/bin/env python3
"""Small clusters with commitments, compared with a program that tries every choice of nodes.

Usage: run.py STOWAGE [FIRST LAST]     (seeds; a failing one is printed and can be run alone)

A commitment is of a type in a region: P nodes of it cost nothing more than what is owed anyway.
So a set of nodes costs what its nodes cost, less the P highest prices of each type and region.
`scale` must buy the cheapest set, `consolidate` (without limits on its steps) must never state a
cost that is not the bill of what is left, nor a bound above the cheapest set, it must find that set
unless it states no bound (a committed place that passes from a node to one of another kind is not
searched), and `verify` must accept what both of them print."""
import json
import os
import random
import subprocess
import sys
import tempfile

CPU = {'m5.large': 2000, 'm5.xlarge': 4000, 'c5.xlarge': 4000, 'r5.large': 2000}
PRICE = {'m5.large': 96, 'm5.xlarge': 192, 'c5.xlarge': 170, 'r5.large': 126}  # a thousandth each
REGION = {'us-east-1': 1000, 'us-west-2': 1100}
SPOT = 400
ZONES = ['us-east-1a', 'us-east-1b', 'us-west-2a']
NO_LIMITS = ['--max-surge', 'none', '--max-moves-per-step', 'none']


def region(zone):
    return zone[:-1]


def price(machine):
    """In millionths."""
    kind, zone, spot = machine
    return PRICE[kind] * (SPOT if spot else REGION[region(zone)])


def labels(machine):
    kind, zone, spot = machine
    made = {'node.kubernetes.io/instance-type': kind, 'topology.kubernetes.io/zone': zone,
            'topology.kubernetes.io/region': region(zone),
            'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64'}
    if spot:
        made['karpenter.sh/capacity-type'] = 'spot'
    return made


def room(machine):
    return {'cpu': f'{CPU[machine[0]]}m', 'memory': '16Gi', 'pods': '50'}


def node(name, machine):
    return {'apiVersion': 'v1', 'kind': 'Node',
            'metadata': {'name': name, 'labels': dict(labels(machine), **{'kubernetes.io/hostname': name})},
            'spec': {'providerID': f'aws:///{machine[1]}/i-{name}'},
            'status': {'capacity': room(machine), 'allocatable': room(machine),
                       'conditions': [{'type': 'Ready', 'status': 'True'}]}}


def group(name, machine, most):
    return {'apiVersion': 'stowage.dev/v1alpha1', 'kind': 'NodeGroup', 'metadata': {'name': name},
            'spec': {'maxNodes': most, 'template': {'metadata': {'labels': labels(machine)},
                                                    'status': {'allocatable': room(machine)}}}}


def pod(name, cpu, zone, home=None, moves=True):
    made = {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': name, 'namespace': 'default'},
            'spec': {'containers': [{'name': 'c', 'image': 'x',
                                     'resources': {'requests': {'cpu': f'{cpu}m'}}}]},
            'status': {'phase': 'Running' if home else 'Pending'}}
    if moves:
        made['metadata']['ownerReferences'] = [{'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': 'r',
                                                'uid': 'u', 'controller': True}]
    if zone:
        made['spec']['nodeSelector'] = {'topology.kubernetes.io/zone': zone}
    if home:
        made['spec']['nodeName'] = home
        made['status']['startTime'] = '2026-10-02T00:00:00Z'
    return made


def book(committed):
    prices = [{'provider': 'aws', 'region': r, 'instanceType': k, 'capacityType': 'spot' if s else 'on-demand',
               'pricePerHour': '%.6f' % (price((k, r + 'a', s)) / 1e6)}
              for k in CPU for r in REGION for s in (False, True)]
    return {'apiVersion': 'stowage.dev/v1alpha1', 'kind': 'PriceBook', 'metadata': {'name': 'b'},
            'spec': {'prices': prices,
                     'commitments': [{'instanceType': k, 'region': r, 'nodes': n, 'pricePerHour': fee}
                                     for (k, r), (n, fee) in committed.items()]}}


class Case:
    def __init__(self, seed):
        r = random.Random(seed)
        kinds = r.sample(sorted(CPU), r.randint(1, 3))
        zones = ZONES[:r.choice([1, 2, 2, 3])]
        machine = lambda: (r.choice(kinds), r.choice(zones), r.random() < .15)
        self.consolidates = r.random() < .6
        self.groups = [(machine(), 9 if self.consolidates else r.randint(0, 4)) for _ in range(r.randint(1, 4))]
        self.nodes = [machine() for _ in range(r.randint(1 if self.consolidates else 0, 4))]
        self.committed = {}
        for _ in range(r.randint(1, 2)):
            self.committed[(r.choice(kinds), region(r.choice(zones)))] = (r.randint(1, 4),
                                                                          r.choice(['0.01', '0.05', '0.1']))
        sizes = [300, 700, 900, 1500, 1900, 2600, 3500]
        self.pods = []  # (size, zone, home, moves)
        for at, where in enumerate(self.nodes):
            left = CPU[where[0]]
            for _ in range(r.randint(0, 3)):
                size = r.choice(sizes)
                if size <= left:
                    left -= size
                    self.pods.append((size, where[1] if r.random() < .4 else None, at, r.random() < .8))
        if self.consolidates:
            self.pods = self.pods[:6]
        else:
            self.pods += [(r.choice(sizes), r.choice(zones) if r.random() < .4 else None, None, True)
                          for _ in range(r.randint(1, 5))]

    def objects(self):
        made = [book(self.committed)]
        made += [node(f'n{i}', m) for i, m in enumerate(self.nodes)]
        made += [group(f'g{i}', m, most) for i, (m, most) in enumerate(self.groups)]
        made += [pod(f'p{i}', size, zone, None if home is None else f'n{home}', moves)
                 for i, (size, zone, home, moves) in enumerate(self.pods)]
        return {'apiVersion': 'v1', 'kind': 'List', 'items': made}

    def fees(self):
        return sum(n * round(float(fee) * 1e6) for n, fee in self.committed.values())

    def cost(self, machines, first=()):
        """Of a set of nodes; `first`: those that take what is committed before others."""
        under = {}
        total = 0
        for m in machines:
            if m[2] or (m[0], region(m[1])) not in self.committed:
                total += price(m)
            else:
                under.setdefault((m[0], region(m[1])), []).append(price(m))
        for key, prices in under.items():
            total += sum(sorted(prices, reverse=True)[self.committed[key][0]:])
        return total


def cheapest(case):
    """(pods placed, cost) of the best choice: for `scale` existing nodes stay, for `consolidate`
    a node stays where a pod is that does not move."""
    gone_free = case.consolidates
    pods = sorted(case.pods, key=lambda p: (p[2] is None or p[3] if gone_free else p[2] is None, -p[0]))
    left = [CPU[m[0]] for m in case.nodes]
    used = [not gone_free] * len(left)
    kinds = {}
    for m, most in case.groups:
        kinds[m] = kinds.get(m, 0) + most
    bought = []  # [machine, room]
    best = [(-1, 0)]

    def finish(placed):
        machines = [m for m, u in zip(case.nodes, used) if u] + [b[0] for b in bought]
        best[0] = max(best[0], (placed, -case.cost(machines)))

    def put(i, placed):
        if placed + len(pods) - i < best[0][0]:
            return
        if i == len(pods):
            finish(placed)
            return
        size, zone, home, moves = pods[i]
        stays = home is not None and (not gone_free or not moves)
        seen = set()
        for n, m in enumerate(case.nodes):
            same = (m, left[n], used[n])
            if (stays and n != home) or left[n] < size or (zone and m[1] != zone) or (not stays and same in seen):
                continue
            seen.add(same)
            before = used[n]
            used[n], left[n] = True, left[n] - size
            put(i + 1, placed + 1)
            used[n], left[n] = before, left[n] + size
        if stays:
            return
        seen = set()
        for b in bought:
            if b[1] >= size and (not zone or b[0][1] == zone) and tuple(b) not in seen:
                seen.add(tuple(b))
                b[1] -= size
                put(i + 1, placed + 1)
                b[1] += size
        for m, most in kinds.items():
            if CPU[m[0]] >= size and (not zone or m[1] == zone) and sum(b[0] == m for b in bought) < most:
                bought.append([m, CPU[m[0]] - size])
                put(i + 1, placed + 1)
                bought.pop()
        if not gone_free:
            put(i + 1, placed)

    put(0, 0)
    return best[0][0], -best[0][1]


def millionths(text):
    return round(float(text) * 1e6)


def check_scale(case, plan):
    placed, cost = cheapest(case)
    cost -= case.cost(case.nodes)
    put = sum(len(n['pods']) for n in plan['newNodes']) + sum(len(n['pods']) for n in plan['existingNodes'])
    put += sum(p[2] is not None for p in case.pods)
    got = millionths(plan['cost']['perHour'])
    return [] if (put, got) == (placed, cost) else [f'scale: {put} pods for {got}, best {placed} for {cost}']


def could_pass(case):
    """Whether nodes have all places of a commitment, or share it, and a group sells another kind."""
    return any((kind, region(zone)) in case.committed and not spot and
               any(g[0][:2] != (kind, zone) and (g[0][0], region(g[0][1])) == (kind, region(zone))
                   for g in case.groups)
               for kind, zone, spot in case.nodes)


def check_consolidate(case, plan):
    wrong = []
    _, best = cheapest(case)
    best += case.fees()
    gone = {n for s in plan['steps'] for n in s['remove']}
    machines = [m for i, m in enumerate(case.nodes) if f'n{i}' not in gone]
    for s in plan['steps']:
        machines += [case.groups[int(a['group'][1])][0] for a in s['add'] if a['name'] not in gone]
    stated, is_ = millionths(plan['cost']['after']), case.cost(machines) + case.fees()
    if stated != is_:
        wrong.append(f'consolidate: states {stated}, the bill is {is_}')
    bound = (plan.get('bound') or {}).get('perHour')
    if bound is not None and millionths(bound) > best:
        wrong.append(f'consolidate: bound {millionths(bound)} above the cheapest, {best}')
    if stated != best if bound is not None or not could_pass(case) else stated < best:
        wrong.append(f'consolidate: {stated}, the cheapest is {best}; bound {bound}')
    return wrong


def run(stowage, *args):
    return subprocess.run([stowage, *args], capture_output=True, text=True, timeout=120)


def try_one(stowage, folder, seed):
    case = Case(seed)
    given, made = os.path.join(folder, 'case.json'), os.path.join(folder, 'plan.json')
    with open(given, 'w', encoding='utf-8') as f:
        json.dump(case.objects(), f)
    verb = ['consolidate', *NO_LIMITS] if case.consolidates else ['scale']
    answer = run(stowage, *verb, '-f', given, '-o', 'json', '--book', 'none')
    if answer.returncode:
        return [f'{verb[0]} exits {answer.returncode}: {answer.stderr[:200]}']
    with open(made, 'w', encoding='utf-8') as f:
        f.write(answer.stdout)
    plan = json.loads(answer.stdout)
    wrong = (check_consolidate if case.consolidates else check_scale)(case, plan)
    plan.pop('proof', None)  # a kind of its own there
    if '(committed)' in json.dumps(plan):
        wrong.append('the answer names a group that is not the user\'s')
    verified = run(stowage, 'verify', made, '-f', given, '--book', 'none', *(NO_LIMITS if case.consolidates else []))
    if verified.returncode:
        wrong.append(f'verify exits {verified.returncode}: {verified.stdout[-300:]}')
    return wrong


def main():
    stowage = sys.argv[1]
    first, last = (int(a) for a in sys.argv[2:4]) if len(sys.argv) > 3 else (
        0, 500 if os.environ.get('STOWAGE_TEST_ALL') else 50)
    failed = 0
    print(f'1..{last - first}')
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last):
            wrong = try_one(stowage, folder, seed)
            failed += bool(wrong)
            print('not ok' if wrong else 'ok', seed - first + 1, f'- seed {seed}', '; '.join(wrong), flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
