// Nothing that a register holds or a caller sends makes an answer long, or ends a walk before its end.
import { describe, expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import { world } from '../world.ts';
import { at, say } from '../contracts/store-register.ts';
import { callTool, post, recordsIn, rpc } from './agent.ts';

/** 20,000 tokens of four bytes. */
const BUDGET = 80_000;

const LONG_URL = `https://example.org/${'x'.repeat(200_000)}`;

interface Shown {
  readonly next_offset: number | null;
}

describe('an address of 200,000 characters', async () => {
  const service = await world({ records: 0 });
  const records = [0, 1, 2, 3].map((index) => say(`k${index}`, index === 1 ? { source_url: LONG_URL } : {}));
  await service.store.apply('permits', records, { recordedAt: at(0) });

  it.each([['a key'], ['none']])('ends no walk: with %s', async (who) => {
    const key = who === 'none' ? null : service.key;
    const seen: unknown[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const reply = await callTool(service, 'read_register', { feed_id: 'permits', offset }, key);
      expect(reply).toMatchObject({ isError: false });
      const page = reply.structuredContent as unknown as Shown;
      seen.push(...recordsIn(reply.structuredContent).map(({ id }) => id));
      offset = page.next_offset;
    }
    expect(seen).toEqual([
      'permits:k3',
      'permits:k2',
      ...(who === 'none' ? ['permits:k1'] : ['permits:k1', 'permits:k0']),
    ]);
  });

  it('is left out where it stands first, and said to be', async () => {
    const args = { feed_id: 'permits', offset: 2, fields: ['title', 'source_url'] };
    const { structuredContent } = await callTool(service, 'read_register', args, service.key);
    const [record] = recordsIn(structuredContent);
    expect(record).toMatchObject({ id: 'permits:k1', shortened: ['source_url'] });
    expect(record!.source_url ?? null).toBeNull();
    const whole = await service.pro(
      (structuredContent!.full_url as string).replace('{id}', 'permits:k1').split('/api/v1')[1]!,
    );
    expect(((await whole.json()) as { source_url: string }).source_url).toBe(LONG_URL);
  });
});

it('a small budget leaves no record without its id and its source', async () => {
  const service = await world({ records: 0, mcp: { budgetTokens: 2000 } });
  const { store } = service;
  const records = Array.from({ length: 12 }, (_, index) =>
    say(`${index}-${'k'.repeat(90)}`, {
      source_url: `https://example.org/${index}/${'x'.repeat(130)}`,
      content: 'words '.repeat(4000),
    }),
  );
  await store.apply('permits', records, { recordedAt: at(0) });
  const seen: unknown[] = [];
  for (let offset: number | null = 0; offset !== null;) {
    const args = { feed_id: 'permits', limit: 100, offset };
    const headers = { authorization: `Bearer ${service.key}` };
    const { text, body } = await post(service, rpc('tools/call', { name: 'read_register', arguments: args }), headers);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8000);
    const page = (body!.result as { structuredContent: Shown }).structuredContent;
    seen.push(...recordsIn(page as never).map(({ id, source_url }) => [id, source_url]));
    offset = page.next_offset;
  }
  expect(seen).toEqual(records.map(({ id, source_url }) => [id, source_url]).toReversed());
});

it('the list of tools is short: every model reads it before it asks anything', async () => {
  const service = await world({ records: 0 });
  for (let index = 0; index < 3; index++) {
    const fields = Array.from({ length: 8 }, (_, field) => ({
      name: `field_${index}_${field}`,
      type: (['text', 'number', 'date', 'json'] as const)[field % 4]!,
      description: 'What the field says, as the publisher describes it',
      filterable: true,
    }));
    await service.store.createRegister(
      defineRegister({ id: `register-${index}`, title: 'T', created_at: at(0), fields }),
    );
  }
  // 6,000 tokens for all tools, with five registers.
  expect(Buffer.byteLength((await post(service, rpc('tools/list'))).text)).toBeLessThanOrEqual(24_000);
});

describe('a definition of endless words', async () => {
  const service = await world({ records: 0 });
  const { store } = service;
  const fields = Array.from({ length: 600 }, (_, index) => ({
    name: `field_${index}_${'n'.repeat(30)}`,
    label: 'L'.repeat(1000),
    description: '許可証'.repeat(2000),
    type: 'text',
  }));
  await store.createRegister(
    defineRegister({ id: 'wordy', title: 'T'.repeat(45_000), created_at: '2026-01-01T00:00:00Z', fields } as never),
  );
  await store.apply('wordy', [say('a', { data: {} }, 'wordy')], { recordedAt: at(0) });

  it('makes no list of tools longer than the budget', async () => {
    const { text } = await post(service, rpc('tools/list'));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(BUDGET);
    expect(text).toContain('field_1_');
  });

  it('makes no list of resources longer than the budget, with many such registers', async () => {
    const words = { title: '許'.repeat(3000), description: '\u0007'.repeat(3000), created_at: '2026-01-01T00:00:00Z' };
    for (let n = 0; n < 100; n++) await service.store.createRegister(defineRegister({ id: `many-${n}`, ...words }));
    let cursor: string | undefined;
    const listed: unknown[] = [];
    do {
      const { text, body } = await post(service, rpc('resources/list', cursor === undefined ? {} : { cursor }));
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(BUDGET);
      const { resources, nextCursor } = body!.result as { resources: unknown[]; nextCursor?: string };
      listed.push(...resources);
      cursor = nextCursor;
    } while (cursor !== undefined);
    expect(listed).toHaveLength(103);
  });

  it('makes no refusal a book', async () => {
    const reply = await callTool(service, 'read_register', { feed_id: 'wordy', fields: ['nothing'] });
    expect(reply.isError).toBe(true);
    expect(reply.content[0]!.text.length).toBeLessThan(5000);
    expect(reply.content[0]!.text).toContain('list_registers names');
  });

  it('leaves room for records below a title', async () => {
    const { isError, structuredContent } = await callTool(service, 'read_register', { feed_id: 'wordy' });
    expect(isError).toBe(false);
    expect(recordsIn(structuredContent)).toMatchObject([{ id: 'wordy:a' }]);
  });

  it('of a version is not given back whole', async () => {
    const { text, body } = await post(service, rpc('ping'), { 'mcp-protocol-version': 'x'.repeat(10_000) });
    expect(body!.error!.code).toBe(-32022);
    expect(text.length).toBeLessThan(1000);
  });
});
