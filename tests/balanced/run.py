#!/usr/bin/env python3
"""Small clusters of a NodePool with consolidationPolicy Balanced, each step weighed a second time.

Usage: run.py STOWAGE [FIRST LAST]     (seeds; a failing one is printed and can be run alone)

A step, with those that prepare it, must save at least half the share of the pool's cost that it
disrupts of the pool: a node counts as one pod, a pod as 1 + cost / 2^27 + priority / 2^25, at most
10, and a node whose pods count nothing is empty and goes for another reason.  Nor may a step remove
more nodes than the budget of their pool allows.  After the last step no node may be left that could
go alone, to nodes that are there, with the pool's approval.  `verify` must accept the plan, and refuse
one that is made without the rule where the rule forbids a step of it."""
import json
import os
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

CPU = {'m5.large': 2000, 'm5.xlarge': 4000, 'm6a.xlarge': 4000, 'c5.xlarge': 4000}
PRICE = {'m5.large': 96, 'm5.xlarge': 192, 'm6a.xlarge': 173, 'c5.xlarge': 170}  # thousandths
UNIT = 1 << 27
COSTS = [None, None, None, 0, -UNIT, -3 * UNIT, 5 * UNIT, 40 * UNIT, UNIT // 2, 'much']
OPTIONS = ['--book', 'none', '--at', '2026-09-07T09:00:00Z', '--max-surge', 'none',
           '--max-moves-per-step', 'none', '-q']


def pool(name, kinds, policy, budget):
    return {'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': name},
            'spec': {'template': {'spec': {
                'requirements': [
                    {'key': 'node.kubernetes.io/instance-type', 'operator': 'In', 'values': kinds},
                    {'key': 'karpenter.sh/capacity-type', 'operator': 'In', 'values': ['on-demand']}],
                'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'}}},
                'disruption': {'consolidationPolicy': policy, 'consolidateAfter': '0s',
                               'budgets': [{'nodes': budget}] if budget else []}}}


def node(name, kind, of):
    room = {'cpu': f'{CPU[kind]}m', 'memory': '16Gi', 'pods': '50'}
    return {'apiVersion': 'v1', 'kind': 'Node',
            'metadata': {'name': name, 'creationTimestamp': '2026-09-01T00:00:00Z', 'labels': {
                'karpenter.sh/nodepool': of, 'karpenter.sh/initialized': 'true',
                'karpenter.sh/capacity-type': 'on-demand', 'node.kubernetes.io/instance-type': kind,
                'topology.kubernetes.io/region': 'us-east-1', 'topology.kubernetes.io/zone': 'us-east-1a',
                'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64', 'kubernetes.io/hostname': name}},
            'status': {'capacity': room, 'allocatable': room, 'conditions': [{'type': 'Ready', 'status': 'True'}]}}


def pod(name, cpu, home, cost, priority, key):
    meta = {'name': name, 'namespace': 'default', 'creationTimestamp': '2026-09-01T01:00:00Z',
            'ownerReferences': [{'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': 'r', 'uid': 'u',
                                 'controller': True}]}
    if cost is not None:
        meta['annotations'] = {key: str(cost)}
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': meta,
            'spec': {'nodeName': home, 'priority': priority,
                     'containers': [{'name': 'c', 'resources': {'requests': {'cpu': f'{cpu}m'}}}]},
            'status': {'phase': 'Running', 'startTime': '2026-09-01T01:00:00Z'}}


def weight(cost, priority):
    cost = cost if isinstance(cost, int) else 0
    return max(Fraction(0), min(Fraction(10), 1 + Fraction(cost, UNIT) + Fraction(priority, 1 << 25)))


class Case:
    def __init__(self, seed):
        r = random.Random(seed)
        kinds = r.sample(sorted(CPU), r.randint(2, 4))
        self.policies = {'p': 'Balanced', 'q': r.choice(['Balanced', 'WhenEmptyOrUnderutilized'])}
        pools = ['p'] if r.random() < .6 else ['p', 'q']
        self.kinds = kinds
        self.budget = {p: r.choice([None, None, '1', '2', '40%']) for p in 'pq'}
        self.pools = pools
        self.nodes = {f'n{i}': (r.choice(kinds), r.choice(pools)) for i in range(r.randint(2, 5))}
        self.pods = {}
        for name, (kind, _) in self.nodes.items():
            left = CPU[kind]
            for _ in range(r.randint(0, 4)):
                size = r.choice([300, 700, 900, 1500, 1900])
                if size <= left and len(self.pods) < 12:
                    left -= size
                    self.pods[f'x{len(self.pods)}'] = (
                        size, name, r.choice(COSTS), r.choice([0, 0, 0, 1000, -1 << 25, 1 << 26]),
                        r.choice(['karpenter.sh/disruption-cost', 'controller.kubernetes.io/pod-deletion-cost']))

    def objects(self, policy=None):
        prices = [{'provider': 'aws', 'region': 'us-east-1', 'instanceType': k, 'capacityType': 'on-demand',
                   'pricePerHour': '0.%03d' % PRICE[k]} for k in CPU]
        made = [{'apiVersion': 'karpenter.k8s.aws/v1', 'kind': 'EC2NodeClass', 'metadata': {'name': 'default'},
                 'spec': {'amiFamily': 'AL2023'}, 'status': {'subnets': [{'id': 's', 'zone': 'us-east-1a'}]}},
                {'apiVersion': 'stowage.dev/v1alpha1', 'kind': 'PriceBook', 'metadata': {'name': 'b'},
                 'spec': {'prices': prices}}]
        made += [pool(p, self.kinds, policy or self.policies[p], self.budget[p]) for p in self.pools]
        made += [node(n, kind, of) for n, (kind, of) in self.nodes.items()]
        made += [pod(p, *rest) for p, rest in self.pods.items()]
        return {'apiVersion': 'v1', 'kind': 'List', 'items': made}


class Standing:
    """The cluster between steps."""

    def __init__(self, case):
        self.case = case
        self.nodes = dict(case.nodes)
        self.at = {p: v[1] for p, v in case.pods.items()}
        self.empty = {n for n in case.nodes
                      if not any(weight(v[2], v[3]) for v in case.pods.values() if v[1] == n)}

    def copy(self):
        made = Standing(self.case)
        made.nodes, made.at = dict(self.nodes), dict(self.at)
        return made

    def disruption(self, nodes):
        return len(nodes) + sum(weight(v[2], v[3]) for p, v in self.case.pods.items() if self.at[p] in nodes)

    def refused(self, removes, saving):
        """The pool that does not approve, or None."""
        weighed = [n for n in removes if n not in self.empty]
        saving -= sum(PRICE[self.nodes[n][0]] for n in removes if n in self.empty)
        for p in self.case.pools:
            own = [n for n in weighed if self.nodes[n][1] == p]
            if self.case.policies[p] != 'Balanced' or not own:
                continue
            everything = [n for n, (_, of) in self.nodes.items() if of == p]
            price = lambda nodes: sum(PRICE[self.nodes[n][0]] for n in nodes)
            share = Fraction(saving * price(own), price(weighed)) / price(everything)
            if share <= 0 or 2 * share < self.disruption(own) / self.disruption(everything):
                return p
        return None

    def exceeded(self, removes):
        """The pool of which too many nodes go at once, or None."""
        for p in self.case.pools:
            budget, all_of = self.case.budget[p], sum(of == p for _, of in self.nodes.values())
            if not budget:
                continue
            most = -(-all_of * int(budget[:-1]) // 100) if budget.endswith('%') else int(budget)
            if sum(self.nodes[n][1] == p for n in removes) > most:
                return p
        return None

    def room(self, node):
        return CPU[self.nodes[node][0]] - sum(self.case.pods[p][0] for p, n in self.at.items() if n == node)

    def could_go_alone(self):
        """A node that could go with the pool's approval, its pods to nodes that are there; or None."""
        for name, (kind, _) in self.nodes.items():
            if name not in self.case.nodes or self.refused([name], PRICE[kind]):
                continue
            others = [self.room(n) for n in self.nodes if n != name]
            if fits(sorted((self.case.pods[p][0] for p, n in self.at.items() if n == name), reverse=True), others):
                return name
        return None


def fits(sizes, rooms):
    if not sizes:
        return True
    for i, room in enumerate(rooms):
        if room >= sizes[0] and fits(sizes[1:], rooms[:i] + [room - sizes[0]] + rooms[i + 1:]):
            return True
    return False


def thousandths(text):
    return round(Fraction(text) * 1000)


def kind_of(group):
    return group.split('/')[1], group.split('/')[0]


def weigh(case, plan):
    """What is wrong with the plan, or None; and the cluster after it."""
    now = begin = Standing(case)
    saving, removes = 0, []
    for number, step in enumerate(plan['steps'], 1):
        if begin is now:
            now = begin.copy()
        exceeded = now.exceeded(step.get('remove', []))
        if exceeded:
            return f'budgets of pool {exceeded} forbid step {number}', now
        for new in step.get('add', []):
            now.nodes[new['name']] = kind_of(new['group'])
            saving -= PRICE[now.nodes[new['name']][0]]
        for move in step.get('move', []):
            now.at[move['pod'].split('/')[-1]] = move['to']
        for name in step.get('remove', []):
            saving += PRICE[now.nodes[name][0]]
            removes.append(name)
            del now.nodes[name]
        if step.get('prepares'):
            continue
        refused = begin.refused(removes, saving)
        if refused:
            return f'pool {refused} does not approve of step {number}', now
        begin, saving, removes = now, 0, []
    return None, now


def run(stowage, *args, stdin=None):
    done = subprocess.run([stowage, *args], capture_output=True, text=True, input=stdin, check=False)
    return done.returncode, done.stdout, done.stderr


def ask(stowage, folder, case, policy=None):
    path = os.path.join(folder, f'{policy}.json')
    with open(path, 'w') as f:
        json.dump(case.objects(policy), f)
    code, out, err = run(stowage, 'consolidate', '-f', path, '-o', 'json', '--time-limit', '60s', *OPTIONS)
    return path, (json.loads(out) if code == 0 else None), err


def check(stowage, folder, seed):
    """What is wrong, or None; and whether the rule forbids what would be done without it."""
    case = Case(seed)
    path, plan, err = ask(stowage, folder, case)
    if plan is None:
        return f'fails: {err}', False
    wrong, end = weigh(case, plan)
    if wrong:
        return wrong, False
    left = end.could_go_alone()
    if left:
        return f'node {left} could go, too', False
    code, out, err = run(stowage, 'verify', '-', '-f', path, *OPTIONS, stdin=json.dumps(plan))
    if code:
        return f'verify refuses it: {out}{err}', False
    _, loose, err = ask(stowage, folder, case, 'WhenEmptyOrUnderutilized')
    if loose is None:
        return f'fails without the rule: {err}', False
    wrong, _ = weigh(case, loose)
    code, out, err = run(stowage, 'verify', '-', '-f', path, *OPTIONS, stdin=json.dumps(loose))
    if bool(wrong) != bool(code):
        return f'without the rule {wrong}, and verify says {code}: {out}{err}', False
    return None, bool(wrong)


def main():
    stowage = os.path.abspath(sys.argv[1])
    first, last = (int(sys.argv[2]), int(sys.argv[3])) if len(sys.argv) > 3 else (1, 60)
    forbids = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last + 1):
            wrong, forbidden = check(stowage, folder, seed)
            forbids += forbidden
            failed += bool(wrong)
            if wrong:
                print(f'# seed {seed}: {wrong}'.replace('\n', '\n# '))
    print(f'{"not " if failed else ""}ok 1 - steps of Balanced pools pay for what they disrupt')
    print(f'{"" if forbids or len(sys.argv) > 3 else "not "}ok 2 - the rule forbids something ({forbids} of {last - first + 1})')
    print('1..2')
    return failed > 0


sys.exit(main())
