// The dashboard and the alert rules of docs/observability/ against the figures that the service really tells.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { MemoryLimitCounter } from '../../src/access/limits/memory-counter.ts';
import { ClusterMetrics } from '../../src/http/cluster-metrics.ts';
import { joinMetrics } from '../../src/http/metrics-source.ts';
import { SendingMetrics } from '../../src/http/sending-metrics.ts';
import type { KnowledgeFigures, ReplicaFigures } from '../../src/stores/contract/nodes/figures.ts';
import { defineRegister } from '../../src/register/definition.ts';
import { identified } from '../../src/stores/rows/register.ts';
import { DelegatingStore } from '../contracts/delegating-store.ts';
import { takeRows } from '../pages/desk/taking.ts';
import { SAMPLES, world } from '../world.ts';

const read = (path: string): string => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8');

/** What a query may name besides: Prometheus adds it to all that it reads. */
const OF_PROMETHEUS = new Set(['job', 'instance']);

/** A query, and where it was found. */
interface Asked {
  readonly where: string;
  readonly query: string;
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: string }[] };
}

const DASHBOARD = JSON.parse(read('observability/dashboard.json')) as Dashboard;

/** One alert, as far as it is checked. */
type Alert = Readonly<Record<string, string>>;

/** Reads the rules: the part of YAML that they use, and nothing else. */
function alertsIn(text: string): readonly Alert[] {
  const alerts: Record<string, string>[] = [];
  const path: string[] = [];
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, spaces, dash = '', key, value] = /^( *)(- )?(\w+):(?: (.+))?$/.exec(line) ?? [];
    if (key === undefined) throw new Error(`not a line of the rules: ${line}`);
    if (key === 'alert') alerts.push({});
    path.length = (spaces!.length + dash.length) / 2;
    path.push(key);
    const current = alerts.at(-1);
    if (current !== undefined && value !== undefined) {
      current[path.slice(4).join('.')] = value.replace(/^'(.*)'$/, '$1');
    }
  }
  return alerts;
}

const ALERTS = alertsIn(read('observability/alerts.yaml'));

const QUERIES: readonly Asked[] = [
  ...DASHBOARD.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ where: title, query: expr.replaceAll('$__rate_interval', '5m') })),
  ),
  ...ALERTS.map(({ alert, expr }) => ({ where: alert!, query: expr! })),
];

/** The figures that a query names, each with the function that it is given to and the labels asked of it. */
function namedIn(query: string): readonly { name: string; within: string; labels: readonly string[] }[] {
  const shared = Array.from(query.matchAll(/\b(?:by|on|without) \(([^)]*)\)/g), ([, labels]) => labels!.split(', '));
  const bare = query.replaceAll(/ (?:by|on|without) \([^)]*\) ?/g, '');
  const names = bare.matchAll(/(?:\b(\w+)\()?\b([a-z_]\w*)(?![\w(])(?:\{([^}]*)\})?/g);
  return Array.from(names, ([, within = '', name, matchers = '']) => ({
    name: name!,
    within,
    labels: [...Array.from(matchers.matchAll(/(\w+)(?:=~|!~|!=|=)"/g), ([, label]) => label!), ...shared.flat()],
  })).filter(({ name }) => name !== 'and');
}

/** The figures of a service with everything that may be switched on: their types, and the labels of their samples. */
async function figures(): Promise<
  ReadonlyMap<string, { readonly type: string; readonly labels: ReadonlySet<string> }>
> {
  const known: KnowledgeFigures = { ageMs: 1, answered: 1, failed: 0, known: 1, unknown: 1 };
  const ofReplica: ReplicaFigures = { answered: 1, waited: 1, behind: 1, failed: 1 };
  const store = new (class extends DelegatingStore {
    knowledge(): KnowledgeFigures {
      return known;
    }

    replica(): ReplicaFigures {
      return ofReplica;
    }

    replicaLag(): Promise<number> {
      return Promise.resolve(0.5);
    }
  })();
  const limits = { perAddress: { limit: 1, windowSeconds: 60 } };
  const service = await world({
    samples: SAMPLES,
    store,
    limits,
    limitCounter: new MemoryLimitCounter(),
  });
  for (let request = 0; request < 3; request++) await service.get('/feeds');
  const waiting = { id: 'late', title: 'Late', created_at: '2000-01-01T00:00:00Z', every: '1d' };
  await store.createRegister(defineRegister(waiting));
  await takeRows([{ id: 'a', title: 'A' }], {
    store,
    now: Date.now,
    feedId: 'late',
    isProposed: true,
  });
  const copied = identified(defineRegister({ ...waiting, id: 'copied' }));
  const state = { definition: copied, definitionVersion: 1, lastChange: null, log: copied.uuid! };
  await store.mirrors.begin('https://other.example/feeds/copied', state, '2000-01-01T00:00:00Z');
  service.metrics.addProcess();
  const source = joinMetrics(service.metrics.registry, new SendingMetrics(store), new ClusterMetrics());
  const text = await source.metrics();
  await service.close();
  const types = Array.from(text.matchAll(/^# TYPE (\w+) (\w+)$/gm), ([, name, type]) => [name!, type!] as const);
  return new Map(
    types.flatMap(([name, type]) => {
      const parts = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      return parts.map((part) => {
        const samples = text.matchAll(new RegExp(`^${name}${part}(?:\\{([^}]*(?:\\{\\w+\\}[^}]*)*)\\})? `, 'gm'));
        const labels = Array.from(samples, ([, all = '']) =>
          Array.from(all.matchAll(/(\w+)="/g), ([, label]) => label!),
        );
        return [`${name}${part}`, { type, labels: new Set(labels.flat()) }] as const;
      });
    }),
  );
}

const FIGURES = await figures();

it('reads queries as they are written', () => {
  expect(namedIn('sum by (le, route) (rate(a_bucket{b="c", d!~".*"}[5m])) > 0.5 * max(e) and f{g="h"} == 1')).toEqual([
    { name: 'a_bucket', within: 'rate', labels: ['b', 'd', 'le', 'route'] },
    { name: 'e', within: 'max', labels: ['le', 'route'] },
    { name: 'f', within: '', labels: ['g', 'le', 'route'] },
  ]);
  expect([QUERIES.length > 30, ALERTS.length > 10]).toEqual([true, true]);
});

it.each(QUERIES)('names figures and labels that there are: $where: $query', ({ query }) => {
  const named = namedIn(query);
  expect(named.length).toBeGreaterThan(0);
  for (const { name, within, labels } of named) {
    if (name === 'up') continue;
    const figure = FIGURES.get(name);
    expect(figure, `${name} is told`).toBeDefined();
    const unknown = labels.filter((label) => !OF_PROMETHEUS.has(label) && !figure!.labels.has(label));
    expect(unknown, `labels of ${name}`).toEqual([]);
    // What only grows says something by its growth, and what does not grow has none.
    expect(within === 'rate', `${name} within ${within}`).toBe(figure!.type !== 'gauge');
  }
});

it('shows every figure of the service in the dashboard, and explains it in a page', () => {
  const shown = new Set(
    DASHBOARD.panels
      .flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => namedIn(expr)))
      .map(({ name }) => name.replace(/_bucket$/, '')),
  );
  const own = [...FIGURES.keys()].filter((name) => name.startsWith('gazette_') && !/_(?:sum|count)$/.test(name));
  const names = own.map((name) => name.replace(/_bucket$/, ''));
  expect(names.length).toBeGreaterThan(15);
  expect(names.filter((name) => !shown.has(name))).toEqual([]);
  const page = read('operate.md');
  expect(names.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
});

it('names in legends, variables and texts what the queries give', () => {
  for (const { targets = [] } of DASHBOARD.panels) {
    for (const { expr, legendFormat } of targets) {
      for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
        const [{ name } = { name: '' }] = namedIn(expr);
        expect(OF_PROMETHEUS.has(label!) || FIGURES.get(name)!.labels.has(label!), `${label} of ${expr}`).toBe(true);
      }
      for (const [, variable] of expr.matchAll(/\$(\w+)/g)) {
        const variables = ['__rate_interval', ...DASHBOARD.templating.list.map(({ name }) => name)];
        expect(variables).toContain(variable);
      }
    }
  }
  for (const alert of ALERTS) {
    expect(Object.keys(alert).toSorted(), alert.alert).toEqual(
      ['alert', 'annotations.description', 'annotations.summary', 'expr', 'for', 'labels.severity'].toSorted(),
    );
    const labels = Array.from(alert['annotations.summary']!.matchAll(/\$labels\.(\w+)/g), ([, label]) => label!);
    const kept = Array.from(alert.expr!.matchAll(/\bby \(([^)]*)\)/g), ([, by]) => by!.split(', '));
    // What is summed has only the labels that it is summed by.
    const lost = labels.filter((label) => kept.some((by) => !by.includes(label)));
    expect(lost, alert.alert).toEqual([]);
  }
});
