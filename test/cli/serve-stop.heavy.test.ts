// `gazette serve`, stopped again and again while forty clients ask and buy over connections that they keep: each request that
// was sent is answered, and each purchase is charged once.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, type IncomingMessage, request as send } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createApiKey, newKeyEntry } from '../../src/access/api-key.ts';
import { Ledger } from '../../src/wings/selling/operate/ledger.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { sampleRecord } from '../contracts/sample-register.ts';
import { tried, tries } from '../effort.ts';
import { letPass, until } from '../until.ts';
import { makeStore, serve } from './served.ts';
import { ledgerOf } from '../wings/selling/ledger-of.ts';

const CLIENTS = 40;

/** Every so many of them buys. */
const BUYING = 4;

const RECORDS = 3000;

const STOPS = tries(3, 100);

/** What became of the requests of all clients. */
interface Tally {
  answered: number;
  /** The records whose purchase was answered. */
  readonly bought: string[];
  /** Requests that were sent and not answered as they should be. */
  readonly lost: string[];
}

/** Asks without a pause, until nobody listens any more. @param toBuy the records that it may still buy */
async function ask(api: string, key: string, toBuy: string[] | null, tally: Tally): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  for (;;) {
    const id = toBuy?.pop();
    const path = id === undefined ? 'feeds/permits/records' : `records/${id}/purchase`;
    const request = send(`${api}/${path}`, { agent, headers, method: id === undefined ? 'GET' : 'POST' });
    try {
      const body = id === undefined ? '' : JSON.stringify({ expected_price: '0.01 EUR' });
      const [answer] = (await once(request.end(body), 'response')) as [IncomingMessage];
      let said = '';
      for await (const chunk of answer) said += String(chunk);
      if (answer.statusCode !== 200) tally.lost.push(`${answer.statusCode}: ${said}`);
      else if (id !== undefined) tally.bought.push(id);
      tally.answered++;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'ECONNREFUSED') tally.lost.push(`${path}: ${message}`);
      agent.destroy();
      return;
    }
  }
}

describe('a service that is stopped under load', () => {
  /** A store that all stops use, each with an account of its own. */
  let path: string;
  /** All but the latest three, which cost nothing. */
  const ids = Array.from({ length: RECORDS - 3 }, (_, index) => sampleRecord(index + 1).id);
  beforeAll(async () => {
    const place = await mkdtemp(join(tmpdir(), 'gazette-load-'));
    ({ path } = await makeStore(RECORDS, {}, place));
    const store = SqliteStore.open(path);
    const { definition } = (await store.register('permits'))!;
    const prices = { currency: 'EUR', per_record: 1 };
    await store.updateRegister({ ...definition, prices }, { recordedAt: '2026-10-02T10:00:00Z' });
    while ((await store.finding.incomplete()).includes('permits')) await store.finding.build('permits');
    await store.close();
    return () => rm(place, { recursive: true });
  });

  async function buyer(id: string): Promise<string> {
    const store = SqliteStore.open(path);
    const createdAt = new Date().toISOString();
    await store.accounts.createAccount({ id, accessUntil: null, createdAt });
    const price = { amount: RECORDS, currency: 'EUR' };
    await ledgerOf(store).grantCredit({ accountId: id, price, reference: null, reason: null });
    const key = createApiKey();
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const entry = newKeyEntry(key, { accountId: id, product: 'gazette', createdAt });
    await store.accounts.createKey({ ...entry, expiresAt, budget: { budget: RECORDS, perDay: null } });
    await store.close();
    return key;
  }

  async function charged(account: string): Promise<(string | undefined)[]> {
    const store = SqliteStore.open(path);
    const records = [];
    for await (const entries of new Ledger(ledgerOf(store)).entries(account)) {
      records.push(...entries.filter(({ kind }) => kind === 'charge').map(({ item }) => item?.recordId));
    }
    await store.close();
    return records;
  }

  it.each(['1', '2'])('loses no request and doubles no purchase (%s processes)', async (workers) => {
    for (let stop = 0; stop < STOPS; stop++) {
      const account = `buyer-${workers}-${stop}`;
      const key = await buyer(account);
      const limits = ['--limit-key', 'none', '--limit-address', 'none', '--limit-previews', 'none'];
      const { child, api, ended } = await serve(path, '--workers', workers, ...limits);
      const tally: Tally = { answered: 0, bought: [], lost: [] };
      const toBuy = [...ids];
      const clients = Array.from({ length: CLIENTS }, (_, index) =>
        ask(api, key, index % BUYING === 0 ? toBuy : null, tally),
      );
      await until('load', () => tally.answered > 4 * CLIENTS && tally.bought.length > 0);
      await letPass(stop % 10, 'no stop finds the clients where another one found them');
      child.kill('SIGTERM');
      await Promise.all(clients);
      expect([stop, tally.lost]).toEqual([stop, []]);
      expect(await ended).toMatchObject({ code: 0, signal: null });
      expect((await charged(account)).sort()).toEqual(tally.bought.sort());
      tried(1);
    }
  });
});
