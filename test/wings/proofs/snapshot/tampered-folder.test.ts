// Folders with which somebody does something at random, and makes the manifests fit: what `verify` takes says what is signed, but for
// as many records as it says are not proved.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { atom } from '../../../../src/formats/feeds/atom.ts';
import { csv } from '../../../../src/formats/csv.ts';
import { rss } from '../../../../src/formats/feeds/rss.ts';
import type { RegisterManifest } from '../../../../src/snapshot/folder/manifest.ts';
import { SqliteStore } from '../../../../src/stores/sqlite/store.ts';
import { at, permits, say } from '../../../contracts/store-register.ts';
import { tries } from '../../../effort.ts';
import { folder, publish } from '../../../snapshot/published.ts';
import { keyAt } from '../../../world.ts';
import { logsOf } from '../logs-of.ts';
import { sign } from '../signing.ts';
import { type Editable, edit, filesOf, fit, type FolderFiles, manifestIn, verified, write } from './forged.ts';

const COUNT = 212;
const PAGES = ['index', 'pages/000001', 'pages/000002'] as const;
const ENDINGS = ['atom', 'rss', 'json', 'html', 'csv', 'proof.ndjson'] as const;

/** The folder that is tampered with, that of the run before, and one whose records somebody else stated and signed. */
let truth: FolderFiles = new Map();
let before: FolderFiles = new Map();
let other: FolderFiles = new Map();
let out = '';
let vkey = '';

const name = (page: string, ending: string): string => `permits/${page}.${ending}`;

/** Makes them. */
async function prepare(): Promise<void> {
  const store = SqliteStore.open(':memory:');
  const forger = SqliteStore.open(':memory:');
  const stated = Array.from({ length: COUNT }, (_, index) =>
    say(keyAt(index + 1), {
      title: `Permit number ${index + 1}`,
      published_at: `2026-0${(index % 9) + 1}-11`,
      data: { amount: index },
      ...(index % 2 === 0 ? { observed_at: '2026-04-19T08:12:44Z' } : {}),
    }),
  );
  const snapshots: FolderFiles[] = [];
  for (const [one, batch] of [
    [forger, stated.map((record) => ({ ...record, title: record.title.replace('Permit', 'Forged') }))],
    [store, stated],
  ] as const) {
    await one.createRegister(permits());
    await one.apply('permits', batch, { recordedAt: at(0) });
    const run = async (): Promise<void> => {
      await sign(one, 'permits');
      out = await folder();
      await publish(one, out, { tier: 'pro', formats: [atom, rss, csv] });
      snapshots.push(await filesOf(out));
    };
    await run();
    const again = [3, 104, 210].map((number) => ({ ...batch[number]!, title: `${batch[number]!.title} again` }));
    await one.apply('permits', again, { recordedAt: at(1), cause: 'source_change' });
    await one.withdraw('permits', [batch[20]!.id, batch[205]!.id], { recordedAt: at(2) });
    await run();
  }
  [, other, before, truth] = snapshots as [FolderFiles, FolderFiles, FolderFiles, FolderFiles];
  ({ vkey } = (await logsOf(store).of('permits')) as { vkey: string });
  expect((await verified(out, vkey))[0]).toBe('210 records: every word as signed');
}

/** What is done: to a page and one of its files, at two places, with some text. */
interface Deed {
  readonly kind: string;
  readonly page: (typeof PAGES)[number];
  readonly ending: (typeof ENDINGS)[number];
  readonly a: number;
  readonly b: number;
  readonly all: boolean;
}

/** What comes of it besides files. */
type Head = { -readonly [Member in keyof RegisterManifest]?: RegisterManifest[Member] };

type Tampering = (files: FolderFiles, deed: Deed, head: Head) => void;

const some = <T>(list: readonly T[], place: number): T => list[place % list.length]!;

/** The list and the lines of a page, or one of them. */
const tables = ({ all, a }: Deed): readonly string[] =>
  all ? ['json', 'proof.ndjson'] : [some(['json', 'proof.ndjson'], a)];

/** Changes the list or the lines of a page at the same place of both. */
const inTables =
  (change: (records: Editable[], deed: Deed) => void): Tampering =>
  (files, deed) => {
    for (const ending of tables(deed)) {
      if (files.has(name(deed.page, ending)))
        edit(files, name(deed.page, ending), (records) => {
          change(records, deed);
        });
    }
  };

const inLines =
  (change: (lines: Editable[], deed: Deed) => void): Tampering =>
  (files, deed) => {
    const lines = name(deed.page, 'proof.ndjson');
    if (files.has(lines))
      edit(files, lines, (all) => {
        change(all, deed);
      });
  };

const proofOf = (line: Editable): Editable => line.proof as Editable;

/** Takes files of a page, one or all, from another folder. */
const from =
  (source: () => FolderFiles): Tampering =>
  (files, { page, ending, all, b }) => {
    for (const one of ENDINGS) {
      if (!all && one !== ending && b % 3 > 0) continue;
      const bytes = source().get(name(page, one));
      if (bytes !== undefined) files.set(name(page, one), bytes);
    }
  };

const KINDS: Readonly<Record<string, Tampering>> = {
  'another text in a file': (files, { page, ending, a, all }) => {
    const of = (one: string): void => {
      const text = files
        .get(name(page, one))
        ?.toString()
        .replaceAll(`number ${(a % COUNT) + 1}`, `number ${a}`);
      if (text !== undefined) files.set(name(page, one), Buffer.from(text));
    };
    for (const one of all ? ENDINGS : [ending]) of(one);
  },
  'another date in a file': (files, { page, ending, a, all }) => {
    for (const one of all ? ENDINGS : [ending]) {
      const text = files
        .get(name(page, one))
        ?.toString()
        .replace(`2026-0${(a % 9) + 1}-11`, '2026-01-12');
      if (text !== undefined) files.set(name(page, one), Buffer.from(text));
    }
  },
  'a flipped bit': (files, { page, ending, a, b }) => {
    const bytes = files.get(name(page, ending));
    if (bytes !== undefined && bytes.length > 0) bytes[a % bytes.length]! ^= 1 << (b % 8);
  },
  'another title in the list and the line': inTables((records, { a }) => {
    const record = some(records, a);
    if (record.statement === undefined) record.title = 'Forged';
    else record.statement = { ...(record.statement as object), title: 'Forged' };
  }),
  'another order': inTables((records, { a, b }) => {
    const [one, two] = [a % records.length, b % records.length];
    [records[one], records[two]] = [records[two]!, records[one]!];
  }),
  'a preview': (files, { page, a }) => {
    edit(files, name(page, 'json'), (records) => {
      Object.assign(some(records, a), { title: 'Forged', preview: true, note: '' });
    });
  },
  'one less': inTables((records, { a }) => void records.splice(a % records.length, 1)),
  'one twice': inTables((records, { a, b }) => void records.splice(b % records.length, 0, some(records, a))),
  'the proofs of two': inLines((lines, { a, b }) => {
    const [one, two] = [some(lines, a), some(lines, b)];
    [one.proof, two.proof] = [two.proof, one.proof];
  }),
  'the salts of two': inLines((lines, { a, b }) => {
    const [one, two] = [proofOf(some(lines, a)), proofOf(some(lines, b))];
    [one.salt, two.salt] = [two.salt, one.salt];
  }),
  'the statements of two': inLines((lines, { a, b }) => {
    const [one, two] = [some(lines, a), some(lines, b)];
    [one.statement, two.statement] = [two.statement, one.statement];
  }),
  'another salt': inLines((lines, { a, b }) => {
    const proof = proofOf(some(lines, a));
    proof[some(['salt', 'record_salt'], b)] = some([null, Buffer.alloc(32, b).toString('base64'), ''], a);
  }),
  'another member of a line': inLines((lines, { a, b }) => {
    const line = some(lines, a);
    const member = some(
      ['position', 'version', 'change', 'cause', 'recorded_at', 'record_id', 'statement', 'record'],
      b,
    );
    line[member] = some([null, b, b + 1, 'first_observed', 'permits:001', '2026-05-01T00:00:00.000Z', {}], a + b);
  }),
  'no lines': (files, { page }) => void files.delete(name(page, 'proof.ndjson')),
  'files of the run before': from(() => before),
  'files that another signed': from(() => other),
  'files of another page': (files, { page, ending, a, all }) => {
    const second = some(PAGES, a);
    for (const one of all ? ENDINGS : [ending]) {
      const [mine, theirs] = [files.get(name(page, one)), files.get(name(second, one))];
      if (mine === undefined || theirs === undefined) continue;
      files.set(name(page, one), theirs);
      files.set(name(second, one), mine);
    }
  },
  'another end': (files, { a }, head) => void (head.as_of = manifestIn(files).as_of + (a % 3) - 1),
  'more changes than are signed': (files, { a, b }, head) => {
    head[some(['change', 'read_to'] as const, b)] = manifestIn(files).change + (a % 3);
  },
  'another total': (files, { a }, head) => void (head.total = manifestIn(files).total + (a % 3) - 1),
  'other writers': (files, { b }, head) => {
    const { encoders } = manifestIn(files);
    head.encoders = b % 2 === 0 ? {} : { ...encoders, [some(['csv', 'html', 'json'], b)]: '0.0.1' };
  },
  'another tier': (_, __, head) => void (head.tier = 'public'),
};

const deeds: fc.Arbitrary<Deed> = fc.record({
  kind: fc.constantFrom(...Object.keys(KINDS)),
  page: fc.constantFrom(...PAGES),
  ending: fc.constantFrom(...ENDINGS),
  a: fc.nat(100_000),
  b: fc.nat(1000),
  all: fc.boolean(),
});

/** The texts of the records of all pages, by position and page. */
function recordsIn(files: FolderFiles): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const page of PAGES) {
    const { records } = JSON.parse(files.get(name(page, 'json'))!.toString()) as { records: Editable[] };
    for (const [at, record] of records.entries()) found.set(`${page} ${at}`, JSON.stringify(record));
  }
  return found;
}

/** The positions of records of which the lists of two folders say different things. */
function differing(one: FolderFiles, two: FolderFiles): number {
  const [a, b] = [recordsIn(one), recordsIn(two)].map((all) => new Set(all.values()));
  const others = [...[...a!].filter((text) => !b!.has(text)), ...[...b!].filter((text) => !a!.has(text))];
  return new Set(others.map((text) => (JSON.parse(text) as Editable).position)).size;
}

const linesIn = (files: FolderFiles, page: string): readonly string[] =>
  files.get(name(page, 'proof.ndjson'))?.toString().split('\n') ?? [];

it('are refused, or say what is signed but for as many records as are not proved', async () => {
  await prepare();
  let present = truth;
  await write(out, truth);
  await fc.assert(
    fc.asyncProperty(fc.array(deeds, { minLength: 1, maxLength: 3 }), async (done) => {
      const files: FolderFiles = new Map([...truth].map(([file, bytes]) => [file, Buffer.from(bytes)]));
      const head: Head = {};
      for (const deed of done) {
        try {
          KINDS[deed.kind]!(files, deed, head);
        } catch (error) {
          // What an earlier deed left is no JSON.
          if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
        }
      }
      fit(files, head);
      await write(out, files, present);
      present = files;
      const said = await verified(out, vkey);
      if (typeof said === 'string') return;
      const [words, compared] = said as [string, string];
      const proved = words.includes('every word as signed') ? Number(/^\d+/.exec(words)![0]) : 0;
      // Nothing is said of more records than the log has.
      expect(differing(files, truth)).toBeLessThanOrEqual(210 - proved);
      if (proved < 210) return;
      const formats = /^compared in pages: (.*)/
        .exec(compared)![1]!
        .split(', ')
        .filter((one) => !one.startsWith('json ('));
      const isSinglePage = words.includes('index.html');
      for (const page of PAGES) {
        for (const ending of formats) {
          if (isSinglePage && page === 'index' && ending === 'html') continue;
          const file = name(page, ending);
          expect([file, files.get(file)?.equals(truth.get(file)!)]).toEqual([file, true]);
        }
        // In a folder that calls itself one of previews, a line may be missing of what another page proves.
        const lines = new Set(linesIn(truth, page));
        expect(linesIn(files, page).filter((line) => !lines.has(line))).toEqual([]);
        if (head.tier === undefined) expect(linesIn(files, page)).toHaveLength(lines.size);
      }
    }),
    { numRuns: tries(60, 20_000) },
  );
});
