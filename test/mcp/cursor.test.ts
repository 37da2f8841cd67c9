// The cursor of read_register: it goes on in the view in which a walk began, and belongs to its register, its filters,
// its log and its tier. Walks under change: test/contracts/client-loops-contract.ts.
import { describe, expect, it } from 'vitest';
import type { RegisterSource } from '../../src/register/sources/source.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { type World, world, keyAt, statementAt } from '../world.ts';
import { at, permits, say } from '../contracts/store-register.ts';
import { callTool, recordsIn } from './agent.ts';

interface Shown {
  readonly next_offset: number | null;
  readonly next_url?: string;
  readonly cursor?: string;
  readonly total?: number;
}

async function start(store: SqliteStore = SqliteStore.open(':memory:'), budgetTokens = 20_000): Promise<World> {
  const service = await world({ store, records: 12, mcp: { budgetTokens } });
  return service;
}

async function read(service: World, args: object, key: string | null = service.key): Promise<Shown> {
  const { isError, structuredContent, content } = await callTool(
    service,
    'read_register',
    { feed_id: 'permits', ...args },
    key,
  );
  expect([isError, content[0]]).toEqual([false, expect.anything()]);
  return structuredContent as unknown as Shown;
}

const idsOf = (page: Shown): unknown[] => recordsIn(page as never).map(({ id }) => id);

describe('a cursor', () => {
  it('is given until nothing follows, and goes on from there in the same view', async () => {
    const service = await start();
    const first = await read(service, { limit: 5 });
    await service.store.apply('permits', [say('new')], { recordedAt: at(1) });
    const second = await read(service, { limit: 100, cursor: first.cursor });
    expect(idsOf(second)).toEqual(['007', '006', '005', '004', '003', '002', '001'].map((key) => `permits:${key}`));
    expect(second).not.toHaveProperty('cursor');
    expect([first.next_offset, second.next_offset]).toEqual([5, null]);
    const byOffset = await read(service, { limit: 5, offset: 5 });
    expect(idsOf(byOffset)[0], 'which an offset alone does not').toBe('permits:008');
  });

  it('goes on in the view of the REST address beside it', async () => {
    const service = await start();
    const first = await read(service, { limit: 4, document_type: 'draft' });
    await service.store.apply('permits', [statementAt(13, 12)], { recordedAt: at(1) });
    const rest = await service.list(first.next_url!.split('/api/v1')[1]!, service);
    const next = await read(service, { limit: 4, document_type: 'draft', cursor: first.cursor });
    expect(idsOf(next)).toEqual(rest.records.map(({ id }) => id));
  });

  it('works for the public inside its three records', async () => {
    const service = await start();
    const seen: unknown[] = [];
    for (let next: object | null = {}; next !== null;) {
      const page = await read(service, { limit: 1, ...next }, null);
      seen.push(...idsOf(page));
      next = page.cursor === undefined ? null : { cursor: page.cursor };
    }
    expect(seen).toEqual(['012', '011', '010'].map((key) => `permits:${key}`));
  });

  it('takes another limit and other fields, and an offset that is 0', async () => {
    const service = await start();
    const { cursor } = await read(service, { limit: 5 });
    expect(idsOf(await read(service, { limit: 2, fields: ['title'], offset: 0, cursor }))).toEqual([
      'permits:007',
      'permits:006',
    ]);
  });

  it('goes on in one view, although the register changes while an answer is made', async () => {
    const store = SqliteStore.open(':memory:');
    const service = await start(store, 2000);
    const source = store.source.bind(store);
    let changes = 0;
    // Between the page that was asked for and the shorter one that fits.
    store.source = async (feedId, options): Promise<RegisterSource> => {
      const real = await source(feedId, options);
      return {
        ...real,
        async page(query) {
          const page = await real.page(query);
          if (++changes === 1) {
            const options = { recordedAt: at(1) };
            await store.withdraw('permits', [`permits:${keyAt(11)}`], options);
            await store.apply('permits', [say('new')], options);
          }
          return page;
        },
      };
    };
    const seen: unknown[] = [];
    for (let next: object | null = {}; next !== null;) {
      const page = await read(service, { limit: 100, format: 'records', ...next });
      seen.push(...idsOf(page));
      next = page.cursor === undefined ? null : { cursor: page.cursor };
    }
    expect(changes).toBeGreaterThan(1);
    expect(seen).toEqual([12, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1].map((index) => `permits:${keyAt(index)}`));
  });
});

describe('a cursor that does not belong here is refused, with what to do', () => {
  async function refused(service: World, args: object, key: string | null = service.key): Promise<void> {
    const reply = await callTool(service, 'read_register', { feed_id: 'permits', ...args }, key);
    expect([args, reply.isError, reply.structuredContent]).toEqual([args, true, undefined]);
    expect(reply.content[0]!.text).toMatch(/^cursor must be that of the answer before.*leave it out to begin again/s);
  }

  it('of another register, other filters, the other tier', async () => {
    const service = await start();
    await service.store.apply('notices', [say('1', {}, 'notices'), say('2', {}, 'notices')], { recordedAt: at(1) });
    const { cursor } = await read(service, { limit: 1 });
    const { cursor: open } = await read(service, { limit: 1 }, null);
    const { cursor: filtered } = await read(service, { limit: 1, document_type: 'draft' });
    await refused(service, { feed_id: 'notices', cursor });
    await refused(service, { cursor, document_type: 'draft' });
    await refused(service, { cursor: filtered });
    await refused(service, { cursor: filtered, facility_id: 'draft' });
    await refused(service, { cursor }, null);
    await refused(service, { cursor: open });
  });

  it('of a register that was removed and made again', async () => {
    const service = await start();
    const { cursor } = await read(service, { limit: 1 });
    await service.store.removeRegister('permits');
    await service.store.createRegister(permits());
    await service.store.apply(
      'permits',
      Array.from({ length: 12 }, (_, index) => say(`n${index}`)),
      {
        recordedAt: at(2),
      },
    );
    await refused(service, { cursor });
  });

  it('whatever was made of it', async () => {
    const service = await start();
    const cursor = (await read(service, { limit: 1 })).cursor!;
    const [asOf, offset, digest] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [number, number, string];
    const made = (...parts: unknown[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url');
    expect(made(asOf, offset, digest)).toBe(cursor);
    for (const bad of [
      ...['', ' ', '0', 'x', cursor.slice(1), cursor.slice(0, -3), 'x'.repeat(10_000), '\u0000'],
      ...[
        made(asOf, offset + 1, digest),
        made(asOf + 1, offset, digest),
        made(null, offset, digest),
        made(asOf, offset),
      ],
      ...[made(asOf, -1, digest), made(1e300, offset, digest), made([], {}, null)],
    ]) {
      await refused(service, { cursor: bad });
    }
  });

  it('beside an offset, and as another type', async () => {
    const service = await start();
    const { cursor } = await read(service, { limit: 1 });
    const both = await callTool(service, 'read_register', { feed_id: 'permits', cursor, offset: 3 }, service.key);
    expect([both.isError, both.content[0]!.text]).toEqual([true, 'give cursor or offset, not both, got offset 3']);
    const typed = await callTool(service, 'read_register', { feed_id: 'permits', cursor: 3 }, service.key);
    expect([typed.isError, typed.content[0]!.text]).toEqual([true, 'cursor must be given as a text, got 3']);
  });
});

it('the total is that of the register, and absent where a filter would make it misleading', async () => {
  const service = await start();
  expect(await read(service, { limit: 1 })).toMatchObject({ total: 12 });
  expect(await read(service, { limit: 1 }, null)).toMatchObject({ total: 12 });
  for (const filter of [{ document_type: 'draft' }, { facility_id: 'FAC-0003' }, { key: '001' }]) {
    expect(await read(service, filter)).not.toHaveProperty('total');
  }
});
