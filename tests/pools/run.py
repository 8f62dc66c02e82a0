#!/usr/bin/env python3
"""Small markets of Karpenter's NodePools, compared with a program that tries every choice of nodes.

Usage: run.py STOWAGE [FIRST LAST]     (seeds; a failing one is printed and can be run alone)

Each market has one to three pools over a few machines: requirements with every operator, the same key
twice, minValues, limits of cores, memory and nodes, weights, template labels, taints, and
NodeOverlays that change prices.  The program here knows only what the documents of Karpenter say: it
works out which machines a pool admits and what they cost, and then tries every way to put the pods on
new nodes.  `scale --strategy optimal` must place as many pods at the lowest cost, and `verify` must
accept what it prints.  Where pools have several weights, a single pod must go to the highest that
takes it; with more pods, only that no less is placed and nothing is claimed below the lowest cost."""
import csv
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from fractions import Fraction

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TYPES = ['m5.large', 'm5.xlarge', 'c6i.large', 'c6i.xlarge', 'r6g.large', 'c7g.xlarge', 't3.large', 'm5d.large',
         'g4dn.xlarge', 'c5.metal']
AWS = 'karpenter.k8s.aws/'
TYPE, ZONE, CAPACITY = 'node.kubernetes.io/instance-type', 'topology.kubernetes.io/zone', 'karpenter.sh/capacity-type'
ARCH = 'kubernetes.io/arch'
ZONES = ['us-east-1a', 'us-east-1b']


def machines():
    """Labels, rooms and prices of the types."""
    made = {}
    prices = {}
    for row in csv.DictReader((ROOT / 'catalogue/prices/aws.csv').open()):
        if row['region'] == 'us-east-1' and row['instance_type'] in TYPES:
            prices[row['instance_type']] = {'on-demand': row['on_demand'], 'spot': row['spot_high']}
    for row in csv.DictReader((ROOT / 'catalogue/sizes.csv').open()):
        name = row['instance_type']
        if row['provider'] != 'aws' or name not in TYPES or name not in prices:
            continue
        category, generation = re.match(r'([a-z]+)(\d+)', name).groups()
        family, size = name.split('.')
        labels = {TYPE: name, ARCH: row['arch'], AWS + 'instance-category': category,
                  AWS + 'instance-generation': generation, AWS + 'instance-family': family,
                  AWS + 'instance-size': size, AWS + 'instance-cpu': str(int(row['cpu_milli']) // 1000),
                  AWS + 'instance-memory': row['memory_mib'],
                  AWS + 'instance-hypervisor': '' if row['bare_metal'] == '1' else row['hypervisor']}
        if row['local_nvme_gb']:
            labels[AWS + 'instance-local-nvme'] = row['local_nvme_gb']
        if row['gpu'] != '0':
            labels[AWS + 'instance-gpu-count'] = row['gpu']
        arm = 64 if row['arch'] == 'arm64' else 0
        memory = int(row['memory_mib']) - arm
        made[name] = {'labels': labels, 'cpu': int(row['allocatable_cpu_milli']),
                      'memory': int(row['allocatable_memory_mib']),
                      'capacity': {'cpu': int(row['cpu_milli']),
                                   'memory': memory - -(-memory * 75 // 1000)},
                      'price': {k: Fraction(v) for k, v in prices[name].items() if v}}
    return made


MACHINES = machines()
NUMBERS = [AWS + 'instance-cpu', AWS + 'instance-generation', AWS + 'instance-memory', AWS + 'instance-local-nvme',
           AWS + 'instance-gpu-count']
WORDS = [TYPE, ARCH, AWS + 'instance-category', AWS + 'instance-family', AWS + 'instance-size',
         AWS + 'instance-hypervisor']


# ---- requirements ------------------------------------------------------------------------------

class Set:
    """What a key may be: (complement, values, low, high)."""

    def __init__(self, operator, values):
        self.complement = operator not in ('In', 'DoesNotExist')
        self.values = set(values) if operator in ('In', 'NotIn') else set()
        self.low = self.high = None
        if operator in ('Gt', 'Gte'):
            self.low = int(values[0]) + (operator == 'Gt')
        if operator in ('Lt', 'Lte'):
            self.high = int(values[0]) - (operator == 'Lt')

    def within(self, value):
        if self.low is None and self.high is None:
            return True
        if not re.fullmatch(r'[+-]?\d+', value):
            return False
        return (self.low is None or int(value) >= self.low) and (self.high is None or int(value) <= self.high)

    def admits(self, value):
        return (value in self.values) != self.complement and self.within(value)

    def admits_none(self):
        """Things without the label: NotIn and DoesNotExist do."""
        return bool(self.values) if self.complement else not self.values

    def merge(self, other):
        made = Set('Exists', [])
        lows = [x for x in (self.low, other.low) if x is not None]
        highs = [x for x in (self.high, other.high) if x is not None]
        made.low, made.high = max(lows, default=None), min(highs, default=None)
        if made.low is not None and made.high is not None and made.low > made.high:
            return Set('DoesNotExist', [])
        made.complement = self.complement and other.complement
        if made.complement:
            made.values = self.values | other.values
        elif self.complement != other.complement:
            plain, rest = (other, self) if self.complement else (self, other)
            made.values = plain.values - rest.values
        else:
            made.values = self.values & other.values
        made.values = {v for v in made.values if made.within(v)}
        if not made.complement:
            made.low = made.high = None
        return made


def merged(requirements):
    sets = {}
    for r in requirements:
        one = Set(r['operator'], r.get('values', []))
        sets[r['key']] = sets[r['key']].merge(one) if r['key'] in sets else one
    return sets


def meets(labels, sets):
    for key, one in sets.items():
        if key in (ZONE, CAPACITY) or not (key in WORDS or key in NUMBERS):
            continue
        if not (one.admits(labels[key]) if key in labels else one.admits_none()):
            return False
    return True


# ---- a market ----------------------------------------------------------------------------------

class Case:
    def __init__(self, seed):
        self.r = r = random.Random(seed)
        kinds = sorted(MACHINES)
        self.pools = [self.pool(name, r.sample(kinds, r.randint(3, 6))) for name in 'pqr'[:r.choice([1, 1, 2, 2, 3])]]
        self.overlays = [self.overlay(f'o{i}', weight) for i, weight in enumerate(r.sample([1, 2, 3], 2))][:r.choice([0, 0, 1, 2])]
        self.pods = [(r.choice([300, 900, 1500, 1900, 2500, 3600]), r.choice([200, 900, 3000, 6000]),
                      r.choice(ZONES) if r.random() < .2 else None, r.random() < .3)
                     for _ in range(r.randint(1, 4))]

    def requirement(self, kinds):
        r = self.r
        key = r.choice(WORDS + NUMBERS + [ZONE])
        known = ZONES if key == ZONE else sorted({MACHINES[k]['labels'][key] for k in kinds
                                                  if key in MACHINES[k]['labels']} | {'7'})
        if key in NUMBERS and r.random() < .7:
            return {'key': key, 'operator': r.choice(['Gt', 'Lt', 'Gte', 'Lte']),
                    'values': [r.choice([v for v in known if v.isdigit()])]}
        operator = r.choice(['In', 'NotIn', 'NotIn', 'Exists', 'DoesNotExist'] if key != ZONE else ['In', 'NotIn'])
        if operator in ('Exists', 'DoesNotExist'):
            return {'key': key, 'operator': operator}
        return {'key': key, 'operator': operator, 'values': r.sample(known, r.randint(1, min(3, len(known))))}

    def pool(self, name, kinds):
        r = self.r
        requirements = [{'key': TYPE, 'operator': 'In', 'values': kinds}]
        requirements += [self.requirement(kinds) for _ in range(r.choice([0, 1, 1, 2, 3]))]
        capacity = r.choice([['on-demand'], ['on-demand'], ['spot'], ['on-demand', 'spot']])
        requirements.append({'key': CAPACITY, 'operator': 'In', 'values': capacity})
        if r.random() < .2:
            requirements[0]['minValues'] = r.randint(1, 4)
            requirements[0]['minValues'] = min(requirements[0]['minValues'], len(kinds))
        limits = {}
        if r.random() < .3:
            limits['cpu'] = str(r.choice([2, 4, 6, 8, 16]))
        if r.random() < .15:
            limits['memory'] = r.choice(['8Gi', '16Gi', '40Gi'])
        if r.random() < .2:
            limits['nodes'] = str(r.choice([0, 1, 2]))
        return {'name': name, 'requirements': requirements, 'limits': limits,
                'weight': r.choice([0, 0, 0, 10, 50]), 'tainted': r.random() < .25,
                'labels': {ARCH: r.choice(['amd64', 'arm64'])} if r.random() < .15 else {}}

    def overlay(self, name, weight):
        r = self.r
        kinds = sorted(MACHINES)
        requirements = [{'key': TYPE, 'operator': 'In', 'values': r.sample(kinds, r.randint(1, 4))}]
        if r.random() < .4:
            requirements.append({'key': CAPACITY, 'operator': 'In', 'values': [r.choice(['on-demand', 'spot'])]})
        change = {'price': r.choice(['0.05', '0.4'])} if r.random() < .4 else \
            {'priceAdjustment': r.choice(['-0.03', '+0.1', '-50%', '+10%', '-100%'])}
        return {'name': name, 'weight': weight, 'requirements': requirements, **change}

    # -- what Karpenter's documents say about it

    def price(self, kind, capacity):
        base = MACHINES[kind]['price'][capacity]
        labels = {**MACHINES[kind]['labels'], CAPACITY: capacity}
        for o in sorted(self.overlays, key=lambda o: (o['weight'], o['name']), reverse=True):
            if not all(Set(q['operator'], q['values']).admits(labels[q['key']]) for q in o['requirements']):
                continue
            if 'price' in o:
                return Fraction(o['price'])
            text = o['priceAdjustment']
            changed = base * (1 + Fraction(text[:-1]) / 100) if text.endswith('%') else base + Fraction(text)
            return max(Fraction(0), changed)
        return base

    def offers(self, pool):
        """(type, zone, price) that the pool admits."""
        sets = merged(pool['requirements'] + [{'key': k, 'operator': 'In', 'values': [v]}
                                              for k, v in pool['labels'].items()])
        fit = []
        for kind, m in MACHINES.items():
            if not meets(m['labels'], sets):
                continue
            for zone in ZONES:
                for capacity in m['price']:
                    if (ZONE not in sets or sets[ZONE].admits(zone)) and sets[CAPACITY].admits(capacity):
                        fit.append((kind, zone, self.price(kind, capacity)))
        needed = max((q.get('minValues', 0) for q in pool['requirements']), default=0)
        return fit if len({kind for kind, _, _ in fit}) >= needed else []

    def objects(self):
        made = [{'apiVersion': 'karpenter.k8s.aws/v1', 'kind': 'EC2NodeClass', 'metadata': {'name': 'default'},
                 'spec': {'amiSelectorTerms': [{'alias': 'al2023@latest'}]},
                 'status': {'subnets': [{'id': z, 'zone': z} for z in ZONES]}}]
        for p in self.pools:
            spec = {'requirements': p['requirements'],
                    'nodeClassRef': {'group': 'karpenter.k8s.aws', 'kind': 'EC2NodeClass', 'name': 'default'}}
            if p['tainted']:
                spec['taints'] = [{'key': 'own', 'effect': 'NoSchedule'}]
            made.append({'apiVersion': 'karpenter.sh/v1', 'kind': 'NodePool', 'metadata': {'name': p['name']},
                         'spec': {'template': {'metadata': {'labels': p['labels']}, 'spec': spec},
                                  **({'limits': p['limits']} if p['limits'] else {}),
                                  **({'weight': p['weight']} if p['weight'] else {})}})
        for o in self.overlays:
            spec = {k: v for k, v in o.items() if k != 'name'}
            made.append({'apiVersion': 'karpenter.sh/v1alpha1', 'kind': 'NodeOverlay', 'metadata': {'name': o['name']},
                         'spec': spec})
        for i, (cpu, memory, zone, tolerates) in enumerate(self.pods):
            spec = {'containers': [{'name': 'c', 'resources': {'requests': {'cpu': f'{cpu}m', 'memory': f'{memory}Mi'}}}]}
            if zone:
                spec['nodeSelector'] = {ZONE: zone}
            if tolerates:
                spec['tolerations'] = [{'key': 'own', 'operator': 'Exists'}]
            made.append({'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': f'x{i}', 'namespace': 'default'},
                         'spec': spec, 'status': {'phase': 'Pending'}})
        return {'apiVersion': 'v1', 'kind': 'List', 'items': made}


MIB = {'8Gi': 8192, '16Gi': 16384, '40Gi': 40960}


def cheapest(case):
    """(most pods, least cost), over all ways; weights aside."""
    offers = []
    for p in case.pools:
        offers += [(p['name'], *o) for o in case.offers(p)]
    left = {p['name']: [int(p['limits'].get('cpu', 10 ** 6)) * 1000, MIB.get(p['limits'].get('memory'), 10 ** 9),
                        int(p['limits'].get('nodes', 10 ** 6))] for p in case.pools}
    tainted = {p['name']: p['tainted'] for p in case.pools}
    best = [(0, Fraction(0))]
    bought = []

    def takes(pod, offer, cpu, memory):
        return pod[0] <= cpu and pod[1] <= memory and (not pod[2] or pod[2] == offer[2]) and \
            (pod[3] or not tainted[offer[0]])

    def put(i, placed, cost):
        if i == len(case.pods):
            best[0] = max(best[0], (placed, -cost))
            return
        if placed + len(case.pods) - i < best[0][0]:
            return
        pod = case.pods[i]
        for b in bought:
            if takes(pod, b[0], b[1], b[2]):
                b[1], b[2] = b[1] - pod[0], b[2] - pod[1]
                put(i + 1, placed + 1, cost)
                b[1], b[2] = b[1] + pod[0], b[2] + pod[1]
        for o in offers:
            m, room = MACHINES[o[1]], left[o[0]]
            if not takes(pod, o, m['cpu'], m['memory']) or room[0] < m['capacity']['cpu'] or \
                    room[1] < m['capacity']['memory'] or room[2] < 1:
                continue
            use = (m['capacity']['cpu'], m['capacity']['memory'], 1)
            for k in range(3):
                room[k] -= use[k]
            bought.append([o, m['cpu'] - pod[0], m['memory'] - pod[1]])
            put(i + 1, placed + 1, cost + o[3])
            bought.pop()
            for k in range(3):
                room[k] += use[k]
        put(i + 1, placed, cost)

    put(0, 0, Fraction(0))
    return best[0][0], -best[0][1]


def least_by_weight(case):
    """Of one pod: the cheapest node of the pools with the highest weight that take it."""
    every = case.pools
    for weight in sorted({p['weight'] for p in every}, reverse=True):
        case.pools = [p for p in every if p['weight'] == weight]
        most, least = cheapest(case)
        if most:
            break
    case.pools = every
    return least


# ---- asking ------------------------------------------------------------------------------------

def run(stowage, *args, stdin=None):
    done = subprocess.run([stowage, *args, '--book', 'none', '-q'], capture_output=True, text=True, input=stdin, check=False)
    return done.returncode, done.stdout, done.stderr


def check(stowage, folder, seed):
    case = Case(seed)
    path = os.path.join(folder, 'market.json')
    with open(path, 'w') as f:
        json.dump(case.objects(), f)
    options = ['-f', path, '--region', 'us-east-1']
    code, out, err = run(stowage, 'scale', *options, '--strategy', 'optimal', '-o', 'json', '--time-limit', '60s')
    most, least = cheapest(case)
    if not any(case.offers(p) for p in case.pools):
        return None if code or not json.loads(out).get('newNodes') else 'no pool admits a machine, and nodes are bought'
    if code not in (0, 2, 3):
        return f'scale fails: {code} {err}'
    plan = json.loads(out)
    pods = [p for n in plan['newNodes'] for p in n['pods']]
    cost = sum(Fraction(n['pricePerHour']) for n in plan['newNodes'])
    weights = len({p['weight'] for p in case.pools}) > 1
    if weights and len(case.pods) == 1 and most:
        weights, least = False, least_by_weight(case)
    if len(pods) != most:
        return f'{len(pods)} pods are placed, {most} can be'
    if cost < least or (cost > least and not weights):
        return f'costs {float(cost)}, and {float(least)} is the least'
    code, out, err = run(stowage, 'verify', '-', *options, stdin=json.dumps(plan))
    return f'verify refuses it: {out}{err}' if code else None


def main():
    stowage = os.path.abspath(sys.argv[1])
    first, last = (int(sys.argv[2]), int(sys.argv[3])) if len(sys.argv) > 3 else (1, 60)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last + 1):
            wrong = check(stowage, folder, seed)
            failed += bool(wrong)
            if wrong:
                print(f'# seed {seed}: {wrong}'.replace('\n', '\n# '))
    print(f'{"not " if failed else ""}ok 1 - small markets of NodePools cost what the best choice costs')
    print('1..1')
    return failed > 0


sys.exit(main())
