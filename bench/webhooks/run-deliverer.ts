// A deliverer's process: the sender over a SQLite store, or a bare loop of fetch() that sends the same signed bodies.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineRegister } from '../../src/register/definition.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { toPublishedRecord } from '../../src/stores/rows/published-record.ts';
import { DEVELOPMENT_DESTINATIONS } from '../../src/webhooks/send/destination.ts';
import { Endpoints } from '../../src/operate/endpoints.ts';
import { EVENT_HEADER } from '../../src/webhooks/event.ts';
import { SecretBox } from '../../src/webhooks/send/secret-box.ts';
import { WebhookSender } from '../../src/webhooks/send/sender.ts';
import { createSigningSecret, sign } from '../../src/webhooks/signature.ts';
import { SIGNATURE_HEADER } from '../../src/webhooks/signature-rules.ts';
import { benchRecord } from './records.ts';

/** What the process is to be. */
export interface Order {
  readonly kind: 'sender' | 'fetch';
  /** Where deliveries go: every event to each. */
  readonly urls: readonly string[];
  /** Of these, those that answer. */
  readonly answering: number;
  /** How many the loop sends at once, over all addresses. Default: as many as the sender to each, one after the other. */
  readonly atOnce?: number;
}

/** One run: from the commit to the last outcome that is recorded. */
export interface Delivered {
  readonly ms: number;
  /** When it began, in milliseconds since 1970. */
  readonly began: number;
}

/** Deliveries under way at once, to each endpoint: the sender's own default. */
const CONCURRENCY = 8;

const order = JSON.parse(process.argv[2]!) as Order;

async function createSender(): Promise<(events: number) => Promise<Delivered>> {
  const folder = mkdtempSync(join(tmpdir(), 'gazette-bench-'));
  process.once('exit', () => {
    rmSync(folder, { recursive: true });
  });
  const store = SqliteStore.open(join(folder, 'store.db'));
  const definition = defineRegister({ id: 'permits', title: 'Permits', created_at: '2026-01-01T00:00:00Z' });
  await store.createRegister(definition);
  const createdAt = new Date().toISOString();
  await store.accounts.createAccount({ id: 'acme', accessUntil: '2999-01-01T00:00:00Z', createdAt });
  const box = SecretBox.fromHex('0f'.repeat(32));
  const rules = DEVELOPMENT_DESTINATIONS;
  const endpoints = new Endpoints(store, { box: () => box, rules });
  const ids: string[] = [];
  for (const url of order.urls) ids.push((await endpoints.add({ accountId: 'acme', url })).endpoint.id);
  const sender = new WebhookSender({
    ...{ store, baseUrl: 'https://example.org', box, rules },
    concurrency: CONCURRENCY,
    pollMs: order.atOnce === undefined ? 5 : 100,
  });
  void sender.run(new AbortController().signal);
  let made = 0;
  return async (events) => {
    const batch = Array.from({ length: events }, () => toPublishedRecord(benchRecord(++made), true));
    await store.apply('permits', batch, { recordedAt: new Date().toISOString() });
    const began = performance.now();
    for (const id of ids.slice(0, order.answering)) {
      for (;;) {
        // The newest is recorded last or nearly so: then all are looked at.
        const [newest] = await store.deliveries.deliveries(id, { limit: 1 });
        if (newest?.recordId === batch.at(-1)!.id && newest.state === 'acknowledged') {
          const all = await store.deliveries.deliveries(id, { limit: events });
          if (all.every(({ state }) => state === 'acknowledged')) break;
        }
        await sleep(5);
      }
    }
    const ms = performance.now() - began;
    for (const id of ids.slice(0, order.answering)) {
      const all = await store.deliveries.deliveries(id, { limit: events });
      if (all.some(({ attempts }) => attempts !== 1)) throw new Error(`a delivery to ${id} took several attempts`);
    }
    return { ms, began: performance.timeOrigin + began };
  };
}

function createLoop(): (events: number) => Promise<Delivered> {
  const secret = createSigningSecret();
  let made = 0;
  return async (events) => {
    const bodies = Array.from({ length: events }, () => {
      const record = benchRecord(++made);
      const id = `evt_${made.toString(16).padStart(32, '0')}`;
      const { feed_id, id: record_id, version, source_url, published_at, observed_at, title } = record;
      const head = { id, type: 'record.published', created_at: observed_at, feed_id, record_id, version };
      const rest = { cause: 'first_observed', source_url, published_at, observed_at, title };
      const url = `https://example.org/api/v1/records/${record_id}`;
      return { id, body: JSON.stringify({ ...head, ...rest, url }) };
    });
    const began = performance.now();
    const { urls, atOnce } = order;
    const targets = atOnce === undefined ? urls.map((url) => [url]) : [urls];
    for (const target of targets) {
      let next = 0;
      const send = async (): Promise<void> => {
        for (let nth = next++; nth < events * target.length; nth = next++) {
          const url = target[nth % target.length]!;
          const { id, body } = bodies[Math.floor(nth / target.length)]!;
          const headers = {
            'content-type': 'application/json',
            [SIGNATURE_HEADER]: sign(body, secret, Math.floor(Date.now() / 1000)),
            [EVENT_HEADER]: id,
          };
          const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' });
          await response.arrayBuffer();
        }
      };
      await Promise.all(Array.from({ length: atOnce ?? CONCURRENCY }, send));
    }
    return { ms: performance.now() - began, began: performance.timeOrigin + began };
  };
}

const run = order.kind === 'sender' ? await createSender() : createLoop();
process.on('message', ({ events }: { readonly events: number }) => {
  run(events).then(
    (delivered) => process.send!(delivered),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
process.send!('ready');
// It ends with its parent.
process.once('disconnect', () => process.exit(0));
