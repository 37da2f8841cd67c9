// What an agent is told that asked for what there is not: values, records by their keys, ids. Each within its tier.
import { describe, expect, it } from 'vitest';
import { renumber } from '../../src/operate/registers/renumber.ts';
import { world } from '../world.ts';
import { at, permits, say } from '../contracts/store-register.ts';
import { callTool, type ToolReply } from './agent.ts';

const service = await world({ records: 0 });
const { store } = service;
const types = ['permit granted', 'draft', 'draft', 'refused', 'hearing', 'notice', 'notice', 'notice'];
const records = types.map((document_type, index) =>
  say(`2026~2F041${index}`, { document_type, facility_id: `FAC-000${index}` }),
);
await store.apply('permits', records, { recordedAt: at(0) });
await store.withdraw('permits', ['permits:2026~2F0414'], { recordedAt: at(1) });
await store.apply('notices', [say('N-1', {}, 'notices'), say('2026~2F0410', {}, 'notices')], { recordedAt: at(1) });

const asPro = (tool: string, args: object): Promise<ToolReply> => callTool(service, tool, args, service.key);
const asPublic = (tool: string, args: object): Promise<ToolReply> => callTool(service, tool, args);
const filtered = async (ask: typeof asPro, filter: object): Promise<unknown> => {
  const { structuredContent } = await ask('read_register', { feed_id: 'permits', ...filter });
  expect(structuredContent!.rows).toEqual([]);
  expect(structuredContent).not.toHaveProperty('total');
  return structuredContent!.values;
};

describe('a filter that matches nothing', () => {
  it('names the values there are, the nearest first, then the commonest', async () => {
    expect(await filtered(asPro, { document_type: 'refusd' })).toEqual({
      document_type: ['refused', 'notice', 'draft', 'permit granted'],
    });
    expect(await filtered(asPro, { document_type: 'Notice', facility_id: 'FAC-9' })).toEqual({
      document_type: ['notice', 'draft', 'permit granted', 'refused'],
      facility_id: expect.arrayContaining(['FAC-0007']) as unknown,
    });
  });

  it('names to the public what its latest records have', async () => {
    expect(await filtered(asPublic, { document_type: 'refused' })).toEqual({ document_type: ['notice'] });
    expect(await filtered(asPublic, { facility_id: 'FAC-0000' })).toEqual({
      facility_id: ['FAC-0007', 'FAC-0006', 'FAC-0005'],
    });
    expect(await filtered(asPublic, { key: '2026/0411' })).toEqual({
      key: expect.not.arrayContaining(['2026/0410', '2026/0412', '2026/0413']) as unknown,
    });
  });

  it('names the nearest keys', async () => {
    expect(await filtered(asPro, { key: '2026-0411' })).toMatchObject({ key: ['2026/0411', '2026/0410', '2026/0412'] });
  });

  it('names words that begin like those that no record has, as far as the reader finds them', async () => {
    const other = await world({ records: 0 });
    const titles = ['Apache Log4j2', 'Log4j, again', 'Logging', 'Water', 'Air', 'Noise'];
    await other.store.apply(
      'permits',
      titles.map((title, index) => say(`k${index}`, { title, document_type: 'KEV' })),
      { recordedAt: at(0) },
    );
    const asked = async (args: object, key?: string): Promise<unknown> =>
      (await callTool(other, 'read_register', { feed_id: 'permits', ...args }, key)).structuredContent!.values;
    expect(await asked({ q: 'Log4Shell' }, other.key)).toEqual({ q: ['Log4j', 'Log4j2'] });
    expect(await asked({ q: 'log4shell -logging wate' }, other.key)).toEqual({ q: ['Log4j', 'Log4j2'] });
    expect(await asked({ q: 'watermill' }, other.key)).toEqual({ q: ['Water'] });
    expect(await asked({ q: 'Log4Shell' })).toBeUndefined();
    expect(await asked({ q: 'watermill' })).toEqual({ q: ['Water'] });
    expect(await asked({ document_type: 'kev' }, other.key)).toEqual({ document_type: ['KEV'] });
    const page = async (path: string): Promise<string> =>
      (await other.get(`https://registers.example.org${path}`, { headers: { accept: 'text/html' } })).text();
    expect(await page('/feeds/permits?q=watermill')).toContain('?q=Water"');
    expect(await page('/feeds/permits?q=log4shell')).not.toContain('Log4j');
    expect(await page('/feeds/permits?document_type=kev')).toContain('?document_type=KEV"');
  });

  it('is no reason to name values where something matches, or on a later page', async () => {
    const { structuredContent } = await asPro('read_register', { feed_id: 'permits', document_type: 'draft' });
    expect(structuredContent).not.toHaveProperty('values');
    const later = await asPro('read_register', { feed_id: 'permits', document_type: 'draft', offset: 8 });
    expect(later.structuredContent).not.toHaveProperty('values');
  });

  it('names few values, none of them long, and stays within the budget', async () => {
    const other = await world({ records: 0, mcp: { budgetTokens: 2000 } });
    const { store } = other;
    const values = Array.from({ length: 1500 }, (_, index) => `${index}${'\u200b'.repeat(index === 7 ? 300 : 150)}`);
    await store.apply(
      'permits',
      values.map((document_type, index) => say(`k${index}`, { document_type })),
      { recordedAt: at(0) },
    );
    const reply = await callTool(other, 'read_register', { feed_id: 'permits', document_type: 'x' }, other.key);
    const { document_type: named } = reply.structuredContent!.values as { document_type: string[] };
    expect(named.length).toBeGreaterThan(0);
    expect(Buffer.byteLength(JSON.stringify(reply))).toBeLessThan(8000);
    // Beyond the values that are looked at for the commonest ones.
    const begun = await callTool(other, 'read_register', { feed_id: 'permits', document_type: '999' }, other.key);
    expect((begun.structuredContent!.values as { document_type: string[] }).document_type[0]).toBe(values[999]);
  });
});

describe('a text in place of an id', () => {
  it.each([
    ['the publisher’s key', '2026/0411'],
    ['with its register', 'permits:2026/0411'],
    ['as in an address', 'permits%3A2026%2F0411'],
    ['with blanks', ' permits:2026/0411 '],
    ['with its register in capitals', 'Permits:2026/0411'],
  ])('is answered with the record: %s', async (_, text) => {
    const { structuredContent } = await asPro('read_record', { record_id: text });
    expect(structuredContent!.record).toMatchObject({ id: 'permits:2026~2F0411' });
    const history = await asPro('record_history', { record_id: text });
    expect(history.structuredContent).toMatchObject({ record_id: 'permits:2026~2F0411' });
  });

  it.each([
    ['other signs between its parts', 'permits:2026-0411', '"permits:2026~2F0411"'],
    ['a digit too many', 'permits:2026/04111', '"permits:2026~2F0411"'],
    ['no register', '2026.0413', '"permits:2026~2F0413"'],
    ['a key of two registers', '2026/0410', '"permits:2026~2F0410"'],
  ])('is answered with the nearest ids: %s', async (_, text, expected) => {
    const { isError, content } = await asPro('read_record', { record_id: text });
    expect(isError).toBe(true);
    expect(content[0]!.text).toContain(expected);
    expect(content[0]!.text).not.toContain('0414');
  });

  it('is answered to the public from its latest records', async () => {
    expect((await asPublic('read_record', { record_id: '2026/0416' })).structuredContent!.record).toMatchObject({
      id: 'permits:2026~2F0416',
    });
    for (const text of ['2026/0411', '2026-0411', 'permits:2026/0411', 'permits:2026~2F04111', 'elsewhere:1']) {
      const { isError, content } = await asPublic('read_record', { record_id: text });
      expect([text, isError]).toEqual([text, true]);
      expect(content[0]!.text.replace(JSON.stringify(text), '')).not.toMatch(/permits:2026~2F041[0-4]/);
    }
  });

  it('is unknown where nothing is near', async () => {
    const { content } = await asPro('read_record', { record_id: 'quite another thing' });
    expect(content[0]!.text).toBe('there is no record "quite another thing". read_register gives the ids of records.');
    expect(await service.store.values.idsNear(`${permits().id}:`, { limit: 1 })).toHaveLength(1);
  });
});

describe('a record with a new key', async () => {
  const other = await world({ records: 0 });
  const keys = { 'Q-1': 'X/1', 'Q-2': 'Q-3', 'Q-3': 'Q-2', 'Q-4': 'Q-7' };
  await other.store.apply(
    'permits',
    Object.keys(keys).map((key) => say(key)),
    { recordedAt: at(0) },
  );
  const rows = Object.entries(keys).map(([from, to]) => ({ from, to, where: from }));
  await renumber(other.store, 'permits', { name: 'map.csv', rows }, { who: null, now: () => Date.parse(at(1)) });
  const ask = (tool: string, args: object, key?: string): Promise<ToolReply> => callTool(other, tool, args, key);

  it.each([
    ['X/1', 'Q-1'],
    ['permits:X/1', 'Q-1'],
    ['permits:X~2F1', 'Q-1'],
    ['Q-2', 'Q-3'],
    ['permits:Q-2', 'Q-2'],
    ['permits%3AQ-2', 'Q-2'],
    ['Q-7', 'Q-4'],
    // Of no record the key any more, but this one's id is made of it.
    ['Q-4', 'Q-4'],
  ])('is found by %s', async (text, key) => {
    const found = { id: `permits:${key}` };
    const { structuredContent } = await ask('read_record', { record_id: text }, other.key);
    expect(structuredContent!.record).toMatchObject(found);
    expect((await ask('fetch', { id: text }, other.key)).structuredContent).toMatchObject(found);
    // The first is none of the public's latest ones.
    const shown = (await ask('read_record', { record_id: text })).structuredContent?.record;
    if (key === 'Q-1') expect(shown).toBeUndefined();
    else expect(shown).toMatchObject(found);
  });

  it('is listed by that key alone, which is named where nothing matches', async () => {
    const listed = async (key: string) =>
      (await ask('read_register', { feed_id: 'permits', key, format: 'records' }, other.key)).structuredContent!;
    expect(await listed('X/1')).toMatchObject({ records: [{ id: 'permits:Q-1', key: 'X/1' }] });
    expect(await listed('Q-4')).toMatchObject({ records: [], values: { key: ['Q-7', 'Q-2', 'Q-3'] } });
  });

  it('is not named by one that an erased record had', async () => {
    await other.store.redact('permits:Q-1', { recordedAt: at(2) });
    const { content } = await ask('read_record', { record_id: 'X/1' }, other.key);
    expect(content[0]!.text).toMatch(/^there is no record "X\/1"/);
  });
});
