// `gazette serve` killed (SIGKILL) while it carries out a request with an Idempotency-Key: in most rounds as soon as its
// effect is in the store, before the answer is written. Repeated at the next process, the request takes effect once in all.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { Accounts } from '../../src/operate/accounts.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { tried, tries } from '../effort.ts';
import { makeStore, serve } from './served.ts';

/** Rounds, and how many of them must have been killed between the effect and the answer. */
const ROUNDS = tries(3, 60);
const BETWEEN = 2;

/** How long is looked for an effect, in milliseconds: some requests are killed before they have one. */
const LOOK_MS = 3000;

/** What is asked in a round: a new key, whose name is that of the round. */
function requestOf(url: URL, key: string, name: string): string {
  const body = JSON.stringify({ name });
  const head = [
    ...[`POST ${url.pathname}/account/keys HTTP/1.1`, `Host: ${url.host}`, `Authorization: Bearer ${key}`],
    ...['Content-Type: application/json', `Idempotency-Key: ${name}`, `Content-Length: ${body.length}`],
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** What a connection gives until it ends, or is reset. */
function readAll(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  socket.on('error', () => undefined);
  return new Promise((resolve) => {
    socket.on('close', () => {
      resolve(text);
    });
  });
}

it(`takes effect once, killed at ${ROUNDS} moments and repeated`, async () => {
  const { path } = await makeStore(1);
  const store = SqliteStore.open(path);
  const accounts = new Accounts(store, { product: 'gazette' });
  const { key } = await accounts.createKey('acme', { scopes: ['read', 'account'] });
  const database = new DatabaseSync(path, { readOnly: true });
  const count = database.prepare('SELECT count(*) AS n FROM api_keys WHERE name = ?');
  const named = (name: string): number => Number(count.get(name)!.n);
  let between = 0;
  let rounds = 0;
  let served = await serve(path);
  for (; rounds < ROUNDS || (between < BETWEEN && rounds < 10 * ROUNDS); rounds++) {
    const name = `round-${rounds}`;
    const { child, api, ended } = served;
    const socket = connect(Number(new URL(api).port), '127.0.0.1');
    await once(socket, 'connect');
    const answer = readAll(socket);
    await new Promise((written) => socket.write(requestOf(new URL(api), key, name), written));
    // Without a turn of the event loop, so that little time passes between what is seen and the kill.
    const until = performance.now() + (rounds % 3 === 2 ? Math.random() * 10 : LOOK_MS);
    while (named(name) === 0 && performance.now() < until);
    child.kill('SIGKILL');
    await ended;
    const hasEffect = named(name) === 1;
    const isAnswered = (await answer).includes('\r\n\r\n');
    if (hasEffect && !isAnswered) between++;

    served = await serve(path);
    const again = await fetch(`${served.api}/account/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': name },
      body: JSON.stringify({ name }),
    });
    const body = (await again.json()) as { readonly code?: string; readonly key?: string | null };
    if (hasEffect) expect([again.status, body.key, body.code]).toEqual([201, null, 'shown_once']);
    // What had begun without an effect may still be carried out by another process, for all that this one knows.
    else expect([201, 409]).toContain(again.status);
    expect([name, named(name)]).toEqual([name, again.status === 409 ? 0 : 1]);
  }
  database.close();
  await store.close();
  tried(rounds);
  expect(between).toBeGreaterThanOrEqual(BETWEEN);
});
