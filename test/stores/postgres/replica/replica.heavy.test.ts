// A store that reads from a streaming replica: what it says is what the primary says, however far the replica is behind.
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import type { Page } from '../../../../src/register/page.ts';
import type { ByteRows } from '../../../../src/register/sources/byte-rows.ts';
import { PostgresStore } from '../../../../src/stores/postgres/store.ts';
import { at, permits, say } from '../../../contracts/store-register.ts';
import { letPass, until } from '../../../until.ts';
import { quiet } from '../way.ts';
import { replicated } from './replicated.ts';

const servers = replicated();

afterEach(() => servers().resume());

let schemas = 0;

function recordsOf(rows: ByteRows): unknown[] {
  const records: unknown[] = [];
  for (let at = 0; at < rows.bytes.length;) {
    const { record, end } = rows.recordAt(at);
    records.push(record);
    at = end;
  }
  return records;
}

/** Two nodes over a register of three records: one that writes, and one that reads from the replica. */
async function nodes(): Promise<{ readonly writer: PostgresStore; readonly reader: PostgresStore }> {
  const schema = `replica_${++schemas}`;
  const { pool, replicaPool, caughtUp } = servers();
  const writer = await PostgresStore.open(pool, { schema });
  await writer.createRegister(permits());
  await writer.apply('permits', [say('a'), say('b'), say('c')], { recordedAt: at(1) });
  const reader = await PostgresStore.open(pool, { schema, replica: replicaPool });
  await caughtUp();
  return { writer, reader };
}

const titles = async (store: PostgresStore, asOf?: number): Promise<readonly string[]> => {
  const source = await store.source('permits');
  const page = await source.page({ offset: 0, limit: 100, ...(asOf === undefined ? {} : { asOf }) });
  return page.records.map(({ title }) => title);
};

describe('a store with a replica', () => {
  it('reads from the replica while it is as far as the primary', async () => {
    const { writer, reader } = await nodes();
    expect(await titles(reader)).toEqual(await titles(writer));
    const id = (await (await writer.source('permits')).page({ offset: 0, limit: 1 })).records[0]!.id;
    expect(await reader.history(id, { offset: 0, limit: 9 })).toEqual(
      await writer.history(id, { offset: 0, limit: 9 }),
    );
    const all = { since: 0, limit: 9, expectedOrigin: null };
    expect(await reader.changes('permits', all)).toEqual(await writer.changes('permits', all));
    expect(reader.replica()).toEqual({ answered: 3, waited: 0, behind: 0, failed: 0 });
    expect(writer.replica()).toBeUndefined();
  });

  it('says how far the replica is behind, and of one that has all how soon it said so', async () => {
    const { writer, reader } = await nodes();
    /** Waits until it says less than it took to say so. */
    const untilFollowing = (): Promise<unknown> =>
      until('a replica that has all', async () => {
        const begun = performance.now();
        return (await reader.replicaLag())! < (performance.now() - begun) / 1000;
      });
    expect(await writer.replicaLag()).toBeNull();
    await letPass(1100, 'the last commit is older than a second');
    await untilFollowing();
    await servers().pause();
    await writer.apply('permits', [say('d')], { recordedAt: at(2) });
    // It was waited for, and the last commit that it has is the one of before.
    expect(await reader.replicaLag()).toBeGreaterThan(2);
    await servers().resume();
    await untilFollowing();
  });

  it('does not say how far behind a server is that follows none, and fails where it is away', async () => {
    const { pool } = servers();
    const schema = `replica_${++schemas}`;
    const ofPrimary = await PostgresStore.open(pool, { schema, replica: pool });
    expect(await ofPrimary.replicaLag()).toBeNull();
    const away = quiet(new pg.Pool({ connectionString: 'postgres://nobody:secret@127.0.0.1:1/none' }));
    const alone = await PostgresStore.open(pool, { schema, replica: away });
    await expect(alone.replicaLag()).rejects.toMatchObject({ code: 'store_unavailable' });
    await away.end();
  });

  it('waits for a replica that is behind', async () => {
    const { writer, reader } = await nodes();
    await servers().pause();
    await writer.apply('permits', [say('d')], { recordedAt: at(2) });
    const read = titles(reader);
    await until('it waits', () => reader.replica()!.waited > 2);
    await servers().resume();
    expect(await read).toEqual(await titles(writer));
    expect(reader.replica()).toMatchObject({ answered: 1, behind: 0, failed: 0 });
  });

  it.each(['pagesAhead', 'rowsAhead'] as const)(
    'walks over the replica, by COPY, as far as the register is there: %s',
    async (way) => {
      const { writer, reader } = await nodes();
      const walked = async (store: PostgresStore): Promise<unknown[]> => {
        const steps: AsyncIterable<ByteRows | readonly Page[]> = (await store.source('permits'))[way]!({
          offset: 0,
          limit: 100,
        });
        const records = await Array.fromAsync(steps, (step) => ('bytes' in step ? recordsOf(step) : step));
        return records.flat();
      };
      expect(await walked(reader)).toEqual(await walked(writer));
      expect(reader.replica()).toEqual({ answered: 1, waited: 0, behind: 0, failed: 0 });
      await servers().pause();
      await writer.apply('permits', [say('d')], { recordedAt: at(2) });
      const walk = walked(reader);
      await until('it waits', () => reader.replica()!.waited > 2);
      await servers().resume();
      expect(await walk).toEqual(await walked(writer));
      expect(reader.replica()).toMatchObject({ answered: 2, behind: 0, failed: 0 });
    },
  );

  it('asks the primary when it has waited for a second, and for the next second at once', async () => {
    const { writer, reader } = await nodes();
    await servers().pause();
    await writer.apply('permits', [say('d')], { recordedAt: at(2) });
    const expected = await titles(writer);
    expect(await titles(reader)).toEqual(expected);
    const { waited } = reader.replica()!;
    expect(waited).toBeGreaterThan(2);
    expect(await titles(reader)).toEqual(expected);
    expect(reader.replica()).toEqual({ answered: 0, waited, behind: 2, failed: 0 });
    await servers().resume();
  });

  it('shows views, versions and changes that the replica does not have yet, and refuses views that do not exist', async () => {
    const { writer, reader } = await nodes();
    const source = await reader.source('permits');
    await servers().pause();
    await writer.apply('permits', [say('a', { title: 'Other' }), say('d')], { recordedAt: at(2) });
    const { asOf, records } = await (await writer.source('permits')).page({ offset: 0, limit: 1 });
    expect(asOf).toBe(4);
    expect((await source.page({ offset: 0, limit: 1, asOf: 4 })).records).toEqual(records);
    await expect(source.page({ offset: 0, limit: 1, asOf: 5 })).rejects.toMatchObject({
      code: 'invalid_parameter',
    });
    const changed = { since: 3, limit: 9, expectedOrigin: null };
    expect(await reader.changes('permits', changed)).toEqual(await writer.changes('permits', changed));
    const id = (await (await writer.source('permits')).page({ offset: 0, limit: 9 })).records.at(-1)!.id;
    expect(await reader.history(id, { offset: 0, limit: 9 })).toEqual(
      await writer.history(id, { offset: 0, limit: 9 }),
    );
    await servers().resume();
  });

  it('asks the primary at once for a view that it is not known to have', async () => {
    const { reader } = await nodes();
    const source = await reader.source('permits');
    await expect(source.page({ offset: 0, limit: 1, asOf: 4 })).rejects.toMatchObject({ code: 'invalid_parameter' });
    expect(reader.replica()).toEqual({ answered: 0, waited: 0, behind: 0, failed: 0 });
  });

  it('never shows what was erased, or removed', async () => {
    const { writer, reader } = await nodes();
    const source = await reader.source('permits');
    const id = (await source.page({ offset: 0, limit: 1 })).records[0]!.id;
    await servers().pause();
    await writer.redact(id, { recordedAt: at(3) });
    expect((await source.page({ offset: 0, limit: 9 })).records).toHaveLength(2);
    expect(await reader.history(id, { offset: 0, limit: 9 })).toEqual(
      await writer.history(id, { offset: 0, limit: 9 }),
    );
    await writer.removeRegister('permits');
    await expect(source.page({ offset: 0, limit: 9 })).rejects.toMatchObject({ code: 'unknown_feed' });
    await servers().resume();
  });

  it('goes on while the replica is away, and uses it again', async () => {
    const { writer, reader } = await nodes();
    await servers().replica.halt();
    expect(await titles(reader)).toEqual(await titles(writer));
    expect(reader.replica()).toMatchObject({ answered: 0, failed: 1 });
    await servers().replica.resume();
    await until('it is used again', async () => {
      await titles(reader);
      return reader.replica()!.answered > 0;
    });
  });
});

it('says whether a replica that takes the place of the primary has all that was acknowledged', async () => {
  const { writer } = await nodes();
  const { pool } = servers();
  const noted = async (): Promise<string> => (await writer.inspection.damage()).notes.join();
  expect(await noted()).toContain('a commit is acknowledged before a replica has it');
  await pool.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await pool.query('SELECT pg_reload_conf()');
  try {
    await until('it waits for a replica', async () =>
      (await noted()).includes('when a synchronous replica has it too'),
    );
  } finally {
    await pool.query('ALTER SYSTEM RESET synchronous_standby_names');
    await pool.query('SELECT pg_reload_conf()');
  }
});

it('believes no replica that has what the primary never had', async () => {
  const { writer, reader } = await nodes();
  const { replicaPool } = servers();
  const all = { since: 0, limit: 9, expectedOrigin: null };
  const agree = async (): Promise<void> => {
    expect(await titles(reader)).toEqual(await titles(writer));
    expect(await reader.changes('permits', all)).toEqual(await writer.changes('permits', all));
  };
  await agree();
  const { answered } = reader.replica()!;
  // Nobody may be promoted beside a primary; after a failover, this is how a server looks that was ahead of the promoted one.
  await replicaPool.query('SELECT pg_promote()');
  const forked = await PostgresStore.open(replicaPool, { schema: `replica_${schemas}` });
  await forked.apply('permits', [say('d', { title: 'Lost' })], { recordedAt: at(2) });
  await agree();
  expect(reader.replica()).toMatchObject({ answered, failed: 2 });
  await writer.apply('permits', [say('d', { title: 'Kept' })], { recordedAt: at(2) });
  await agree();
  await forked.apply('permits', [say('e', { title: 'Lost too' })], { recordedAt: at(3) });
  await letPass(1000, 'the time for which a replica is avoided that was not believed');
  await agree();
  expect(reader.replica()).toMatchObject({ answered, behind: 1, failed: 5 });
});
