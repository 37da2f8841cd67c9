// Links and sessions as pages and the command line use them: what a secret opens, how long, and what is kept of it.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accountSignIns, LINK_MS, MAILS_PER_HOUR, SESSION_MS, type SignIns } from '../../src/operate/sign-in.ts';
import type { Account } from '../../src/stores/contract/accounts.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { accountNamed } from '../contracts/accounts.ts';

const HOUR_MS = 3_600_000;

let folder: string;
let store: SqliteStore;
let nowMs: number;
let signIns: SignIns<Account>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  store = SqliteStore.open(join(folder, 'gazette.db'));
  nowMs = Date.parse('2026-05-01T00:00:00Z');
  signIns = accountSignIns(store, { now: () => nowMs });
  await store.accounts.createAccount(accountNamed('acme'));
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

async function signedIn(): Promise<string> {
  return (await signIns.begin(await signIns.createLink('acme')))!.secret;
}

describe('an owner', () => {
  it('signs in by a link, once, and out', async () => {
    const link = await signIns.createLink('acme');
    expect((await signIns.ownerOfLink(link))?.id).toBe('acme');
    const session = (await signIns.begin(link))!;
    expect(session.owner.id).toBe('acme');
    expect((await signIns.ownerOf(session.secret))?.id).toBe('acme');
    expect([await signIns.ownerOfLink(link), await signIns.begin(link)]).toEqual([null, null]);
    await signIns.end(session.secret);
    expect(await signIns.ownerOf(session.secret)).toBeNull();
  });

  it('has a new secret for every link and every session, which open nothing else', async () => {
    const links = [await signIns.createLink('acme'), await signIns.createLink('acme')];
    const session = (await signIns.begin(links[1]!))!.secret;
    expect(new Set([...links, session]).size).toBe(3);
    expect([await signIns.ownerOf(links[1]!), await signIns.begin(session)]).toEqual([null, null]);
  });

  it('has a quarter of an hour to use a link', async () => {
    const link = await signIns.createLink('acme');
    nowMs += LINK_MS - 1;
    expect(await signIns.ownerOfLink(link)).not.toBeNull();
    nowMs += 1;
    expect([await signIns.ownerOfLink(link), await signIns.begin(link)]).toEqual([null, null]);
  });

  it('is signed in for half a day, and the session is then deleted', async () => {
    const session = await signedIn();
    nowMs += SESSION_MS - 1;
    expect(await signIns.ownerOf(session)).not.toBeNull();
    nowMs += 1;
    expect(await signIns.ownerOf(session)).toBeNull();
    nowMs += HOUR_MS;
    await signedIn();
    nowMs -= HOUR_MS + 1;
    expect(await signIns.ownerOf(session)).toBeNull();
  });

  it('signs out everywhere, and the link that waits is void', async () => {
    const sessions = [await signedIn(), await signedIn()];
    const link = await signIns.createLink('acme');
    expect(await signIns.endAll('acme')).toBe(2);
    expect(await Promise.all(sessions.map((secret) => signIns.ownerOf(secret)))).toEqual([null, null]);
    expect(await signIns.begin(link)).toBeNull();
  });

  it('is sent so many links in an hour, and the latest one works', async () => {
    const sent: (string | null)[] = [];
    for (let n = 0; n <= MAILS_PER_HOUR; n++) sent.push(await signIns.createMailedLink('acme'));
    expect(sent.map((secret) => secret !== null)).toEqual([true, true, true, false]);
    expect(await signIns.ownerOfLink(sent[2]!)).not.toBeNull();
    nowMs += HOUR_MS;
    expect(await signIns.createMailedLink('acme')).not.toBeNull();
  });

  it('is not asked for with what is no secret', async () => {
    const link = await signIns.createLink('acme');
    for (const text of [
      '',
      'acme',
      link.slice(1),
      `${link}0`,
      link.toUpperCase().replace(/[0-9]/g, 'A'),
      `${link}\n`,
      '\0',
    ]) {
      expect([await signIns.ownerOfLink(text), await signIns.begin(text), await signIns.ownerOf(text)]).toEqual([
        ...[null, null, null],
      ]);
      await signIns.end(text);
    }
    expect(await signIns.ownerOfLink(link)).not.toBeNull();
  });

  it('has no secret in the store', async () => {
    const link = await signIns.createLink('acme');
    const session = (await signIns.begin(link))!.secret;
    const waiting = await signIns.createLink('acme');
    await store.close();
    const files = ['gazette.db', 'gazette.db-wal'].map((name) => readFile(join(folder, name)).catch(() => Buffer.of()));
    const bytes = Buffer.concat(await Promise.all(files));
    expect(bytes.includes('acme')).toBe(true);
    for (const secret of [link, session, waiting]) {
      for (const part of [secret.slice(0, 10), secret.slice(10, 20), secret.slice(20, 30), secret.slice(30)]) {
        expect([bytes.includes(part), bytes.includes(Buffer.from(part, 'hex'))]).toEqual([false, false]);
      }
    }
    store = SqliteStore.open(':memory:');
  });
});
