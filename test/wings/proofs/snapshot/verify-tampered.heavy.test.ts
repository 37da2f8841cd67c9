// The script of verify.html over folders that somebody has changed: whatever it was, the headline says so, or nothing that a reader
// reads is another one. Node runs the script, with as much of a document as it uses.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson, type JsonValue } from '../../../../src/register/canonical-json.ts';
import { permits } from '../../../contracts/store-register.ts';
import { tries } from '../../../effort.ts';
import { correct, folder, publish, storeOf } from '../../../snapshot/published.ts';
import { logsOf } from '../logs-of.ts';
import { sign } from '../signing.ts';
import { type Files, filesOf, shownOf } from './verify-script.ts';

/** The records that the pages show, without what is not said. */
function recordsIn(files: Files): string {
  const pages = [...files].filter(([name]) => /(?:index|\d{6})\.json$/.test(name)).sort();
  const said = (value: unknown): JsonValue => {
    if (Array.isArray(value)) return value.map(said);
    if (typeof value !== 'object' || value === null) return value as JsonValue;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, one]) => (one === null ? [] : [[name, said(one)]])),
    );
  };
  return canonicalJson(pages.map(([, bytes]) => said((JSON.parse(bytes.toString()) as { records: unknown }).records)));
}

it('says of every folder that was changed what is not as signed, or shows what was signed', async () => {
  const [store, out] = [await storeOf(130), await folder()];
  await store.updateRegister({ ...permits(), access: 'open' }, { recordedAt: '2030-01-01T00:00:00Z' });
  await correct(store, 3, 77);
  await sign(store, 'permits');
  await publish(store, out);
  const vkey = (await logsOf(store).of('permits')).vkey!;
  const whole = filesOf(out);
  const all = '130 records: every word as signed';
  expect((await shownOf(whole, vkey)).startsWith(all)).toBe(true);
  const records = recordsIn(whole);
  const names = [...whole.keys()].filter((name) => /\.json$|\.ndjson$|\/log\//.test(name));
  const pages = names.filter((name) => /(?:index|\d{6})\.json$/.test(name));
  // Doubles of fast-check are near 0, more often than not.
  const place = fc.nat(999_999).map((millionths) => millionths / 1e6);
  const edits = fc.array(
    fc.record({
      name: fc.oneof(fc.constantFrom(...names), fc.constantFrom(...pages)),
      kind: fc.constantFrom(...KINDS),
      at: place,
      byte: fc.nat(255),
    }),
    { minLength: 1, maxLength: 3 },
  );
  let found = 0;
  const count = tries(150, 5000);
  await fc.assert(
    fc.asyncProperty(edits, async (made) => {
      const files = new Map(whole);
      for (const { name, ...edit } of made)
        if (edit.kind === 'gone') files.delete(name);
        else files.set(name, edited(files, name, edit, names));
      const shown = await shownOf(files, vkey);
      const isAll = shown.startsWith(all) && !/not signed yet|Missing|Not proved|Other words/.test(shown);
      if (!isAll) found++;
      else expect(recordsIn(files)).toBe(records);
    }),
    { numRuns: count },
  );
  expect(found).toBeGreaterThan(count / 2);
  await store.close();
});

/** What is done to a file. */
const KINDS = ['gone', 'another file', 'cut', 'without a line', 'byte', 'letter', 'without a member', 'null'] as const;

/** A file, changed. @param at where, as a part of it */
function edited(
  files: Files,
  name: string,
  { kind, at, byte }: { readonly kind: (typeof KINDS)[number]; readonly at: number; readonly byte: number },
  names: readonly string[],
): Buffer {
  const before = files.get(name) ?? Buffer.alloc(0);
  const below = (count: number): number => Math.floor(at * count);
  const text = before.toString('latin1');
  const lines = text.split('\n');
  switch (kind) {
    case 'another file':
      return files.get(names[below(names.length)]!) ?? before;
    case 'cut':
      return before.subarray(0, below(before.length));
    case 'without a line':
      return Buffer.from(lines.toSpliced(below(lines.length), 1).join('\n'), 'latin1');
    case 'byte':
    case 'letter': {
      const changed = Buffer.from(before);
      // Another letter or digit is still JSON, more often than not.
      if (changed.length > 0) changed[below(changed.length)] = kind === 'byte' ? byte : 48 + (byte % 75);
      return changed;
    }
    default: {
      const members = [...text.matchAll(/"(\w+)":("(?:[^"\\]|\\.)*"|[\d.]+|true|false)(,?)/g)];
      const member = members[below(members.length)];
      if (member === undefined) return before;
      const instead = kind === 'null' ? `"${member[1]!}":null${member[3]!}` : '';
      const rest = text.slice(member.index + member[0].length);
      return Buffer.from(text.slice(0, member.index) + instead + rest, 'latin1');
    }
  }
}
