// The agents' tools over every store: what each answers, to whom, and that it is what its own schema says.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { callTool, post, recordsIn, rpc, saidIn, type ToolReply } from '../mcp/agent.ts';
import { type World, world, type OpenServiceStore } from '../world.ts';
import { at, say } from './store-register.ts';

type Shown = Readonly<Record<string, unknown>>;

interface Tool {
  readonly name: string;
  readonly inputSchema: Shown;
  readonly outputSchema: Shown;
  readonly annotations: Shown;
}

const COUNT = 25;

/** Registers the suite for one kind of store. */
export function agentContract(name: string, open: OpenServiceStore): void {
  describe(`agents over ${name}`, () => {
    /** For all that only ask. */
    let shared: World;
    let service: World;
    let tools: readonly Tool[];
    const ajv = new Ajv2020({ strict: true, strictTypes: false, allowUnionTypes: true });

    beforeAll(async () => {
      const { store, dispose } = await open();
      service = shared = await world({ store, records: COUNT });
      tools = (await post(service, rpc('tools/list'))).body!.result!.tools as readonly Tool[];
      return () => shared.close().then(dispose);
    });

    /** Has the rest of a test ask another service, which it may change. */
    async function alone(): Promise<void> {
      const { store, dispose } = await open();
      onTestFinished(dispose);
      service = await world({ store, records: COUNT });
      onTestFinished(() => {
        service = shared;
      });
    }

    /** What a tool answers, in both of its forms and by its own schema. */
    async function read(tool: string, args: object, key: string | null = null): Promise<Shown> {
      const reply = await callTool(service, tool, args, key);
      const [said, ...links] = reply.content;
      expect([args, reply.isError, said]).toEqual([args, false, expect.objectContaining({ type: 'text' })]);
      // The rest are links to the records.
      const { records, record } = reply.structuredContent as { records?: Shown[]; record?: Shown };
      const shown = (records ?? (record === undefined ? [] : [record])).map(({ id }) => id);
      expect(links).toMatchObject(shown.map((id) => ({ type: 'resource_link', name: id })));
      expect(saidIn(reply)).toEqual(reply.structuredContent);
      const { inputSchema, outputSchema } = tools.find((known) => known.name === tool)!;
      expect([ajv.validate(inputSchema, args), ajv.errors]).toEqual([true, null]);
      expect([ajv.validate(outputSchema, reply.structuredContent), ajv.errors]).toEqual([true, null]);
      return reply.structuredContent!;
    }

    async function refusal(tool: string, args: unknown, key: string | null = null): Promise<string> {
      const { isError, structuredContent, content }: ToolReply = await callTool(service, tool, args, key);
      expect([args, isError, structuredContent]).toEqual([args, true, undefined]);
      return content[0]!.text;
    }

    const recordsOf = recordsIn;
    const idsOf = (shown: Shown): readonly unknown[] => recordsOf(shown).map(({ id }) => id);

    it('1.7, 4.4 lists its tools in a fixed order, each one only reading', async () => {
      expect(tools.map((tool) => tool.name)).toEqual([
        ...['read_register', 'list_registers', 'read_record', 'record_history', 'search', 'fetch', 'ask_register'],
        'changes',
      ]);
      for (const { annotations } of tools)
        expect(annotations).toMatchObject({ readOnlyHint: true, openWorldHint: false });
      const data = (tools[0]!.outputSchema as never as Record<'properties', Record<'records', Record<'items', Shown>>>)
        .properties.records.items;
      expect(data).toHaveProperty('properties.data.properties.applicant.type', ['string', 'null']);
      expect((await post(service, rpc('tools/list'))).body!.result!.tools).toEqual(tools);
    });

    it('1.7, 4.4 read_register shows everybody the latest three, and a key everything', async () => {
      const open = await read('read_register', { feed_id: 'permits' });
      expect(open).toMatchObject({ feed_id: 'permits', title: 'Environmental permits', total: 25, next_offset: null });
      expect(idsOf(open)).toEqual(['permits:025', 'permits:024', 'permits:023']);
      expect(
        Object.keys(recordsOf(await read('read_register', { feed_id: 'permits', format: 'records' }))[0]!),
      ).toEqual([
        ...['id', 'feed_id', 'key', 'title', 'summary', 'content_type', 'document_type', 'facility_id', 'source_url'],
        ...['published_at', 'observed_at', 'position'],
      ]);
      const paid = await read('read_register', { feed_id: 'permits', limit: 100 }, service.key);
      expect(idsOf(paid)).toHaveLength(25);
      const first = {
        content: 'confidential content 1',
        author: 'confidential author',
        version: 1,
        updated_at: at(0),
        data: { amount: 1, applicant: 'confidential applicant' },
      };
      expect(recordsOf(paid)[24]).toMatchObject(first);
      const history_url = 'https://registers.example.org/api/v1/records/{id}/history';
      expect(paid.history_url).toBe(history_url);
      const objects = await read('read_register', { feed_id: 'permits', limit: 100, format: 'records' }, service.key);
      expect(recordsOf(objects)[24]).toMatchObject({
        ...first,
        history_url: history_url.replace('{id}', 'permits:001'),
      });
    });

    it('read_register never shows one tier’s answer to the other, nor one from before a change', async () => {
      await alone();
      const args = { feed_id: 'permits', limit: 3 };
      for (const key of [service.key, null, service.key, null]) {
        const [first] = recordsOf(await read('read_register', args, key));
        expect(first!.content).toBe(key === null ? undefined : 'open content 25');
      }
      await service.store.apply('permits', [say('026', { title: 'New' })], { recordedAt: at(1) });
      for (const key of [service.key, null]) {
        expect(recordsOf(await read('read_register', args, key))[0]!.title).toBe('New');
      }
    });

    it('read_register pages and filters, inside the public window too', async () => {
      const seen: unknown[] = [];
      for (let offset: unknown = 0; offset !== null;) {
        const page = await read('read_register', { feed_id: 'permits', limit: 7, offset }, service.key);
        seen.push(...idsOf(page));
        offset = page.next_offset;
        const next = page.next_url as string | undefined;
        expect(next === undefined).toBe(offset === null);
        if (next === undefined) continue;
        const { records } = await service.list(next.slice(next.indexOf('/feeds')), { key: service.key });
        expect(records.length).toBeGreaterThan(0);
      }
      expect(seen).toHaveLength(COUNT);
      const filter = { feed_id: 'permits', document_type: 'adopted', facility_id: 'FAC-0003' };
      expect(idsOf(await read('read_register', filter, service.key))).toHaveLength(8);
      expect(idsOf(await read('read_register', filter))).toEqual(['permits:024']);
      const first = await read('read_register', { feed_id: 'permits', limit: 1 });
      expect([idsOf(first), first.next_offset]).toEqual([['permits:025'], 1]);
      expect(idsOf(await read('read_register', { feed_id: 'permits', limit: 1, offset: 1 }))).toEqual(['permits:024']);
    });

    it('shows the fields that were asked for, and always the id', async () => {
      const args = { feed_id: 'permits', limit: 1, fields: ['title', 'data.amount'] };
      expect(await read('read_register', args, service.key)).toMatchObject({
        columns: ['id', 'title', 'data.amount'],
        rows: [['permits:025', 'Permit number 25', 25]],
      });
      expect(await refusal('read_register', args)).toContain('data.amount needs an API key');
      const few = { ...args, fields: ['data', 'history_url'] };
      const all = await read('read_register', { ...few, format: 'records' }, service.key);
      expect(Object.keys(recordsOf(all)[0]!)).toEqual(['id', 'data', 'history_url']);
      expect(await read('read_register', few, service.key)).toMatchObject({
        columns: ['id', 'data.amount', 'data.applicant', 'data.conditions'],
        history_url: expect.stringContaining('{id}') as string,
      });
      expect(await refusal('read_register', { ...args, fields: ['colour'] }, service.key)).toContain('data.applicant');
    });

    it('list_registers says what there is', async () => {
      const { registers, total, next_offset } = await read('list_registers', {});
      expect([total, next_offset]).toEqual([2, null]);
      expect(registers).toMatchObject([
        { feed_id: 'notices', total: 0, last_change: null },
        { feed_id: 'permits', total: 25, last_change: at(0), fields: [{ name: 'amount', type: 'number' }, {}, {}] },
      ]);
      expect(await read('list_registers', { limit: 1 })).toMatchObject({ next_offset: 1 });
      expect(await read('list_registers', { offset: 1 })).toMatchObject({
        registers: [{ feed_id: 'permits' }],
        next_offset: null,
      });
    });

    it('read_record shows one, by the same rule', async () => {
      expect(await read('read_record', { record_id: 'permits:025' })).toMatchObject({
        record: { id: 'permits:025', source_url: 'https://example.org/permits/025' },
      });
      const told = await refusal('read_record', { record_id: 'permits:001' });
      expect(told).toContain('needs an API key');
      const paid = await read('read_record', { record_id: 'permits:001' }, service.key);
      expect(paid.record).toMatchObject({ content: 'confidential content 1' });
    });

    it('record_history has the versions, for a key', async () => {
      await alone();
      const { store, key } = service;
      for (let minute = 1; minute <= 12; minute++) {
        await store.apply('permits', [say('025', { title: `Version ${minute}` })], { recordedAt: at(minute) });
      }
      const first = await read('record_history', { record_id: 'permits:025' }, key);
      expect(first.versions).toHaveLength(10);
      expect(first.next_offset).toBe(10);
      expect((first.versions as Shown[])[0]).toMatchObject({ version: 13, record: { title: 'Version 12' } });
      const rest = await read('record_history', { record_id: 'permits:025', offset: 10, limit: 3 }, key);
      expect([(rest.versions as unknown[]).length, rest.next_offset]).toEqual([3, null]);
      expect(await refusal('record_history', { record_id: 'permits:025' })).toContain('needs an API key');
      await store.withdraw('permits', ['permits:025'], { recordedAt: at(20) });
      expect(await read('record_history', { record_id: 'permits:025', limit: 1 }, key)).toMatchObject({
        versions: [{ cause: 'withdrawn' }],
        next_offset: 1,
      });
      expect(await refusal('read_record', { record_id: 'permits:025' })).toContain('withdrawn');
    });

    it.each([
      ['read_register', undefined, 'feed_id must be given'],
      ['read_register', [], 'arguments must be an object'],
      ['read_register', { feed_id: 7 }, 'feed_id must be given as a text, got 7'],
      ['read_register', { feed_id: 'nothing' }, 'list_registers'],
      ['read_register', { feed_id: '\u0000' }, 'list_registers'],
      ['read_register', { feed_id: 'permits', limit: 0 }, 'limit must be 1..100, got 0'],
      ['read_register', { feed_id: 'permits', limit: 101 }, 'limit must be 1..100'],
      ['read_register', { feed_id: 'permits', limit: 2.5 }, 'limit must be 1..100'],
      ['read_register', { feed_id: 'permits', limit: 'five' }, 'limit must be a number'],
      ['read_register', { feed_id: 'permits', limit: '500' }, 'limit must be 1..100, got 500'],
      ['read_register', { feed_id: 'permits', offset: -1 }, 'offset must be'],
      ['read_register', { feed_id: 'permits', document_type: '' }, 'document_type must be'],
      ['read_register', { feed_id: 'permits', document_type: [3] }, 'document_type must be a text, or a list'],
      ['read_register', { feed_id: 'permits', facility_id: 'x'.repeat(1001) }, 'facility_id must be'],
      ['read_register', { feed_id: 'permits', as_of: 3 }, 'there is no argument "as_of": there are feed_id'],
      ['read_register', { feed_id: 'permits', fields: 'titel' }, 'fields must be some of id,'],
      ['read_register', { feed_id: 'permits', fields: 3 }, 'fields must be a list'],
      ['read_register', { feed_id: 'permits', where: 'amount > 3' }, 'where'],
      ['read_register', { feed_id: 'permits', fields: [3] }, 'fields must be some of id,'],
      ['list_registers', { x: 1 }, 'there is no argument "x"'],
      ['read_record', {}, 'record_id must be given'],
      ['read_record', { record_id: 'permits:999' }, 'read_register gives'],
      ['read_record', { record_id: 'nothing:1' }, 'read_register gives'],
      ['read_record', { record_id: 'permits:\u0000' }, 'read_register gives'],
      ['read_record', { record_id: '\ud800' }, 'read_register gives'],
      ['record_history', { record_id: 'permits:001', limit: 1000 }, 'limit must be 1..100'],
      ['record_history', { record_id: 'permits:999' }, 'read_register gives'],
    ])('%s says of %j what would be right', async (tool, args, expected) => {
      expect(await refusal(tool, args, service.key)).toContain(expected);
    });

    it('names the values there are where a filter matches nothing, as far as the caller sees them', async () => {
      await alone();
      const asked = { feed_id: 'permits', document_type: 'Adopt', facility_id: 'FAC-3' };
      const values = { document_type: ['adopted', 'draft'], facility_id: ['FAC-0001', 'FAC-0003'] };
      expect(await read('read_register', asked, service.key)).toMatchObject({ rows: [], values });
      const withdrawn = Array.from({ length: COUNT }, (_, index) => `permits:${String(index + 1).padStart(3, '0')}`);
      await service.store.withdraw('permits', withdrawn.slice(0, -1), { recordedAt: at(1) });
      const left = { document_type: ['draft'], facility_id: ['FAC-0001'] };
      for (const key of [service.key, null]) expect((await read('read_register', asked, key)).values).toEqual(left);
    });

    it('answers a publisher’s key in place of an id, and names the nearest ids', async () => {
      const { record } = await read('read_record', { record_id: '025' });
      expect(record).toMatchObject({ id: 'permits:025' });
      expect(await refusal('read_record', { record_id: 'permits:0255' }, service.key)).toContain('"permits:025"');
      expect(await refusal('read_record', { record_id: 'permits:0011' })).not.toContain('"permits:001"');
    });

    it.each([
      [{ limit: '5' }, { limit: 5 }],
      [
        { limit: ' 5', offset: '20' },
        { limit: 5, offset: 20 },
      ],
      [{ fields: 'title' }, { fields: ['title'] }],
      [{ fields: 'id, title' }, { fields: ['id', 'title'] }],
      [{ fields: '["id","title"]' }, { fields: ['id', 'title'] }],
      [{ document_type: '["adopted","x"]' }, { document_type: ['adopted', 'x'] }],
      [{ document_type: 'adopted, x' }, { document_type: ['adopted, x'] }],
      [{ where: { field: 'key', op: 'is', value: '007' } }, { key: '007' }],
      [{ where: '[{"field":"key","op":"is","value":"007"}]' }, { key: '007' }],
    ])('takes %j for the numbers and lists that it stands for, as models send them', async (sent, meant) => {
      const [reply, expected] = await Promise.all(
        [sent, meant].map((args) => callTool(service, 'read_register', { feed_id: 'permits', ...args }, service.key)),
      );
      expect(reply).toEqual({ ...expected, isError: false });
    });

    it('takes null for what is left out, as models do', async () => {
      const args = { feed_id: 'permits', limit: null, fields: null };
      const reply = await callTool(service, 'read_register', args);
      expect(reply.isError).toBe(false);
    });
  });
}
