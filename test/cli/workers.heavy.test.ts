// `gazette serve --workers`, whose workers are killed at any moment while they are asked: no request hangs, each worker is
// replaced, and the service says so.
import { Agent, request } from 'node:http';
import { expect, it } from 'vitest';
import { measured, tried, tries } from '../effort.ts';
import { letPass, until } from '../until.ts';
import { childrenOf } from './children.ts';
import { makeStore, serve } from './served.ts';

const WORKERS = 3;

/** How many workers are killed. */
const KILLS = tries(3, 100);

/** Clients that ask all the time, half of them over a new connection each time. */
const CLIENTS = 8;

/** Longer than any answer takes on a busy machine: a request without an end by then hangs. */
const HANGS_MS = 300_000;

/** Asks once. @returns the status, or what became of the connection; `hangs` if nothing did */
function ask(url: string, agent: Agent | undefined): Promise<number | string> {
  return new Promise((resolve) => {
    const asked = request(url, { agent: agent ?? false, timeout: HANGS_MS }, (response) => {
      response.on('error', ({ message }) => {
        resolve(message);
      });
      response.on('end', () => {
        resolve(response.statusCode!);
      });
      response.resume();
    });
    asked.on('timeout', () => {
      resolve('hangs');
      asked.destroy();
    });
    asked.on('error', ({ code = 'none' }: NodeJS.ErrnoException) => {
      resolve(code);
    });
    asked.end();
  });
}

it('has every request answered or reset while workers are killed at any moment, and replaces each', async () => {
  const { path } = await makeStore(12);
  const { child, api, ended } = await serve(path, '--workers', String(WORKERS), '--metrics-port', '0');
  let said = '';
  /** When each worker ended, and how long after it another one served, by what was said. */
  const ends = new Map<string, number>();
  const replaced = new Map<string, number>();
  const served = new Set<string>();
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    for (const [, id] of said.matchAll(/worker (\d+) ended \(SIGKILL\); starting another one\n/g)) {
      if (!ends.has(id!)) ends.set(id!, performance.now());
    }
    for (const [, id, ended] of said.matchAll(/worker (\d+) serves in the place of worker (\d+)\n/g)) {
      served.add(id!);
      if (!replaced.has(ended!)) replaced.set(ended!, performance.now() - ends.get(ended!)!);
    }
  });
  // It reads the store, and no limit counts it.
  const url = new URL('/readyz', api).href;
  const outcomes = new Map<number | string, number>();
  let isOver = false;
  const clients = Array.from({ length: CLIENTS }, async (_, index) => {
    const agent = index % 2 === 0 ? new Agent({ keepAlive: true, maxSockets: 1 }) : undefined;
    while (!isOver) {
      const outcome = await ask(url, agent);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      // While all workers are killed, eight clients that ask at once again take the time that new ones need to start.
      if (outcome === 'ECONNREFUSED') await letPass(10, 'a client that is refused asks again a little later');
    }
    agent?.destroy();
  });
  const killed = new Set<number>();
  for (let count = 1; count <= KILLS; count++) {
    // Any worker that there is, also one that has just been started.
    const pids = await until('a worker', async () => {
      const all = (await childrenOf(child.pid!)).filter((pid) => !killed.has(pid));
      return all.length > 0 && all;
    });
    const pid = pids[Math.floor(Math.random() * pids.length)]!;
    killed.add(pid);
    process.kill(pid, 'SIGKILL');
    await until('a replacement that is said', () => said.split('(SIGKILL); starting another one').length > count);
    await letPass(Math.random() * 600, 'the moment is drawn at random');
  }
  tried(KILLS);
  await until('all workers', async () => (await childrenOf(child.pid!)).length === WORKERS);
  // One that was killed before it served replaced nobody, and was replaced itself.
  const early = (): number => [...ends.keys()].filter((id) => Number(id) > WORKERS && !served.has(id)).length;
  const place = 'a worker in the place of each';
  await until(place, () => replaced.size + early() === KILLS);
  expect([ends.size, [...replaced.values()].filter((ms) => !(ms > 0))]).toEqual([KILLS, []]);
  measured('a killed worker was replaced by one that serves', [...replaced.values()]);
  const answered = outcomes.get(200)!;
  await until('answers after the last kill', () => outcomes.get(200)! > answered);
  isOver = true;
  await Promise.all(clients);
  // Refused is who came when all workers had been killed at once.
  const endings = new Set<number | string>([200, 'ECONNRESET', 'EPIPE', 'ECONNREFUSED', 'aborted']);
  expect([...outcomes.keys()].filter((outcome) => !endings.has(outcome))).toEqual([]);
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});
