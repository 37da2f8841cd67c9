// A receiver that is killed, and the sender that comes again: on any store, the side effect happens once.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { delivery } from '../send/deliveries.ts';
import { letPass } from '../../until.ts';
import { tried, tries } from '../../effort.ts';

/** How many receivers are killed while they are sent to. */
const KILLS = tries(3, 100);

const program = new URL('receiver-process.ts', import.meta.url).pathname;

interface Receiver {
  readonly url: string;
  /** Resolves when the process says that it has reached the point at which it stops. */
  readonly reached: Promise<unknown>;
  readonly kill: () => Promise<void>;
}

async function start(store: string, stop: string): Promise<Receiver> {
  const child: ChildProcess = spawn(process.execPath, [program, store, stop], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout! });
  const ended = once(child, 'exit');
  const [port] = (await Promise.race([
    once(lines, 'line'),
    ended.then(() => Promise.reject(new Error('the receiver did not start'))),
  ])) as [string];
  return {
    url: `http://127.0.0.1:${port}/`,
    reached: once(lines, 'line'),
    kill: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    },
  };
}

/** The status, or `none` when the connection broke. The signature is fresh each time, as a sender's is. */
async function send(receiver: Receiver, id: string): Promise<number | 'none'> {
  const { body, headers } = delivery(id);
  try {
    return (await fetch(receiver.url, { method: 'POST', body, headers: { ...headers } })).status;
  } catch {
    return 'none';
  }
}

/** Sends until it is acknowledged, and answers what came before. */
async function sendUntilDone(receiver: Receiver, id: string): Promise<readonly (number | 'none')[]> {
  const refusals: (number | 'none')[] = [];
  for (let attempt = 0; attempt < 100; attempt++) {
    const status = await send(receiver, id);
    if (status === 204) return refusals;
    refusals.push(status);
    await letPass(50, 'as a sender does before it tries again');
  }
  throw new Error(`never acknowledged: ${refusals.join(' ')}`);
}

/** The tests; `effects` reads the events whose side effect was committed. */
export function killedReceiverTests(
  open: () => Promise<{ store: string; effects: () => Promise<readonly string[]> }>,
): void {
  it('between handling and answering: the event comes again and its side effect does not', async () => {
    const { store, effects } = await open();
    const first = await start(store, 'answer');
    const answer = send(first, 'evt_1');
    await first.reached;
    expect(await effects()).toEqual(['evt_1']);
    await first.kill();
    expect(await answer).toBe('none');
    const second = await start(store, 'never');
    try {
      expect(await send(second, 'evt_1')).toBe(204);
      expect(await effects()).toEqual(['evt_1']);
    } finally {
      await second.kill();
    }
  });

  it('in the middle of the work: duplicates wait for the lease, then the work is done once', async () => {
    const { store, effects } = await open();
    const first = await start(store, 'work');
    const answer = send(first, 'evt_1');
    await first.reached;
    await first.kill();
    expect(await answer).toBe('none');
    expect(await effects()).toEqual([]);
    const second = await start(store, 'never');
    try {
      // The claim may have run out while the process started, and then nothing is refused.
      for (const refusal of await sendUntilDone(second, 'evt_1')) expect(refusal).toBe(503);
      expect(await sendUntilDone(second, 'evt_1')).toEqual([]);
      expect(await effects()).toEqual(['evt_1']);
    } finally {
      await second.kill();
    }
  });

  it(`at ${KILLS} random moments under load: every event is handled once in the end`, async () => {
    const { store, effects } = await open();
    const ids = Array.from({ length: KILLS * 25 }, (_, index) => `evt_${index}`);
    const left = new Set(ids);
    let broken = 0;
    for (let round = 0; round < KILLS; round++) {
      const receiver = await start(store, 'never');
      const killed = letPass(Math.random() * 60, 'the moment is drawn at random').then(receiver.kill);
      const work = [...left].slice(0, 40);
      // Each twice, as from a sender that believes the first attempt lost.
      const statuses = await Promise.all([...work, ...work].map(async (id) => [id, await send(receiver, id)] as const));
      await killed;
      for (const [id, status] of statuses) {
        if (status === 204) left.delete(id);
        if (status === 'none') broken++;
      }
    }
    expect(broken).toBeGreaterThan(0);
    tried(KILLS);
    const last = await start(store, 'never');
    try {
      for (const id of left) await sendUntilDone(last, id);
      const counted = await effects();
      expect([...counted].sort()).toEqual([...ids].sort());
    } finally {
      await last.kill();
    }
  });
}
