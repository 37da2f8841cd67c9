// A crowd: 200 connections for half a minute, of which a tenth read slowly and a tenth hang up in the middle of an
// answer. Nothing may fail, memory must stay level, and the event loop come to its timers in time.
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequest, LoadGenerator } from './load.ts';
import { fillStore } from './registers.ts';
import type { Condition, CrowdedServer } from './run-crowded-server.ts';
import { nextMessage } from '../next-message.ts';
import type { CheckResult } from '../result.ts';
import { spreadOf } from '../statistics.ts';

const CONNECTIONS = { steady: 160, slow: 20, leaving: 20 } as const;

/** A slow reader takes so many bytes at once, so often. */
const SLOW_BYTES = 4096;
const SLOW_EVERY_MS = 50;

/** Whoever hangs up does so after so long. */
const LEAVES_AFTER_MS = 15;

/** The server warms up, and fills its caches, for this part of the time; then it is asked so often how it fares. */
const WARM_UP = 0.4;
const SAMPLES = 10;

const MAX_DELAY_P99_MS = 20;
/** Garbage that was not collected yet is no leak: level means less than this between the halves. */
const MAX_GROWTH_MIB = 32;

const FORMATS = ['csv', 'xlsx', 'xml', 'rss', 'atom'];

/** Lets the crowd in. @throws Error when the server ends. */
export async function runCrowd(options: {
  readonly size: number;
  readonly seconds: number;
  readonly onProgress: (text: string) => void;
}): Promise<CheckResult> {
  const { size, seconds, onProgress } = options;
  const folder = mkdtempSync(join(tmpdir(), 'gazette-bench-'));
  onProgress(`crowd: filling a store with ${size} records`);
  await fillStore(join(folder, 'store.db'), size);
  const child = fork(join(import.meta.dirname, 'run-crowded-server.ts'), [join(folder, 'store.db')], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const stop = new AbortController();
  try {
    const server = await nextMessage<CrowdedServer>(child, 'the server');
    const requests = requestsOf(server, size);
    const load = new LoadGenerator(server.port);
    const statuses = new Map<number, number>();
    const steady = (async () => {
      while (!stop.signal.aborted) {
        const result = await load.run(requests, CONNECTIONS.steady * 10, CONNECTIONS.steady);
        for (const [status, count] of result.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count);
      }
    })();
    const others = [
      ...Array.from({ length: CONNECTIONS.slow }, (_, i) => readSlowly(server.port, requests[i]!, stop.signal)),
      ...Array.from({ length: CONNECTIONS.leaving }, (_, i) => hangUp(server.port, requests[i]!, stop.signal)),
    ];
    const ask = async (): Promise<Condition> => {
      child.send('condition');
      return nextMessage<Condition>(child, 'the server');
    };
    onProgress(`crowd: ${seconds} seconds`);
    await sleep(seconds * 1000 * WARM_UP);
    await ask();
    const conditions: Condition[] = [];
    for (let sample = 0; sample < SAMPLES; sample++) {
      await sleep((seconds * 1000 * (1 - WARM_UP)) / SAMPLES);
      conditions.push(await ask());
    }
    stop.abort();
    await steady;
    load.close();
    const [slow, left] = [CONNECTIONS.slow, CONNECTIONS.leaving];
    const ended = await Promise.all(others);
    return judge(seconds, statuses, conditions, {
      slow: ended.slice(0, slow).reduce((sum, count) => sum + count, 0),
      left: ended.slice(slow, slow + left).reduce((sum, count) => sum + count, 0),
    });
  } finally {
    stop.abort();
    child.kill();
    rmSync(folder, { recursive: true });
    onProgress('');
  }
}

/** Every kind of request, all over the register, some of them for what does not exist. */
function requestsOf({ key, feedId }: CrowdedServer, size: number): string[] {
  const headers = { Authorization: `Bearer ${key}` };
  const feed = `/api/v1/feeds/${feedId}`;
  const requests: string[] = [];
  for (let i = 0; i < 200; i++) {
    const offset = Math.floor((i * size) / 200);
    const id = `${feedId}:${String(size - offset).padStart(7, '0')}`;
    requests.push(
      getRequest(`${feed}/records/export.${FORMATS[i % FORMATS.length]!}?offset=${offset}`, headers),
      getRequest(`${feed}/records?offset=${offset}`, headers),
      getRequest(`/api/v1/records/${id}`, headers),
      getRequest(`/api/v1/records/${id}`),
      getRequest(`/api/v1/records/${id}/history`, headers),
      getRequest(`${feed}/records`),
    );
  }
  return requests;
}

/** Takes one answer after the other in small pieces. @returns how many answers it took whole or in part */
async function readSlowly(port: number, request: string, signal: AbortSignal): Promise<number> {
  let taken = 0;
  while (!signal.aborted) {
    const socket = await open(port);
    socket.write(request);
    taken++;
    const isOver = (): boolean => signal.aborted || socket.destroyed;
    for (let reads = 0; reads < 20 && !isOver(); reads++) {
      await sleep(SLOW_EVERY_MS);
      socket.read(SLOW_BYTES);
    }
    socket.destroy();
  }
  return taken;
}

/** Asks and goes away before the answer is whole, over and over. @returns how often */
async function hangUp(port: number, request: string, signal: AbortSignal): Promise<number> {
  let left = 0;
  for (; !signal.aborted; left++) {
    const socket = await open(port);
    socket.write(request);
    await sleep(LEAVES_AFTER_MS);
    socket.destroy();
  }
  return left;
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  await new Promise((resolve) => {
    socket.once('connect', resolve);
    socket.once('close', resolve);
  });
  return socket;
}

function judge(
  seconds: number,
  statuses: ReadonlyMap<number, number>,
  conditions: readonly Condition[],
  { slow, left }: { readonly slow: number; readonly left: number },
): CheckResult {
  const answers = [...statuses.values()].reduce((sum, count) => sum + count, 0);
  const good = statuses.get(200) ?? 0;
  const { failures } = conditions.at(-1)!;
  const delay = Math.max(...conditions.map(({ delayP99Ms }) => delayP99Ms));
  const resident = conditions.map(({ residentMiB }) => residentMiB);
  const half = resident.length / 2;
  const growth = spreadOf(resident.slice(half)).median - spreadOf(resident.slice(0, half)).median;
  const all = CONNECTIONS.steady + CONNECTIONS.slow + CONNECTIONS.leaving;
  return {
    id: 'crowd',
    title: `HTTP, ${all} connections for ${seconds} s, ${CONNECTIONS.slow} of them slow, ${CONNECTIONS.leaving} hanging up`,
    checks: [
      {
        label: `every answer is a 200: ${answers} answers, ${slow} read slowly, ${left} left; ${failures} failures`,
        met: good === answers && answers > 0 && failures === 0,
      },
      {
        label: `event loop delay, 99 of 100: ${delay.toFixed(1)} ms in the worst tenth of the time; wanted < ${MAX_DELAY_P99_MS} ms`,
        met: delay < MAX_DELAY_P99_MS,
      },
      {
        label: `memory stays level: ${resident.map((value) => value.toFixed(0)).join(', ')} MiB; wanted < +${MAX_GROWTH_MIB} between the halves`,
        met: growth < MAX_GROWTH_MIB,
      },
    ],
  };
}
