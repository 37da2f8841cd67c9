// The sender against a bare fetch() loop, and what a stalled endpoint costs the others. Receiver and deliverers are processes
// of their own and take turns, round by round.
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { nextMessage } from '../next-message.ts';
import type { CheckResult } from '../result.ts';
import { ratiosOf, type Spread } from '../statistics.ts';
import type { Delivered, Order } from './run-deliverer.ts';
import type { Arrivals } from './run-receiver.ts';

/** How much of the loop's rate the sender is to reach. */
const MIN_RATE = 0.5;

/** How much longer the slowest hundredth of the others may take beside a stalled endpoint. */
const MAX_P99 = 1.1;

/** Endpoints that are looked at, where one beside them is stalled or answers. */
const OTHERS = 4;

const WARM_UPS = 2;

/** @throws Error when a process ends. */
export async function runWebhooks(options: {
  /** Events in a run to one endpoint; those to several are as many in all. */
  readonly events: number;
  readonly rounds: number;
  readonly onProgress: (text: string) => void;
}): Promise<CheckResult> {
  const { events, rounds, onProgress } = options;
  const children: ChildProcess[] = [];
  const start = async <T>(file: string, argument = ''): Promise<readonly [ChildProcess, T]> => {
    const flags = { execArgv: ['--disable-warning=ExperimentalWarning'] };
    const child = fork(join(import.meta.dirname, file), [argument], flags);
    children.push(child);
    return [child, await nextMessage<T>(child, file)];
  };
  try {
    const [receiver, { port }] = await start<{ readonly port: number }>('run-receiver.ts');
    const deliverer = async (order: Order): Promise<(count: number) => Promise<Delivered>> => {
      const [child] = await start('run-deliverer.ts', JSON.stringify(order));
      return (count) => {
        child.send({ events: count });
        return nextMessage<Delivered>(child, order.kind);
      };
    };
    const arrivals = async (): Promise<Arrivals> => {
      receiver.send('arrivals');
      return nextMessage<Arrivals>(receiver, 'the receiver');
    };
    const good = Array.from({ length: OTHERS }, (_, nth) => `http://127.0.0.1:${port}/${nth}`);
    const [stalled, well] = [`http://127.0.0.1:${port}/stalled`, `http://127.0.0.1:${port}/uncounted`];
    const contestants = {
      sender: await deliverer({ kind: 'sender', urls: good.slice(0, 1), answering: 1 }),
      loop: await deliverer({ kind: 'fetch', urls: good.slice(0, 1), answering: 1 }),
      well: await deliverer({ kind: 'sender', urls: [...good, well], answering: OTHERS + 1 }),
      stalled: await deliverer({ kind: 'sender', urls: [...good, stalled], answering: OTHERS }),
    };
    const names = Object.keys(contestants) as (keyof typeof contestants)[];
    const times: Record<keyof typeof contestants, number[]> = { sender: [], loop: [], well: [], stalled: [] };
    for (let round = -WARM_UPS; round < rounds; round++) {
      // Each round begins with another one.
      const first = (round + WARM_UPS) % names.length;
      for (const name of [...names.slice(first), ...names.slice(0, first)]) {
        onProgress(`webhooks: round ${round + 1}/${rounds}, ${name}`);
        await arrivals();
        const isMany = name === 'well' || name === 'stalled';
        const { ms, began } = await contestants[name](isMany ? events / OTHERS : events);
        const { times: came } = await arrivals();
        if (came.length !== events) throw new Error(`${name} delivered ${came.length} times, not ${events}`);
        if (round >= 0) times[name].push(isMany ? percentile99(came.map((time) => time - began)) : ms);
      }
    }
    return judge(events, times);
  } finally {
    for (const child of children) child.kill();
    onProgress('');
  }
}

function judge(
  events: number,
  { sender, loop, well, stalled }: Readonly<Record<'sender' | 'loop' | 'well' | 'stalled', readonly number[]>>,
): CheckResult {
  const rate = ratiosOf(loop, sender);
  const p99 = ratiosOf(stalled, well);
  const perSecond = (times: readonly number[]): string => (events / (Math.min(...times) / 1000)).toFixed(0);
  return {
    id: 'webhooks',
    title: `Webhooks, ${events} deliveries to a loopback receiver, 8 at once to each endpoint, from SQLite`,
    checks: [
      {
        label: `deliveries per second, made, signed, sent and recorded, against a bare fetch() loop that signs and sends: ${spread(rate)} ×; at best ${perSecond(sender)} and ${perSecond(loop)} per second; wanted >= ${MIN_RATE} ×`,
        met: rate.median >= MIN_RATE,
      },
      {
        label: `time from commit to arrival, 99 of 100, of ${OTHERS} endpoints of five, while the fifth is stalled, against while it answers: ${spread(p99)} ×; wanted < ${MAX_P99} ×`,
        met: p99.median < MAX_P99,
      },
    ],
  };
}

function spread({ median, min, max }: Spread): string {
  return `${median.toFixed(2)} (${min.toFixed(2)} – ${max.toFixed(2)})`;
}

function percentile99(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1]!;
}
