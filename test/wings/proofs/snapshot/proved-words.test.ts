// What the pages of a folder say, proved by the lines beside them: every word, or what is said of the rest.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EXPORT_FORMATS } from '../../../../src/formats/index.ts';
import type { Format } from '../../../../src/formats/format.ts';
import type { SnapshotOptions } from '../../../../src/snapshot/run.ts';
import type { ServiceStore } from '../../../../src/stores/contract/accounts.ts';
import { toPublishedRecord } from '../../../../src/stores/rows/published-record.ts';
import { SqliteStore } from '../../../../src/stores/sqlite/store.ts';
import { at, permits, say } from '../../../contracts/store-register.ts';
import { tries } from '../../../effort.ts';
import { registers } from '../../../properties/arbitraries.ts';
import { add, correct, folder, publish, storeOf } from '../../../snapshot/published.ts';
import { logsOf } from '../logs-of.ts';
import { sign } from '../signing.ts';
import { type Editable, edit, filesOf, fit, type FolderFiles, manifestIn, verified, write } from './forged.ts';

const ALONE = 'there is no log of logs: whether others are shown the same is not proved';

/** What `verify` says of a folder of a store as it is signed. */
async function said(store: ServiceStore, options: Partial<SnapshotOptions> = {}): Promise<readonly string[] | string> {
  const out = await folder();
  await publish(store, out, options);
  return verified(out, (await logsOf(store).of('permits')).vkey!);
}

async function signedStore(count: number): Promise<ServiceStore> {
  const store = await storeOf(count);
  await sign(store, 'permits');
  return store;
}

const ALL = 'compared in pages: atom, rss, json, html, csv, xlsx, xml';
const COLUMNS = 'what columns are called, and which value stands under which name, is the word of the folder';

describe('the words of a folder', () => {
  it('are all proved where readers see everything, in every format', async () => {
    const store = await storeOf(250);
    const unstated = Array.from({ length: 150 }, (_, index) =>
      say(`u${index}`, { published_at: `20${(index % 90) + 10}-03-01` }),
    );
    await store.apply('permits', unstated, { recordedAt: at(300) });
    await store.apply(
      'permits',
      unstated.slice(0, 80).map((one) => ({ ...one, title: 'Later' })),
      { recordedAt: at(301) },
    );
    const gone = Array.from({ length: 100 }, (_, index) => `permits:${String(index + 1).padStart(3, '0')}`);
    await store.withdraw('permits', [...gone, 'permits:u3', 'permits:u4'], { recordedAt: at(302) });
    await store.apply('permits', [unstated[3]!], { recordedAt: at(303) });
    await store.redact('permits:u4', { recordedAt: at(304) });
    await store.redact('permits:u5', { recordedAt: at(305) });
    await store.lift('permits:u5');
    await store.apply('permits', [unstated[5]!], { recordedAt: at(306) });
    await sign(store, 'permits');
    expect(await said(store, { tier: 'pro', whole: true })).toEqual([
      '299 records: every word as signed',
      ALL,
      COLUMNS,
      expect.stringMatching(/^the log is complete and unrewritten to change \d+: 299 records$/),
      ALONE,
    ]);
  });

  it('are proved whatever a register is', async () => {
    await fc.assert(
      fc.asyncProperty(
        registers({ maxRecords: 5, large: false }),
        fc.boolean(),
        async ({ definition, records }, isStated) => {
          const store = SqliteStore.open(':memory:');
          const own = { ...definition, id: 'permits', uuid: null };
          const make = async (batch: readonly ReturnType<typeof toPublishedRecord>[]): Promise<void> => {
            await store.createRegister(own);
            await store.apply('permits', batch, { recordedAt: at(1) });
          };
          const batch = records.map((record) => {
            const id = record.id.replace(definition.id, 'permits');
            return toPublishedRecord({ ...record, id, feed_id: 'permits' }, isStated);
          });
          const isTaken = await make(batch).then(
            () => true,
            () => false,
          );
          fc.pre(isTaken);
          await sign(store, 'permits');
          const found = await said(store, { tier: 'pro' });
          if (records.length === 0) expect([found].flat()[0]).toContain('what records say is not proved');
          else expect([found].flat().slice(0, 2)).toEqual([expect.stringContaining(': every word as signed'), ALL]);
          await store.close();
        },
      ),
      { numRuns: tries(20, 2000) },
    );
  });

  it('are proved where the public sees them whole, and the rest is counted', async () => {
    const store = await signedStore(250);
    const others = 'but not compared in atom, rss, html, csv, xlsx, xml';
    const log = 'the log is complete and unrewritten to change 250: 250 records';
    expect(await said(store)).toEqual([
      `3 records: every word as signed, ${others}; what 247 records say is not proved`,
      'compared in pages: json (its records)',
      COLUMNS,
      log,
      ALONE,
    ]);
    await store.apply('permits', [say('new', { data: { other: 1 } })], { recordedAt: at(300) });
    await sign(store, 'permits');
    expect((await said(store))[0]).toBe(
      `2 records: every word as signed, ${others}; what 249 records say is not proved`,
    );
    const more = ['a', 'b', 'c'].map((key) => say(key, { data: { other: 1 } }));
    await store.apply('permits', more, { recordedAt: at(301) });
    await sign(store, 'permits');
    expect(await said(store)).toEqual([
      'the log is complete and unrewritten to change 254: 254 records; what records say is not proved',
      ALONE,
    ]);
    const open = SqliteStore.open(':memory:');
    await open.createRegister({ ...permits(), access: 'open' });
    await add(open, 1, 120);
    await sign(open, 'permits');
    expect((await said(open)).slice(0, 2)).toEqual(['120 records: every word as signed', ALL]);
  });

  it('are not proved of what changed since the log was signed, and that is said', async () => {
    const store = await signedStore(250);
    await correct(store, 7, 240);
    await store.withdraw('permits', ['permits:100'], { recordedAt: at(200_000) });
    expect(await said(store, { tier: 'pro' })).toEqual([
      '247 records: every word as signed; what 3 records say is not proved',
      ALL,
      COLUMNS,
      'the log is complete and unrewritten to change 250: 250 records',
      ALONE,
      'permits: its pages have 3 changes that the log has not signed yet: as many records were not compared',
    ]);
  });

  it('are compared in the formats alone that this version of gazette writes', async () => {
    const [store, out] = [await signedStore(120), await folder()];
    const ids: Format = {
      ...{ name: 'ids', extension: 'txt', mediaType: 'text/plain; charset=utf-8' },
      open: (to) => ({
        write: ({ records }) => {
          records.forEach(({ id }) => {
            to.text(`${id}\n`);
          });
        },
        close: () => undefined,
      }),
    };
    expect((await said(store, { tier: 'pro', formats: [...EXPORT_FORMATS, ids] })).slice(0, 2)).toEqual([
      '120 records: every word as signed, but not compared in html, txt',
      'compared in pages: atom, rss, json, csv, xlsx, xml',
    ]);
    await publish(store, out, { tier: 'pro' });
    const files = await filesOf(out);
    const list = files.get('permits/index.json')!.toString();
    files.set('permits/index.json', Buffer.from(list.replace(/}\n$/, ',"notice":"All are revoked"}\n')));
    fit(files, { encoders: { json: '0.0.1', csv: '0.0.1' } });
    await write(out, files);
    expect((await verified(out, (await logsOf(store).of('permits')).vkey!)).slice(0, 2)).toEqual([
      '120 records: every word as signed, but not compared in atom, rss, html, csv, xlsx, xml',
      'compared in pages: json (its records)',
    ]);
  });

  it('are not proved where the folder is from before, and no page for people where the register changed meanwhile', async () => {
    const [store, out] = [await signedStore(120), await folder()];
    const { vkey } = await logsOf(store).of('permits');
    await publish(store, out, { tier: 'pro' });
    const whole = await filesOf(out);
    const older = new Map([...whole].filter(([name]) => !name.endsWith('.proof.ndjson')));
    fit(older, { definition: undefined, encoders: undefined } as object);
    await write(out, older, whole);
    expect((await verified(out, vkey!))[0]).toContain('120 records; what records say is not proved');
    whole.set('permits/index.html', Buffer.from('<p>Of another moment</p>'));
    fit(whole, { read_to: 121, change: 120 });
    await write(out, whole);
    expect((await verified(out, vkey!)).slice(0, 2)).toEqual([
      '120 records: every word as signed, but not compared in index.html',
      ALL,
    ]);
  });
});

describe('a forged folder', () => {
  const lines = (page: string): string => `permits/${page}.proof.ndjson`;
  const json = (page: string): string => `permits/${page}.json`;
  const swap = (files: FolderFiles, a: string, b: string): void => {
    const [one, other] = [files.get(a)!, files.get(b)!];
    files.set(a, other);
    files.set(b, one);
  };
  /** A file that its manifest names without records. */
  const addPlain = (files: FolderFiles, name: string, text: string): void => {
    files.set(`permits/${name}`, Buffer.from(text));
    const manifest = manifestIn(files);
    const entry = { sha256: '', bytes: 0 };
    files.set(
      'permits/manifest.json',
      Buffer.from(JSON.stringify({ ...manifest, files: { ...manifest.files, [name]: entry } })),
    );
  };
  const proofOf = (line: Record<string, unknown>): Record<string, unknown> => line.proof as Record<string, unknown>;

  it.each<[string, (files: FolderFiles) => void, string]>([
    [
      'a list with another title',
      (files) => {
        edit(files, json('index'), (all) => void (all[3]!.title = 'Forged'));
      },
      'index.json: the record of position 247 must say what is signed',
    ],
    [
      'a table with another title',
      (files) =>
        void files.set(
          'permits/index.csv',
          Buffer.from(files.get('permits/index.csv')!.toString().replace('Permit number 207', 'Permit number 208')),
        ),
      'index.csv must be what is written of the signed records',
    ],
    [
      'a workbook with a flipped bit',
      (files) => void (files.get('permits/pages/000001.xlsx')![900]! ^= 4),
      'pages/000001.xlsx must be what is written',
    ],
    [
      'a list in another order',
      (files) => {
        edit(files, json('index'), (all) => void all.splice(1, 2, all[2]!, all[1]!));
      },
      'index.json: position 248 must have what is signed, with its proof',
    ],
    [
      'a list with a record twice',
      (files) => {
        edit(files, json('index'), (all) => void all.splice(1, 1, all[0]!));
      },
      'index.json: its record 2 must be of a position from 101 to 249',
    ],
    [
      'a list with a member twice',
      (files) =>
        void files.set(
          json('index'),
          Buffer.from(files.get(json('index'))!.toString().replace('"title":', '"title":"Forged","title":')),
        ),
      'index.json must be a list of records',
    ],
    [
      'lines in another order',
      (files) => {
        edit(files, lines('index'), (all) => void all.splice(1, 2, all[2]!, all[1]!));
      },
      'index.json: position 249 must have what is signed, with its proof',
    ],
    [
      'a line twice',
      (files) => {
        edit(files, lines('index'), (all) => void all.splice(1, 0, all[0]!));
      },
      'index.json: position 249 must have',
    ],
    [
      'a line more at the end',
      (files) => {
        edit(files, lines('index'), (all) => void all.push(all[0]!));
      },
      'index.proof.ndjson: line 151 must be of the next record that',
    ],
    [
      'a page without its lines',
      (files) => void files.delete(lines('pages/000001')),
      'pages/000001.json: position 100 must have',
    ],
    [
      'lines with each other’s proofs',
      (files) => {
        edit(files, lines('index'), ([a, b]) => void ([a!.proof, b!.proof] = [b!.proof, a!.proof]));
      },
      'index.proof.ndjson: line 1 must be a version with what proves it',
    ],
    [
      'lines with each other’s statements',
      (files) => {
        edit(files, lines('index'), ([a, b]) => void ([a!.statement, b!.statement] = [b!.statement, a!.statement]));
      },
      'index.proof.ndjson: line 1 must be a version',
    ],
    [
      'a line with another salt',
      (files) => {
        edit(files, lines('index'), ([, b]) => void (proofOf(b!).salt = proofOf(b!).record_salt));
      },
      'index.proof.ndjson: line 2 must be a version',
    ],
    [
      'a line with a member more',
      (files) => {
        edit(files, lines('index'), ([a]) => void (a!.record = { title: 'Forged' }));
      },
      'index.proof.ndjson: line 1 must be a version',
    ],
    [
      'a line that says that it was erased',
      (files) => {
        edit(files, lines('index'), ([a]) => Object.assign(proofOf(a!), { salt: null, record_salt: null }));
      },
      'index.proof.ndjson: line 1 must have a statement and its salts',
    ],
    [
      'two closed pages with each other’s files',
      (files) => {
        for (const ending of ['atom', 'rss', 'json', 'html', 'csv', 'xlsx', 'xml', 'proof.ndjson'])
          swap(files, `permits/pages/000001.${ending}`, `permits/pages/000002.${ending}`);
      },
      'pages/000001.json: its record 1 must be of a position from 1 to 100',
    ],
    ...[{}, { preview: true, note: '' }].map((as): [string, (files: FolderFiles) => void, string] => [
      `a page without lines that says something else of a record that another proves, ${JSON.stringify(as)}`,
      (files) => {
        files.delete(lines('pages/000002'));
        edit(files, json('pages/000002'), (all) => {
          Object.assign(all[3]!, { title: 'Forged' }, as);
        });
        fit(files, { tier: 'public' });
      },
      'pages/000002.json: the record of position 197 must say what is signed',
    ]),
    ...(
      [
        [
          'in another order',
          (all) => void all.splice(3, 2, all[4]!, all[3]!),
          'the record of position 197 must be there',
        ],
        ['without one', (all) => void (all[3]!.id = 'permits:other'), 'the record of position 197 must be there'],
        ['with one more', (all) => void all.push(all[99]!), 'it has the record of position 101 once more'],
      ] satisfies [string, (all: Editable[]) => void, string][]
    ).map(([how, change, message]): [string, (files: FolderFiles) => void, string] => [
      `a page without lines that has what another proves ${how}`,
      (files) => {
        files.delete(lines('pages/000002'));
        edit(files, json('pages/000002'), (all) => {
          change(all);
        });
        // The counts of the other files of the page, and of the register, are as many.
        fit(files, { tier: 'public', change: 251 });
      },
      message,
    ]),
    [
      'a manifest without the definition',
      (files) => {
        fit(files, { definition: undefined } as object);
      },
      'manifest.json must have the definition of the register permits',
    ],
    [
      'a manifest with the definition of another register',
      (files) => {
        const { definition } = manifestIn(files);
        const encoders = { json: '0.0.1' };
        fit(files, { encoders, definition: { ...definition!, id: 'other' } });
      },
      'manifest.json must have the definition of the register permits',
    ],
    ...[100_000, 1e300, -1, '250', null].map((end): [string, (files: FolderFiles) => void, string] => [
      `a manifest that says that its highest position is ${JSON.stringify(end)}`,
      (files) => {
        fit(files, { as_of: end as number });
      },
      end === 100_000 ? 'pages/000003.json must be a list of records' : 'manifest.json must say its highest position',
    ]),
    [
      'a page for people that the newest page has not',
      (files) => {
        files.delete('permits/index.html');
        files.set('permits/pages/000001.html', Buffer.from('<h1>Forged</h1>'));
      },
      'pages/000001.html must be what is written of the signed records',
    ],
    ...[
      'pages/000003.html',
      'pages/000000.html',
      'pages/1.html',
      'pages/000001',
      'pages/a/index.html',
      'Index.html',
      'index-2.html',
    ].map((name): [string, (files: FolderFiles) => void, string] => [
      `a file that may be taken for a page: ${name}`,
      (files) => {
        addPlain(files, name, '<h1>Forged</h1>');
      },
      `${name} must be a file of a page of the register`,
    ]),
  ])('is refused: %s', async (_, change, message) => {
    const [store, out] = [await signedStore(250), await folder()];
    await publish(store, out, { tier: 'pro' });
    const whole = await filesOf(out);
    const files = new Map([...whole].map(([name, bytes]) => [name, Buffer.from(bytes)]));
    change(files);
    fit(files);
    await write(out, files, whole);
    const error = await verified(out, (await logsOf(store).of('permits')).vkey!);
    expect(error).toContain(message);
    expect(error).toContain('(invalid_proof)');
  });

  it('is refused with a preview of a proved record that is not the one that is made of it', async () => {
    const store = await signedStore(200);
    const { vkey } = await logsOf(store).of('permits');
    for (const tiers of [{}, { previewSummaryLength: 20, keysUrl: 'https://registers.example.org/keys' }]) {
      const out = await folder();
      await publish(store, out, { tiers });
      const whole = await filesOf(out);
      expect((await verified(out, vkey!))[0]).toContain('3 records: every word as signed');
      for (const [change, head] of [
        [{ note: 'THIS PERMIT WAS REVOKED' }, {}],
        [{ summary: '' }, {}],
        [{ summary: null }, {}],
        [{ title: 'Forged' }, {}],
        [{}, { tiers: { previewSummaryLength: 'all' } }],
        [
          {
            note: 'The full record and its history need an API key: send Authorization: Bearer <API_KEY>. Get one at no time',
          },
          { tiers: { ...tiers, keysUrl: 'no time' } },
        ],
      ] as [object, object][]) {
        const files = new Map(whole);
        edit(files, json('pages/000002'), (all) => void Object.assign(all[1]!, change));
        fit(files, head);
        await write(out, files);
        expect(await verified(out, vkey!)).toMatch(
          /pages\/000002\.json: the record of position \d+ must say what is signed \(invalid_proof\)/,
        );
      }
    }
  });

  it('has each format that a page has among those that were compared or not', async () => {
    const [store, out] = [await signedStore(250), await folder()];
    await publish(store, out, { tier: 'pro' });
    const files = await filesOf(out);
    addPlain(files, 'pages/000002.pdf', 'Forged');
    fit(files);
    await write(out, files);
    expect((await verified(out, (await logsOf(store).of('permits')).vkey!))[0]).toBe(
      '250 records: every word as signed, but not compared in html, pdf',
    );
  });

  it('is refused where a record is as it was before, with its line of then', async () => {
    const [store, before, out] = [await signedStore(120), await folder(), await folder()];
    await publish(store, before, { tier: 'pro' });
    await correct(store, 50);
    await sign(store, 'permits');
    await publish(store, out, { tier: 'pro' });
    const [old, now] = [await filesOf(before), await filesOf(out)];
    for (const name of old.keys()) if (/permits\/(?:index|pages)/.test(name)) now.set(name, old.get(name)!);
    fit(now);
    await write(out, now);
    expect(await verified(out, (await logsOf(store).of('permits')).vkey!)).toContain(
      'pages/000001.proof.ndjson: line 51 must be the last change of position 50 that the log has signed',
    );
  });

  it('is refused with what no reader of JSON bears', async () => {
    const [store, out] = [await signedStore(3), await folder()];
    await publish(store, out, { tier: 'pro' });
    const files = await filesOf(out);
    const { vkey } = await logsOf(store).of('permits');
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    for (const [name, text] of [
      [json('index'), `{"records":[{"position":3,"a":${deep}}]}\n`],
      [json('index'), 'null\n'],
      [json('index'), '{"records":[null]}\n'],
      [lines('index'), `{"position":${deep}}\n`],
      [lines('index'), 'null\n'],
      [lines('index'), '\n\n'],
      ['permits/index.json', '{"records":{}}\n'],
    ] as const) {
      const forged = new Map(files).set(name, Buffer.from(text));
      fit(forged, { total: 3 });
      await write(out, forged);
      expect([text.slice(0, 30), await verified(out, vkey!)]).toEqual([
        text.slice(0, 30),
        expect.stringMatching(/invalid_proof|damaged_snapshot/),
      ]);
    }
  });
});
