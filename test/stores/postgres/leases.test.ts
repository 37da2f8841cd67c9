// Leases on a database that several hosts share: its clock alone tells between hosts, and the mark of a process on one.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { examine } from '../../../src/operate/doctor.ts';
import { Records } from '../../../src/operate/records.ts';
import type { HeldRegister } from '../../../src/stores/lease/held-register.ts';
import { holdRegister } from '../../../src/stores/lease/hold-register.ts';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { at, permits, say } from '../../contracts/store-register.ts';
import { quiet, startWay } from './way.ts';

let pool: pg.Pool;
let store: PostgresStore;
let otherHost: string;

const schema = `leases_${process.pid}`;

beforeAll(async () => {
  otherHost = await mkdtemp(join(tmpdir(), 'gazette-host-'));
  pool = new pg.Pool({ connectionString: inject('postgresUrl') });
  store = await PostgresStore.open(pool, { schema });
  return async () => {
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    await pool.end();
    await rm(otherHost, { recursive: true });
  };
});

beforeEach(async () => {
  await store.createRegister(permits());
  return () => store.removeRegister('permits');
});

/** Holds the register as on another host, which has another folder for temporary files. */
function holdElsewhere<T>(work: (hold: HeldRegister) => Promise<T>): Promise<T> {
  const here = process.env.TMPDIR;
  process.env.TMPDIR = otherHost;
  try {
    return holdRegister(store, 'permits', { what: 'import a.csv' }, work);
  } finally {
    if (here === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = here;
  }
}

const nothing = async (): Promise<void> => undefined;

it.each([[31_000], [3_600_000], [-3_600_000]])(
  'a claimant whose clock is %d ms ahead does not end the work of another host',
  async (ms) => {
    await holdElsewhere(async () => {
      const now = (): number => Date.now() + ms;
      const second = holdRegister(store, 'permits', { what: 'second', now }, nothing);
      await expect(second).rejects.toMatchObject({ code: 'register_busy', details: { what: 'import a.csv' } });
    });
  },
);

const VOID = [
  ['2026-01-01T00:00:00.000Z', 'has ended'],
  ['2099-01-01T00:00:00.000Z', 'ends later than one that was just renewed'],
] as const;

it.each(VOID)(
  'a lease until %s is void, because it %s: doctor names it, and the next one takes over',
  async (until) => {
    await store.apply('permits', [say('a')], { recordedAt: at(0) });
    await holdElsewhere(async (hold) => {
      await pool.query(`UPDATE ${schema}.leases SET ends_at = $1`, [until]);
      const problems: string[] = [];
      for await (const { findings } of examine(store, { file: null, box: () => expect.fail('there are no secrets') })) {
        problems.push(...findings.filter(({ table }) => table === 'leases').map(({ problem }) => problem));
      }
      expect(problems).toEqual([expect.stringContaining(`until ${until} is void (import a.csv)`)]);
      expect(await new Records(store).erase('permits:a')).toBe(true);
      const late = hold.write((under) => store.apply('permits', [say('b')], { recordedAt: at(1), ...under }));
      await expect(late).rejects.toMatchObject({ code: 'import_superseded' });
    });
  },
);

it.each(VOID)('a lease until %s holds nevertheless on the host where its process runs', async (until) => {
  await holdRegister(store, 'permits', { what: 'first' }, async (hold) => {
    await pool.query(`UPDATE ${schema}.leases SET ends_at = $1`, [until]);
    const second = holdRegister(store, 'permits', { what: 'second' }, nothing);
    await expect(second).rejects.toMatchObject({ code: 'register_busy', details: { what: 'first' } });
    await hold.write((under) => store.apply('permits', [say('a')], { recordedAt: at(0), ...under }));
  });
});

it.each([['done'], ['interrupted']])(
  'work that is %s while the database is away keeps nobody of this host out',
  async (end) => {
    const way = await startWay(inject('postgresUrl'));
    const overWay = quiet(new pg.Pool({ connectionString: way.url }));
    const far = await PostgresStore.open(overWay, { schema });
    const interruption = new AbortController();
    const { signal } = interruption;
    const work = holdRegister(far, 'permits', { what: 'first', signal }, async (hold) => {
      way.isCut = true;
      way.end();
      if (end === 'done') return;
      const write = hold.write((under) => far.apply('permits', [say('a')], { recordedAt: at(0), ...under }));
      interruption.abort();
      await write;
    });
    if (end === 'done') await work;
    else await expect(work).rejects.toMatchObject({ code: 'aborted' });
    expect(await store.leases.find('permits')).toMatchObject({ what: 'first', isVoid: false });
    await holdRegister(store, 'permits', { what: 'second' }, nothing);
    way.stop();
    await overWay.end();
  },
);
