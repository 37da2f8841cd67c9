// What verify.html says of records that pages show in another way than was signed, or prove in another: its script, in Node.
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, type JsonValue } from '../../../../src/register/canonical-json.ts';
import { shownValue } from '../../../../src/register/declared-values.ts';
import type { FieldType } from '../../../../src/register/record.ts';
import { CHECKING } from '../../../../src/wings/proofs/templates/verify/checking.ts';
import { permits } from '../../../contracts/store-register.ts';
import { tries } from '../../../effort.ts';
import { folder, publish, storeOf } from '../../../snapshot/published.ts';
import { logsOf } from '../logs-of.ts';
import { sign } from '../signing.ts';
import { type Files, filesOf, shownOf } from './verify-script.ts';

interface Signed {
  readonly files: Files;
  readonly vkey: string;
}

async function signed(count: number, access: 'open' | 'public' = 'open'): Promise<Signed> {
  const [store, out] = [await storeOf(count), await folder()];
  if (access === 'open')
    await store.updateRegister({ ...permits(), access: 'open' }, { recordedAt: '2030-01-01T00:00:00Z' });
  await sign(store, 'permits');
  await publish(store, out);
  const vkey = (await logsOf(store).of('permits')).vkey!;
  await store.close();
  return { files: filesOf(out), vkey };
}

type Shown = Record<string, JsonValue> & { data: Record<string, JsonValue> };

/** The files, with other records in a page. */
function withPage(files: Files, page: string, edit: (records: Shown[]) => readonly unknown[]): Map<string, Buffer> {
  const name = `permits/${page}.json`;
  const before = JSON.parse(files.get(name)!.toString()) as { records: Shown[] };
  return new Map(files).set(name, Buffer.from(`${JSON.stringify({ ...before, records: edit(before.records) })}\n`));
}

const each = (edit: (record: Shown) => object) => (records: Shown[]) =>
  records.map((record) => ({ ...record, ...edit(record) }));

describe('verify.html', () => {
  it('proves no record by another page, where a page without lines shows it otherwise', async () => {
    const { files, vkey } = await signed(200);
    const changed = withPage(
      files,
      'index',
      each(() => ({ title: 'REFUSED' })),
    );
    changed.delete('permits/index.proof.ndjson');
    expect(await shownOf(changed, vkey)).toMatch(/^100 of 200 records: .*\nOther words[^\n]*: 100\./s);
    const same = new Map(files);
    same.delete('permits/index.proof.ndjson');
    expect(await shownOf(same, vkey)).toMatch(/^200 records: every word as signed\n/);
  });

  it('compares pages that the manifest leaves out', async () => {
    const { files, vkey } = await signed(200);
    for (const page of ['index', 'pages/000002']) {
      const changed = withPage(
        files,
        page,
        each(() => ({ title: 'REFUSED' })),
      );
      const manifest = changed.get('permits/manifest.json')!.toString();
      changed.set('permits/manifest.json', Buffer.from(manifest.replace(`"${page}.json"`, '"other.json"')));
      expect([page, await shownOf(changed, vkey)]).toEqual([page, expect.stringMatching(/^100 of 200 .*Other words/s)]);
    }
  });

  it.each<readonly [what: string, edit: (record: Shown) => object]>([
    ['own values', ({ data }) => ({ data: Object.fromEntries(Object.keys(data).map((name) => [name, null])) })],
    ['all own values', () => ({ data: undefined })],
    ['a title', () => ({ title: undefined })],
    ['a summary', () => ({ summary: null })],
    ['a number as text', ({ data }) => ({ data: { ...data, amount: JSON.stringify(data.amount) } })],
    ['a note', () => ({ note: 'REFUSED' })],
    ['all but what previews show', ({ id, title, summary }) => ({ id, title, summary, preview: true })],
  ])('names records without what was signed, or with more: %s', async (_, edit) => {
    const { files, vkey } = await signed(50);
    const text = await shownOf(withPage(files, 'index', each(edit)), vkey);
    expect(text).toMatch(/^0 of 50 records: every word as signed\n.*Other words[^\n]*: 50\./s);
  });

  it('compares the previews of proved records', async () => {
    const { files, vkey } = await signed(200, 'public');
    expect(await shownOf(files, vkey)).toMatch(/^3 of 200 .*Not proved: 197\./s);
    const [first] = (JSON.parse(files.get('permits/index.json')!.toString()) as { records: Shown[] }).records;
    const edit = each((record) => (record.id === first!.id ? { title: 'REFUSED' } : {}));
    expect(await shownOf(withPage(files, 'pages/000002', edit), vkey)).toMatch(/^2 of 200 .*Other words[^\n]*: 1\./s);
  });

  it('names a record that a made-up preview hides, and a preview that is there twice', async () => {
    const { files, vkey } = await signed(50);
    const preview = { id: 'permits:new', title: 'New', preview: true, note: '' };
    const text = await shownOf(
      withPage(files, 'index', (records) => [...records.slice(1), preview, preview]),
      vkey,
    );
    expect(text).toMatch(/^49 of 50 records/);
    expect(text).toMatch(/: 1\.[^]*Missing: 1\./);
    expect(text).not.toContain('undefined');
  });

  it('counts one record as one, and takes whatever stands after the # of its address', async () => {
    const { files, vkey } = await signed(1);
    expect(await shownOf(files, vkey)).toMatch(/^1 record: every word as signed\n/);
    expect(await shownOf(files, '%')).toMatch(/^Not proved\nThis is no key/);
  });
});

describe('its script', () => {
  it('shows of what is stated what services show', () => {
    const shownAs = runInNewContext(`${CHECKING}; shownAs`, { crypto }) as (
      type: string,
      stated: JsonValue,
    ) => JsonValue;
    const types: FieldType[] = ['text', 'number', 'decimal', 'integer', 'boolean', 'date', 'datetime', 'url', 'json'];
    const texts = fc.constantFrom(
      ...['', '12', '12.0', '012', '-0', '1e3', '-1.50e-2', '1.5e1', '0e5', '1e2000', '1e999', '9007199254740993'],
      ...['true', 'TRUE', 'True', 'false', 'FALSE', 'constructor', '2026-02-28', '2026-02-30', '0000-01-01'],
      ...['2026-05-01T10:00:00Z', '2026-05-01T24:00:00Z', '2026-05-01T10:00:00.5+14:00', '2026-05-01T10:00:00+14:01'],
      ...['2026-02-30T10:00:00Z', 'https://example.org/a b', 'HTTP://x', 'https:// x', 'ftp://x', 'https://x\ny'],
    );
    const digits = fc.stringMatching(/^-?(?:0|[1-9]\d{0,20})(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?$/);
    const value = fc.oneof(fc.constant({ toString: false }), texts, digits, fc.jsonValue() as fc.Arbitrary<JsonValue>);
    fc.assert(
      fc.property(fc.constantFrom(...types), value, (type, stated) => {
        const shown = canonicalJson(shownValue({ type }, stated));
        expect([type, stated, canonicalJson(shownAs(type, stated))]).toEqual([type, stated, shown]);
      }),
      { numRuns: tries(2000, 200_000) },
    );
  });
});
