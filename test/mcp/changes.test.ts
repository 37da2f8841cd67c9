// The tool `changes`: what is new, corrected and withdrawn since a change number or a day, for those who may read `/changes`.
import { describe, expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import { at, permits, say } from '../contracts/store-register.ts';
import { world } from '../world.ts';
import { callTool, recordsIn, saidIn } from './agent.ts';

/** A day of May 2026. */
const day = (number: number): string => `2026-05-${String(number).padStart(2, '0')}T12:00:00.000Z`;

const service = await world({ records: 0 });
const { store, key } = service;
await store.apply(
  'permits',
  ['1', '2', '3'].map((one) => say(one)),
  { recordedAt: day(2) },
);
await store.apply('permits', [say('2', { title: 'Corrected' })], {
  recordedAt: day(4),
  cause: 'extraction_correction',
});
await store.apply('permits', [say('4', { document_type: 'draft' })], { recordedAt: day(4) });
await store.withdraw('permits', ['permits:3'], { recordedAt: day(6) });

async function ask(args: object): Promise<Readonly<Record<string, unknown>>> {
  const reply = await callTool(service, 'changes', { feed_id: 'permits', ...args }, key);
  expect([args, reply.isError, reply.content[0]]).toEqual([args, false, expect.anything()]);
  expect(saidIn(reply)).toEqual(reply.structuredContent);
  return reply.structuredContent!;
}
const told = (answer: object): unknown =>
  recordsIn(answer as never).map(({ id, cause }) => `${String(id)} ${String(cause)}`);

describe('changes', () => {
  it('says what is new, corrected and withdrawn since a day, a time and a number', async () => {
    const answer = await ask({ since: '2026-05-04' });
    expect(answer).toMatchObject({ feed_id: 'permits', changes: 3, more: false });
    expect(recordsIn(answer)).toMatchObject([
      { change: 4, id: 'permits:2', cause: 'extraction_correction', changed: ['title'], title: 'Corrected' },
      { change: 5, id: 'permits:4', cause: 'first_observed', recorded_at: day(4) },
      { change: 6, id: 'permits:3', cause: 'withdrawn' },
    ]);
    expect(told(await ask({ since: '2026-05-05' }))).toEqual(['permits:3 withdrawn']);
    expect(told(await ask({ since: day(6) }))).toEqual(['permits:3 withdrawn']);
    expect(await ask({ since: '2026-05-07' })).toMatchObject({ changes: 0, rows: [] });
    expect(await ask({ since: '2020-01-01' })).toMatchObject({ changes: 6 });
    for (const since of [3, '3']) expect(await ask({ since })).toMatchObject({ changes: 3 });
  });

  it('goes on with a cursor, page by page and when the register has changed again', async () => {
    const seen: unknown[] = [];
    let answer = await ask({ since: '0', limit: 4 });
    for (seen.push(...recordsIn(answer)); answer.more === true; seen.push(...recordsIn(answer)))
      answer = await ask({ since: answer.cursor, limit: 4 });
    expect(seen).toHaveLength(6);
    expect(await ask({ since: answer.cursor })).toMatchObject({ rows: [], more: false, changes: 0 });
  });

  it('takes filters and fields', async () => {
    const drafts = await ask({ since: '0', document_type: 'draft', fields: ['source_url', 'data.amount'] });
    expect(recordsIn(drafts)).toMatchObject([{ id: 'permits:4', source_url: 'https://example.org/permits/4' }]);
    expect(told(await ask({ since: '0', where: [{ field: 'key', op: 'is', value: '2' }] }))).toEqual([
      'permits:2 first_observed',
      'permits:2 extraction_correction',
    ]);
  });

  it('shows what a change made of the fields that it names', async () => {
    const other = await world({ records: 0 });
    await other.store.apply('permits', [say('1')], { recordedAt: day(1) });
    await other.store.apply('permits', [say('1', { author: 'A', data: { amount: 3 } })], { recordedAt: day(2) });
    const args = { feed_id: 'permits', since: '1' };
    const { structuredContent } = await callTool(other, 'changes', args, other.key);
    const [changed] = recordsIn(structuredContent);
    expect(changed).toMatchObject({ title: 'Permit 1', author: 'A', data: { amount: 3 } });
    expect(changed).not.toHaveProperty('document_type');
  });

  it('names the values there are where no record matches, and none where none has changed', async () => {
    expect(await ask({ since: '0', document_type: 'drafd' })).toMatchObject({
      rows: [],
      values: { document_type: ['draft', 'adopted'] },
    });
    expect(await ask({ since: '6', document_type: 'draft' })).not.toHaveProperty('values');
  });

  it('keeps to the budget, and goes on behind what it shows', async () => {
    const small = await world({ records: 0, mcp: { budgetTokens: 2000 } });
    const records = Array.from({ length: 60 }, (_, index) =>
      say(`${index}`, { title: `${index} ${'long '.repeat(30)}` }),
    );
    await small.store.apply('permits', records, { recordedAt: day(1) });
    const seen: unknown[] = [];
    for (let since: unknown = '0', more: unknown = true; more === true;) {
      const { structuredContent } = await callTool(
        small,
        'changes',
        { feed_id: 'permits', since, limit: 100 },
        small.key,
      );
      seen.push(...recordsIn(structuredContent).map(({ id }) => id));
      ({ cursor: since, more } = structuredContent as { cursor: string; more: boolean });
    }
    expect(seen).toEqual(records.map(({ id }) => id));
  });

  it.each([
    [{}, 'since must be given'],
    [{ since: 'yesterday' }, 'since must be a day such as 2026-04-01'],
    [{ since: '7' }, 'since'],
    [{ since: '00000000.3' }, 'log'],
    [{ since: '0', fields: ['colour'] }, 'fields must be some of'],
    [{ since: '0', limit: 101 }, 'limit must be 1..100'],
    [{ since: '0', feed_id: 'none' }, 'list_registers'],
  ])('refuses %j', async (args, expected) => {
    const { isError, content } = await callTool(service, 'changes', { feed_id: 'permits', ...args }, key);
    expect([isError, content[0]!.text]).toEqual([true, expect.stringContaining(expected)]);
  });

  it('needs a key, but in open registers', async () => {
    const refused = await callTool(service, 'changes', { feed_id: 'permits', since: '0' });
    expect([refused.isError, refused.content[0]!.text]).toEqual([true, expect.stringContaining('need an API key')]);
    await store.createRegister(defineRegister({ ...permits('open'), access: 'open' }));
    await store.apply('open', [say('1', {}, 'open')], { recordedAt: at(1) });
    const open = await callTool(service, 'changes', { feed_id: 'open', since: '2026-01-01' });
    expect(open.structuredContent).toMatchObject({ changes: 1, more: false });
  });
});
