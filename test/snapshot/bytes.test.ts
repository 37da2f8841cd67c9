// What a snapshot's files hold: the service's own bytes for paying readers, and nothing of theirs for the public.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { registerSchema } from '../../src/formats/xml/xsd.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { world, SECRET } from '../world.ts';
import { at, permits, say } from '../contracts/store-register.ts';
import { unzip } from '../contracts/xlsx-reader.ts';
import { parseXml } from '../contracts/xml-tree.ts';
import { validateXsd } from '../contracts/xsd-validator.ts';
import { texts, wellFormed } from '../properties/arbitraries.ts';
import { digests, folder, manifestOf, publish, SITE, storeOf } from './published.ts';
import { tries } from '../effort.ts';

/** The records' own bytes in a document. */
const RECORDS: Readonly<Record<string, (document: Buffer) => unknown>> = {
  atom: (document) => /<entry>[^]*<\/entry>/.exec(document.toString())![0],
  rss: (document) => /<item>[^]*<\/item>/.exec(document.toString())![0],
  xml: (document) => /<record [^]*<\/record>/.exec(document.toString())![0],
  csv: (document) => document.toString(),
  xlsx: (document) => unzip(document).get('xl/worksheets/sheet1.xml')!,
};

describe('a snapshot for paying readers', () => {
  it.each(Object.entries(RECORDS))(
    'has the bytes that the service sends for every record, in %s',
    async (ending, of) => {
      const out = await folder();
      const service = await world({ records: 250 });
      const { store } = service;
      await publish(store, out, { tier: 'pro', feeds: ['permits'] });
      for (const page of [1, 2]) {
        const path = `/feeds/permits/records/export.${ending}?as_of=${page * 100}&limit=100`;
        const served = Buffer.from(await (await service.pro(path)).arrayBuffer());
        const file = await readFile(join(out, `permits/pages/00000${page}.${ending}`));
        expect(of(file)).toEqual(of(served));
      }
    },
  );

  it('has the bytes that the service sends for every record, in JSON', async () => {
    const out = await folder();
    const service = await world({ records: 250 });
    const { store } = service;
    await publish(store, out, { tier: 'pro', feeds: ['permits'] });
    const served = await (await service.pro('/feeds/permits/records?as_of=200&limit=100')).text();
    const file = await readFile(join(out, 'permits/pages/000002.json'), 'utf8');
    const records = /"records":(\[.*\]),"/;
    expect(records.exec(file)![1]).toBe(records.exec(served)![1]);
  });

  it('validates: XML against the register’s schema, pages for people and OPML as XML', async () => {
    const out = await folder();
    const store = await storeOf(150);
    await publish(store, out);
    const read = (name: string): Promise<Buffer> => readFile(join(out, name));
    const schema = (await read('permits/register.xsd')).toString();
    expect(schema).toBe(registerSchema(permits()));
    for (const name of ['index', 'pages/000001']) {
      const document = await read(`permits/${name}.xml`);
      validateXsd(schema, [document]);
      expect(document.toString()).toContain(`xsi:schemaLocation="urn:gazette:register:1 ${SITE}/permits/register.xsd"`);
    }
    expect(parseXml(await read('opml.xml'))).toBeDefined();
    // The newest page shows what it has room for of the records that the last closed page has, too.
    const shown = async (name: string): Promise<number> =>
      (await read(name)).toString().match(/^<tr><th scope="row">/gm)!.length;
    expect(await shown('permits/index.html')).toBeGreaterThanOrEqual(50);
    expect(await shown('permits/pages/000001.html')).toBe(100);
  });
});

describe('a snapshot for the public', () => {
  it('is what is written unless PRO is asked for by name: the latest three whole, previews of the others', async () => {
    const out = await folder();
    const service = await world({ records: 250 });
    const { store } = service;
    await publish(store, out, { feeds: ['permits'] });
    const read = async (name: string): Promise<readonly RegisterRecord[]> =>
      (JSON.parse(await readFile(join(out, `permits/${name}.json`), 'utf8')) as { records: RegisterRecord[] }).records;
    const head = await read('index');
    const latest = (await (await service.get('/feeds/permits/records')).json()) as { records: RegisterRecord[] };
    expect(head.slice(0, 3)).toEqual(latest.records);
    const older = [...head.slice(3), ...(await read('pages/000001'))];
    expect(older).toHaveLength(247);
    for (const record of older.slice(0, 5))
      expect(record).toEqual(await (await service.get(`/records/${record.id}`)).json());
    for (const record of older) expect(record).toMatchObject({ preview: true });
    expect((await manifestOf(out)).tier).toBe('public');
  });

  it('has no byte of what only paying readers see, in any file', async () => {
    const marks = fc.record({
      count: fc.integer({ min: 0, max: 210 }),
      text: wellFormed(texts()),
      withdrawn: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(marks, async ({ count, text, withdrawn }) => {
        const out = await folder();
        const store = SqliteStore.open(':memory:');
        await store.createRegister(permits());
        const hide = (number: number): string => (number > count - 3 ? '' : SECRET) + text;
        const batch = Array.from({ length: count }, (_, index) =>
          say(String(index + 1), {
            summary: `${'Summary. '.repeat(40)}${hide(index + 1)}`,
            content: hide(index + 1),
            author: hide(index + 1),
            facility_id: hide(index + 1),
            observed_at: '2026-04-19T08:12:44Z',
            data: { amount: 1, applicant: hide(index + 1), conditions: [hide(index + 1)] },
          }),
        );
        const options = { recordedAt: at(77) };
        for (const cause of ['source_change', 'extraction_correction'] as const) {
          const said = batch.map((statement) => ({ ...statement, title: cause }));
          if (count > 0) await store.apply('permits', said, { ...options, cause });
        }
        if (withdrawn && count > 3) await store.withdraw('permits', ['permits:1'], options);
        await publish(store, out);
        for (const name of (await digests(out)).keys()) {
          const bytes = await readFile(join(out, name));
          const all = name.endsWith('.xlsx') ? [...unzip(bytes).values()].join('') : bytes.toString();
          expect(all.includes(SECRET), name).toBe(false);
          // When a version was recorded is theirs too; pages of previews carry no such time.
          if (name.includes('pages/')) expect(all.includes(at(77)), name).toBe(false);
        }
      }),
      { numRuns: tries(8) },
    );
  });

  it('is never mixed with another tier in one folder', async () => {
    const out = await folder();
    const store = await storeOf(5);
    await publish(store, out, { tier: 'pro' });
    const before = await digests(out);
    await expect(publish(store, out)).rejects.toMatchObject({ code: 'invalid_option' });
    expect(await digests(out)).toEqual(before);
  });
});
