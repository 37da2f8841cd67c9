// However long records are, an answer fits a model's window: it is whole JSON, below the budget, with a way to the rest.
import { describe, expect, it } from 'vitest';
import { costOf, fit } from '../../src/mcp/budget.ts';
import { defineRegister } from '../../src/register/definition.ts';
import { world } from '../world.ts';
import { at, say } from '../contracts/store-register.ts';
import { post, recordsIn, rpc, saidIn } from './agent.ts';

/** 20,000 tokens of four bytes. */
const BUDGET = 80_000;

const LONG = 200_000;

interface Shown {
  readonly records: readonly (Readonly<Record<string, unknown>> & {
    readonly id: string;
    readonly source_url: string;
  })[];
  readonly next_offset: number | null;
  readonly full_url?: string;
  readonly note?: string;
}

const service = await world({ records: 0 });
const { store } = service;
const letters = ['plain text. ', '"quoted"\\ and\n', '許可証の', '🏗️ works ', '<b>&amp;</b>'];
const records = letters.flatMap((piece, kind) =>
  Array.from({ length: 5 }, (_, index) =>
    say(`k${kind}-${index}`, {
      content: piece.repeat(Math.ceil(LONG / piece.length)).slice(0, LONG),
      summary: piece.repeat(100),
    }),
  ),
);
await store.apply('permits', records, { recordedAt: at(0) });

/** Calls a tool with the key and holds the answer to the budget. */
async function within(name: string, args: object, budget = BUDGET, from = service): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${from.key}` };
  const { status, text, body } = await post(from, rpc('tools/call', { name, arguments: args }), headers);
  expect(status).toBe(200);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(budget);
  expect(text.isWellFormed()).toBe(true);
  const { structuredContent, content, isError } = body!.result as never as Record<
    'structuredContent' | 'content' | 'isError',
    never
  >;
  expect(isError).toBe(false);
  expect(saidIn({ content })).toEqual(structuredContent);
  expect(JSON.stringify(structuredContent).isWellFormed()).toBe(true);
  return 'columns' in structuredContent
    ? { ...(structuredContent as object), records: recordsIn(structuredContent) }
    : structuredContent;
}

describe('records that are fitted into a room', () => {
  const items = Array.from({ length: 10 }, (_, index) => ({
    id: `permits:${index}`,
    title: 'x'.repeat(40 * index),
    content: 'plain text. '.repeat(20 * (index % 3)),
  }));
  const beside = 60;

  it('never take more than the room, however large it is, and all of it that the next one needs', () => {
    const all = items.reduce((sum, item) => sum + costOf(item) + beside, 0);
    let most = 0;
    for (let room = 1000; room < all + 100; room += 7) {
      const shown = fit(items, room, ({ id }) => `https://example.org/${id as string}`, { beside: () => beside }); // prettier-ignore
      const taken = shown.reduce((sum, item) => sum + costOf(item) + beside, 0);
      expect(taken).toBeLessThanOrEqual(room);
      most = Math.max(most, taken / room);
    }
    expect(most).toBeGreaterThan(0.98);
  });
});

describe('a register of records of 200 KB', () => {
  it('is answered within the budget, a record at least, with where to get each one whole', async () => {
    const page = (await within('read_register', { feed_id: 'permits', limit: 100 })) as unknown as Shown;
    expect(page.records.length).toBeGreaterThanOrEqual(5);
    expect(page.next_offset).toBe(page.records.length);
    expect(page.note).toContain('continue with cursor');
    for (const record of page.records) {
      expect(record.shortened).toContain('content');
      expect((record.content as string).length).toBeGreaterThan(300);
      const response = await service.pro(page.full_url!.replace('{id}', record.id).split('/api/v1')[1]!);
      const whole = (await response.json()) as { content: string; source_url: string };
      expect(whole.content).toHaveLength(LONG);
      expect(whole.content.startsWith((record.content as string).slice(0, -1))).toBe(true);
      expect(record.source_url).toBe(whole.source_url);
    }
  });

  it('is read to its end by following next_offset, every record once', async () => {
    const seen: string[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const page = (await within('read_register', { feed_id: 'permits', limit: 100, offset })) as unknown as Shown;
      seen.push(...page.records.map(({ id }) => id));
      offset = page.next_offset;
    }
    expect(seen).toHaveLength(25);
    expect(new Set(seen).size).toBe(25);
  });

  it('makes room for more records when less of each is asked for', async () => {
    const fields = ['title'];
    const page = (await within('read_register', { feed_id: 'permits', fields, limit: 100 })) as unknown as Shown;
    expect([page.records.length, page.next_offset]).toEqual([25, null]);
  });

  it('shows more of a record that is read by itself', async () => {
    const { record } = (await within('read_record', { record_id: 'permits:k0-0' })) as {
      record: { content: string; shortened: string[] };
    };
    expect(record.content.length).toBeGreaterThan(20_000);
    expect(record.shortened).toEqual(['content']);
  });

  it('has histories within the budget', async () => {
    for (let minute = 1; minute < 12; minute++) {
      const content = String(minute).repeat(LONG);
      await service.store.apply('permits', [say('k0-0', { content })], { recordedAt: at(minute) });
    }
    const seen: unknown[] = [];
    for (let offset: unknown = 0; offset !== null;) {
      const args = { record_id: 'permits:k0-0', limit: 100, offset };
      const page = (await within('record_history', args)) as {
        versions: { version: number; full_url: string; shortened: string[] }[];
        next_offset: number | null;
      };
      for (const { version, full_url, shortened } of page.versions) {
        expect(shortened).toContain('record.content');
        const [whole] = await service.versions(full_url.split('/api/v1')[1]!, { key: service.key });
        expect(whole!.version).toBe(version);
      }
      seen.push(...page.versions.map(({ version }) => version));
      offset = page.next_offset;
    }
    expect(seen).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });
});

describe('a record that is long in another place', () => {
  const LONG_URL = `https://example.org/${'x'.repeat(50_000)}`;
  const CASES: readonly (readonly [title: string, data: Record<string, unknown>, left: string])[] = [
    ['nested values', { conditions: Array.from({ length: 20_000 }, (_, index) => ({ n: index })) }, 'data.conditions'],
    ['one text', { applicant: 'x'.repeat(LONG) }, 'data.applicant'],
    ['an address, of which half is none', { applicant: LONG_URL }, 'data.applicant'],
  ];

  it.each(CASES)('is shortened there: %s', async (_, data, left) => {
    const other = await world({ records: 0 });
    const { store } = other;
    await store.apply('permits', [say('long', { data: data as never })], { recordedAt: at(0) });
    const { records } = (await within('read_register', { feed_id: 'permits' }, BUDGET, other)) as unknown as Shown;
    expect(records[0]).toMatchObject({ id: 'permits:long', shortened: [left] });
    expect(JSON.stringify(records[0])).not.toContain('x…"x');
  });

  it('keeps what it is called by and cited by, though nothing else fits', async () => {
    const fields = Array.from({ length: 4000 }, (_, index) => ({ name: `field_${index}`, type: 'number' as const }));
    const other = await world({ records: 0 });
    const { store } = other;
    await store.createRegister(
      defineRegister({ id: 'wide', title: 'Wide', created_at: at(0), authority: 'example.org', year: 2026, fields }),
    );
    const data = Object.fromEntries(fields.map(({ name }, index) => [name, index]));
    await store.apply('wide', [say('1', { data }, 'wide')], { recordedAt: at(0) });
    const { records } = (await within('read_register', { feed_id: 'wide' }, BUDGET, other)) as unknown as Shown;
    expect(records[0]).toMatchObject({ id: 'wide:1', source_url: 'https://example.org/permits/1', shortened: ['*'] });
    const listed = (await within('list_registers', {}, BUDGET, other)) as { registers: { feed_id: string }[] };
    expect(listed.registers.map(({ feed_id }) => feed_id)).toContain('wide');
    const tools = await post(other, rpc('tools/list'));
    expect(Buffer.byteLength(tools.text)).toBeLessThan(BUDGET);
  });
});

describe('many registers', () => {
  it('are listed in as many answers as it takes', async () => {
    const other = await world({ records: 0, mcp: { budgetTokens: 2000 } });
    const { store } = other;
    for (let index = 0; index < 60; index++) {
      const definition = { id: `r${index}`, title: `Register ${index}`, description: 'what it is about. '.repeat(200) };
      await store.createRegister(defineRegister({ ...definition, created_at: at(0) }));
    }
    const seen: string[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const page = (await within('list_registers', { offset }, 8000, other)) as {
        registers: { feed_id: string }[];
        next_offset: number | null;
      };
      seen.push(...page.registers.map(({ feed_id }) => feed_id));
      offset = page.next_offset;
    }
    expect(new Set(seen).size).toBe(62);
    expect(seen).toHaveLength(62);
  });
});
