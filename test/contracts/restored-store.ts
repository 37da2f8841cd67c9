// A store that is restored from an older state by the tools of its database, and `gazette doctor --restored` after it, as
// docs/operate.md says: through the real command line.
import { expect, it } from 'vitest';
import { Accounts } from '../../src/operate/accounts.ts';
import { createGazette } from '../../src/service/create-gazette.ts';
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import type { InspectedStore } from '../../src/stores/contract/inspection.ts';
import { gazette } from '../cli/run.ts';
import { deployment, receiver, SECRETS_KEY } from '../webhooks/send/sending.ts';
import { inspected } from './overwrites.ts';
import { at, permits, say } from './store-register.ts';

/** A store that nobody has open, and its backups. */
export interface Installation {
  /** Its URL, for `--store`. */
  readonly url: string;
  /** Opens it for as long as `work` takes. */
  readonly use: <T>(work: (store: InspectedStore & ServiceStore) => Promise<T>) => Promise<T>;
  /** Keeps its present state. */
  readonly backup: () => Promise<void>;
  /** Brings the kept state back. */
  readonly restore: () => Promise<void>;
}

/** Registers the suite for one database. */
export function restoredContract(install: () => Promise<Installation>): void {
  it('refuses change numbers of before the restore, and keeps ids and positions', async () => {
    const { url, use, backup, restore } = await install();
    const kept = await use(async (store) => {
      await store.createRegister(permits());
      await store.createRegister(permits('empty'));
      await store.apply('permits', [say('a'), say('b')], { recordedAt: at(0) });
      return (await store.register('permits'))!;
    });
    await backup();
    const lost = await use(async (store) => {
      await store.apply('permits', [say('c'), say('a', { title: 'Lost' })], { recordedAt: at(1) });
      return (await store.register('permits'))!;
    });
    await restore();
    await use(async (store) => {
      await store.apply('permits', [say('d'), say('e')], { recordedAt: at(2) });
      // Nobody can tell: to a mirror of c and the new title, d and e are missing.
      expect(await store.changes('permits', { since: 4, log: lost.log, limit: 9 })).toMatchObject({ versions: [] });
    });

    const asked = await gazette(['doctor', '--restored', '--store', url]);
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('Give 2 registers of ')]);
    expect((await use((store) => store.register('permits')))!.log).toBe(kept.log);

    const told = 'gave 2 registers new logs: change numbers of before are refused (log_restarted)';
    const seconds = Math.floor(Date.now() / 1000);
    const first = await gazette(['doctor', '--restored', '--yes', '--json', '--store', url]);
    expect([first.code, first.stderr]).toEqual([0, `gazette: ${told}; ids and positions stay\n`]);
    const answer = JSON.parse(first.stdout.toString()) as { readonly new_logs: readonly { readonly log: string }[] };
    const log = answer.new_logs.at(-2)!.log;
    expect(answer).toMatchObject({
      ...{ found: 0, versions: 4 },
      new_logs: [{ feed_id: 'permits', before: kept.log, log }, { feed_id: 'empty' }],
    });
    await use(async (store) => {
      const entry = (await store.register('permits'))!;
      expect(entry).toMatchObject({ definition: kept.definition, top: 4, change: 4, total: 4, log });
      // No answer of before carried this date for conditional requests.
      expect(entry.lastModified).toBeGreaterThan(Math.max(seconds, lost.lastModified!));
      expect((await store.record('permits:a'))!.position).toBe(1);
      for (const old of [{ since: 4, log: lost.log }, { since: 2, log: kept.log }, { since: 2 }]) {
        const refused = store.changes('permits', { ...old, limit: 9 });
        await expect(refused, JSON.stringify(old)).rejects.toMatchObject({ code: 'log_restarted' });
      }
      expect((await store.changes('permits', { since: 0, limit: 9 })).versions).toHaveLength(4);
      expect((await store.changes('permits', { since: 2, log, limit: 9 })).versions).toHaveLength(2);
    });

    // A second time changes as much as the first one, and says that it came twice.
    const second = await gazette(['doctor', '--restored', '--yes', '--store', url]);
    expect(second.code).toBe(0);
    expect(second.stderr).toContain('had been given before, and nothing was written to them since: permits\n');
    await use(async (store) => {
      await expect(store.changes('permits', { since: 4, log, limit: 9 })).rejects.toThrow('restored from a backup');
      await store.apply('permits', [say('f')], { recordedAt: at(3) });
      const begun = await store.beginNewLogs({ at: at(4) });
      expect(begun.map(({ feedId, wasUnused }) => [feedId, wasUnused])).toEqual([
        ['permits', false],
        ['empty', false],
      ]);
      await store.apply('permits', [say('a', { title: 'Changed' })], { recordedAt: at(5) });
      expect(await inspected(store)).toEqual([]);
    });
  });

  it('answers consumers of before with 410 over HTTP, and from the start with all that there is', async () => {
    const { url, use, backup, restore } = await install();
    let key = '';
    /** What `/changes` answers, from `since` to the end: status, code, records, and where it goes on. */
    const ask = (since: string): Promise<readonly [number, unknown, readonly unknown[], string]> =>
      use(async (store) => {
        const service = createGazette({ store });
        const request = new Request(`https://example.org/api/v1/feeds/permits/changes?since=${since}`, {
          headers: { authorization: `Bearer ${key}` },
        });
        const response = await service.fetch(request);
        const body = (await response.json()) as {
          code?: string;
          versions?: { record_id: string }[];
          next_since?: string;
        };
        await service.close();
        const records = (body.versions ?? []).map(({ record_id }) => record_id);
        return [response.status, body.code ?? null, records, body.next_since ?? ''];
      });
    await use(async (store) => {
      await store.createRegister(permits());
      await store.apply('permits', [say('a')], { recordedAt: at(0) });
      const accounts = new Accounts(store, { product: 'gazette' });
      await accounts.add('acme', '2999-01-01T00:00:00Z');
      ({ key } = await accounts.createKey('acme'));
    });
    const [, , , kept] = await ask('0');
    await backup();
    await use((store) => store.apply('permits', [say('lost')], { recordedAt: at(1) }));
    const [, , , lost] = await ask(kept);
    await restore();
    expect((await gazette(['doctor', '--restored', '--yes', '--store', url])).code).toBe(0);
    await use((store) => store.apply('permits', [say('new')], { recordedAt: at(2) }));
    for (const since of [kept, lost, '1']) expect(await ask(since)).toEqual([410, 'log_restarted', [], '']);
    const [status, , records, next] = await ask('0');
    expect([status, records]).toEqual([200, ['permits:a', 'permits:new']]);
    expect(await ask(next)).toEqual([200, null, [], next]);
  });

  it('sends again what was acknowledged after the backup, the same bytes, and loses nothing', async () => {
    const { url, use, backup, restore } = await install();
    const hook = await receiver(({ body }, nth) => (nth === 2 && body.includes('failed') ? 500 : 204));
    let deployed!: Awaited<ReturnType<typeof deployment>>;
    /** What a sender sends of what is due, as lines of event and body. */
    const sent = (): Promise<readonly string[]> =>
      use(async ({ deliveries }) => {
        const before = hook.received.length;
        await deployed.sender({ store: { deliveries } }).sendDue();
        const received = hook.received.slice(before);
        return received.map(({ body, headers }) => `${String(headers['x-register-event'])} ${body.toString()}`).sort();
      });
    const commit = (key: string): Promise<unknown> =>
      use((store) => store.apply('permits', [say(key)], { recordedAt: new Date(deployed.clock.now).toISOString() }));
    await use(async (store) => {
      deployed = await deployment(store);
      await deployed.add(hook.url);
    });
    await commit('acknowledged');
    expect(await sent()).toHaveLength(1);
    await commit('failed');
    expect(await sent()).toHaveLength(1);
    await commit('waiting');
    await backup();

    deployed.clock.now += 60_000;
    const after = await sent();
    const recordsOf = (lines: readonly string[]): unknown => lines.map((line) => /permits:\w+/.exec(line)![0]).sort();
    expect(recordsOf(after)).toEqual(['permits:failed', 'permits:waiting']);
    await commit('lost');
    expect(recordsOf(await sent())).toEqual(['permits:lost']);
    await restore();
    const doctor = await gazette(['doctor', '--restored', '--yes', '--store', url], '', {
      GAZETTE_SECRETS_KEY: SECRETS_KEY,
    });
    expect(doctor.code, doctor.stderr).toBe(0);
    expect(await sent()).toEqual(after);
    // What is imported again is another event, which receivers have not handled.
    deployed.clock.now += 60_000;
    await commit('lost');
    expect(recordsOf(await sent())).toEqual(['permits:lost']);
    expect(new Set(hook.received.map(({ headers }) => headers['x-register-event'])).size).toBe(5);
    expect(await sent()).toEqual([]);
  });
}
