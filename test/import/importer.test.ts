import { describe, expect, it } from 'vitest';
import { GazetteError } from '../../src/errors.ts';
import type { ImportOptions, RefusedRecord } from '../../src/import/import-options.ts';
import type { RegisterDefinition } from '../../src/register/record.ts';
import { importRecords } from '../../src/import/importer.ts';
import { parseMapping } from '../../src/import/mapping/mapping.ts';
import { ndjsonReader } from '../../src/import/readers/ndjson.ts';
import { BATCH_SIZE } from '../../src/stores/contract/registers.ts';
import { source, WatchedSource } from './sources.ts';
import { at, catalogue, clockAt, entries, type Entry, MAPPING, openCatalogue, recordsOf } from './catalogue.ts';

const NOTHING = { added: 0, changed: 0, unchanged: 0, withdrawn: 0, restored: 0, refused: 0, redacted: 0 };

type Store = Awaited<ReturnType<typeof openCatalogue>>;

const take = (store: Store, list: readonly unknown[], run: number, options: Partial<ImportOptions> = {}) =>
  importRecords(store, 'cat', catalogue(list), { now: clockAt(run), mapping: MAPPING, ...options });

const without = (list: readonly Entry[], ...ids: string[]): Entry[] =>
  list.filter(({ entryID }) => !ids.includes(entryID));

describe('an import', () => {
  it('adds every record, the newest at the highest position, and nothing when it runs again', async () => {
    const store = await openCatalogue();
    expect(await take(store, entries(450), 1)).toMatchObject({ ...NOTHING, added: 450 });
    const first = await recordsOf(store);
    expect(first.slice(0, 3).map(({ id }) => id)).toEqual(['cat:E-450', 'cat:E-449', 'cat:E-448']);
    expect(first.map(({ position }) => position)).toEqual(Array.from({ length: 450 }, (_, index) => 450 - index));
    expect(await take(store, entries(450), 2)).toMatchObject({ ...NOTHING, unchanged: 450 });
    expect(await recordsOf(store)).toEqual(first);
  });

  it('makes a version of each change, with its cause and the fields that differ', async () => {
    const store = await openCatalogue();
    await take(store, entries(5), 1);
    const list = entries(6).map((entry) =>
      entry.entryID === 'E-2' ? { ...entry, entryName: 'Renamed', tags: ['x'], dueDate: '2027-01-01' } : entry,
    );
    expect(await take(store, list, 2, { cause: 'extraction_correction' })).toMatchObject({
      ...NOTHING,
      added: 1,
      changed: 1,
      unchanged: 4,
    });
    expect(await store.history('cat:E-2', { offset: 0, limit: 10 })).toMatchObject([
      {
        version: 2,
        cause: 'extraction_correction',
        recorded_at: at(2),
        changed: ['data.due_date', 'data.tags', 'title'],
        record: { title: 'Renamed', observed_at: at(1), published_at: '2025-01-02' },
      },
      { version: 1, cause: 'first_observed', recorded_at: at(1), changed: [] },
    ]);
    await take(store, entries(6), 3);
    const [newest] = (await store.history('cat:E-2', { offset: 0, limit: 1 }))!;
    expect(newest).toMatchObject({ version: 3, cause: 'source_change' });
  });

  it('withdraws what the file lacks only when asked, and then exactly that; what comes back is restored', async () => {
    const store = await openCatalogue();
    await take(store, entries(700), 1);
    const shorter = without(entries(700), 'E-1', 'E-350', 'E-700');
    expect(await take(store, shorter, 2)).toMatchObject({ ...NOTHING, unchanged: 697 });
    expect(await take(store, shorter, 3, { withdrawMissing: true })).toMatchObject({
      ...NOTHING,
      unchanged: 697,
      withdrawn: 3,
    });
    for (const id of ['cat:E-1', 'cat:E-350', 'cat:E-700']) {
      expect(await store.record(id)).toMatchObject({ state: 'withdrawn', version: 2 });
    }
    expect((await recordsOf(store)).length).toBe(697);
    expect(await take(store, entries(700), 4)).toMatchObject({ ...NOTHING, unchanged: 697, restored: 3 });
    expect(await store.record('cat:E-700')).toMatchObject({ state: 'live', position: 700, version: 3 });
  });

  it('withdraws nothing when there are no records at all', async () => {
    const store = await openCatalogue();
    await take(store, entries(3), 1);
    await expect(take(store, [], 2, { withdrawMissing: true })).rejects.toMatchObject({
      code: 'invalid_input',
      message:
        'catalogue.json: nothing was withdrawn or changed; there are no records: all 3 of register "cat" would be withdrawn',
    });
    expect(await take(store, [], 2)).toMatchObject(NOTHING);
    expect((await recordsOf(store)).length).toBe(3);
  });

  it('tells in a dry run what would happen, and changes nothing', async () => {
    const store = await openCatalogue();
    const dryRun = { dryRun: true };
    const empty = await store.register('cat');
    expect(await take(store, entries(450), 1, dryRun)).toMatchObject({ added: 450, orderFrom: 'dates' });
    expect(await store.register('cat')).toEqual(empty);
    await take(store, entries(450), 1);
    const before = await store.register('cat');
    const changed = without(entries(451), 'E-3').map((entry) =>
      entry.entryID === 'E-7' ? { ...entry, entryName: 'Seven' } : entry,
    );
    expect(await take(store, changed, 2, { ...dryRun, withdrawMissing: true })).toMatchObject({
      ...NOTHING,
      added: 1,
      changed: 1,
      unchanged: 448,
      withdrawn: 1,
    });
    expect(await store.register('cat')).toEqual(before);
  });

  it('passes over a record whose content was erased for ever', async () => {
    const store = await openCatalogue();
    await take(store, entries(3), 1);
    await store.redact('cat:E-2', { recordedAt: at(2) });
    expect(await take(store, entries(3), 3)).toMatchObject({ ...NOTHING, unchanged: 2, redacted: 1 });
  });

  it('says that there is no such register', async () => {
    const store = await openCatalogue();
    const reader = catalogue(entries(1));
    await expect(importRecords(store, 'dog', reader, { now: clockAt(1) })).rejects.toMatchObject({
      code: 'unknown_feed',
    });
  });
});

describe('what an import keeps until it is checked', () => {
  const ODD = ['\u0001', '\0', 'a\0b', '\u0001"x"', '\ufeffx', '', 'é–𝄞', ' \n', '1', 'null'];

  it('is every text as it was', async () => {
    const store = await openCatalogue();
    const list = ODD.map((text, index) => ({
      id: `k${index}`,
      title: `x${text}`,
      source_url: 'https://example.org/',
      summary: text,
      content: text,
      author: text,
      facility_id: text,
      data: { text, list: [text, null, -0, 1e21, { [text]: text }], none: null },
    }));
    await importRecords(store, 'cat', catalogue(list), { now: clockAt(1), order: 'oldest-first' });
    const found = (await recordsOf(store)).reverse();
    expect(found.map(({ summary }) => summary)).toEqual(ODD);
    for (const [index, record] of found.entries()) {
      const { data, ...said } = list[index]!;
      const known = { ...said, id: `cat:${said.id}`, published_at: null, observed_at: at(1), document_type: null };
      expect(record).toMatchObject(known);
      expect(record.data).toEqual({ ...data, list: [data.text, null, 0, 1e21, { [data.text]: data.text }] });
    }
  });

  it('is committed in smaller batches where the records are long', async () => {
    const store = await openCatalogue();
    const long = entries(12).map((entry) => ({ ...entry, tags: ['x'.repeat(1_500_000)] }));
    const done: number[] = [];
    await take(store, long, 1, {
      onProgress: ({ phase, records }) => {
        if (phase === 'committing') done.push(records);
      },
    });
    expect(done).toEqual([6, 12]);
  });
});

describe('a register without fields', () => {
  it('gets those its first import finds, and finds them again under the publisher’s names', async () => {
    const store = await openCatalogue();
    await take(store, entries(2), 1);
    const { definition } = (await store.register('cat'))!;
    expect(definition.fields).toEqual([
      { name: 'due_date', label: 'dueDate', type: 'date', from_file: true },
      { name: 'tags', label: 'tags', type: 'json', from_file: true },
    ]);
    const result = await take(store, [{ ...entries(3)[0], colour: 'red' }], 2);
    expect(result.notes.undeclared).toEqual(new Map([['colour', 1]]));
    expect((await recordsOf(store))[0]!.data).toEqual({ due_date: '2025-01-03', tags: ['t0'] });
  });

  it('takes in nothing where it was given other fields meanwhile, and the same ones are no matter', async () => {
    const tried = await openCatalogue();
    await take(tried, entries(1), 1);
    const { fields } = (await tried.register('cat'))!.definition;
    const meanwhile = (into: Store, fields: RegisterDefinition['fields']) => async (): Promise<void> => {
      const { definition } = (await into.register('cat'))!;
      await into.updateRegister({ ...definition, fields }, { recordedAt: at(2) });
    };
    const store = await openCatalogue();
    const late = take(store, entries(3), 1, { onChecked: meanwhile(store, fields.slice(1)) });
    await expect(late).rejects.toMatchObject({ code: 'store_busy', details: { feed_id: 'cat' } });
    expect(await store.register('cat')).toMatchObject({ total: 0, change: 0, lastChange: at(2) });
    const again = await openCatalogue();
    const twice = take(again, entries(3), 1, { onChecked: meanwhile(again, fields) });
    expect(await twice).toMatchObject({ ...NOTHING, added: 3 });
  });

  it('keeps what else was said of it while its first file was read', async () => {
    const store = await openCatalogue();
    const { definition } = (await store.register('cat'))!;
    const renamed = { ...definition, title: 'Renamed' };
    const onChecked = async (): Promise<void> => {
      await store.updateRegister(renamed, { recordedAt: at(1) });
    };
    await take(store, entries(1), 2, { onChecked });
    expect((await store.register('cat'))!.definition).toMatchObject({ title: 'Renamed', fields: [{}, {}] });
  });
});

describe('an import that is refused', () => {
  const [good] = entries(1);

  it.each<[string, readonly unknown[], string, string]>([
    [
      'for a record without a title',
      [good, { entryID: 'x' }],
      'invalid_record',
      'catalogue.json: entries[1]: title must be',
    ],
    [
      'for two records of one id',
      [good, ...entries(2)],
      'duplicate_id',
      'catalogue.json: entries[2]: id "cat:E-1" is also that of entries[0]',
    ],
    [
      'for two keys that become one id',
      [good, { ...good, entryID: 'cat:E-1' }],
      'duplicate_id',
      'entries[1]: id "cat:E-1" is also that of entries[0]',
    ],
    [
      'for a date that is none',
      [good, { ...good, entryID: 'x', dateAdded: '2025-02-30' }],
      'invalid_record',
      'entries[1]: published_at must be a date',
    ],
    [
      'for an id of 10,000 characters',
      [{ ...good, entryID: 'x'.repeat(10_000) }],
      'invalid_record',
      'entries[0]: id must be 1..200 characters once encoded, got 10000',
    ],
  ])('%s, has changed nothing', async (_, list, code, message) => {
    const store = await openCatalogue();
    await take(store, entries(3), 1);
    const before = await store.register('cat');
    await expect(take(store, list, 2, { order: 'oldest-first' })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message) as string,
    });
    expect(await store.register('cat')).toEqual(before);
  });

  it.each(['version', 'updated_at'])('for a mapping to %s, which the register itself gives', async (target) => {
    const store = await openCatalogue();
    const mapping = [...MAPPING, ...parseMapping([`${target}=dueDate`])];
    await expect(take(store, entries(1), 1, { mapping })).rejects.toMatchObject({
      code: 'invalid_mapping',
      message: `the mapping is not valid: ${target} is given by the register when it takes a version in; an import can map id, title, summary, content, content_type, author, document_type, facility_id, source_url, published_at, observed_at, and data.NAME`,
      details: { expression: `${target}=dueDate` },
    });
    expect(await store.register('cat')).toMatchObject({ change: 0, order: null });
  });

  it('because the source fails, has changed nothing and closed the file', async () => {
    const store = await openCatalogue();
    const before = await store.register('cat');
    const file = new WatchedSource(
      entries(50).map((entry) => `${JSON.stringify(entry)}\n`),
      'throw',
    );
    const reading = importRecords(store, 'cat', ndjsonReader(file), { now: clockAt(1), mapping: MAPPING });
    await expect(reading).rejects.toThrow('the disk is gone');
    expect(await store.register('cat')).toEqual(before);
    expect(file.closed).toBe(1);
  });

  it('by an abort while it reads, has changed nothing and closed the file', async () => {
    const store = await openCatalogue();
    const file = new WatchedSource(
      entries(50).map((entry) => `${JSON.stringify(entry)}\n`),
      'wait',
    );
    const cancel = new AbortController();
    const reading = importRecords(store, 'cat', ndjsonReader(file), {
      now: clockAt(1),
      mapping: MAPPING,
      signal: cancel.signal,
    });
    void file.waits.then(() => {
      cancel.abort();
    });
    await expect(reading).rejects.toMatchObject({ code: 'aborted' });
    expect(await store.register('cat')).toMatchObject({ change: 0, order: null });
    expect(file.closed).toBe(1);
  });

  it('by an abort while it commits, has taken in whole batches, and is completed by running again', async () => {
    const store = await openCatalogue();
    const count = BATCH_SIZE * 2 + 50;
    const cancel = new AbortController();
    const first = take(store, entries(count), 1, {
      signal: cancel.signal,
      onProgress: ({ phase }) => {
        if (phase === 'committing') cancel.abort();
      },
    });
    await expect(first).rejects.toMatchObject({ code: 'aborted' });
    expect(await store.register('cat')).toMatchObject({ top: BATCH_SIZE });
    const rest = { ...NOTHING, added: count - BATCH_SIZE, unchanged: BATCH_SIZE };
    expect(await take(store, entries(count), 2)).toMatchObject(rest);
    expect((await recordsOf(store)).map(({ id }) => id)).toEqual(entries(count).map(({ entryID }) => `cat:${entryID}`));
  });
});

describe('an import that skips what is invalid', () => {
  const BAD = { entryID: 'E-2', entryName: 'Two', dateAdded: 'yesterday' };

  it('takes in the others and hands on each refused record with its place and the reason', async () => {
    const store = await openCatalogue();
    const refused: RefusedRecord[] = [];
    let checked = -1;
    const result = await take(store, [...entries(1), BAD, 7, ...entries(1)], 1, {
      onRefused: (record) => {
        refused.push(record);
      },
      onChecked: (count) => {
        checked = count;
      },
    });
    expect(result).toMatchObject({ ...NOTHING, added: 1, refused: 3 });
    expect(checked).toBe(3);
    expect(refused.map(({ where, error, record }) => [where, error.code, error.details.field, record])).toMatchObject([
      ['entries[1]', 'invalid_record', 'published_at', BAD],
      ['entries[2]', 'invalid_record', 'record', 7],
      ['entries[3]', 'duplicate_id', undefined, { id: 'cat:E-1' }],
    ]);
  });

  it('goes on behind a line that is no JSON', async () => {
    const store = await openCatalogue();
    const lines = ['{"entryID":', JSON.stringify(entries(1)[0]), '{"a":1,"a":2}'].join('\n');
    const refused: RefusedRecord[] = [];
    const reader = ndjsonReader(source(lines, 7, 'f.ndjson'), { keepsFaults: true });
    const result = await importRecords(store, 'cat', reader, {
      now: clockAt(1),
      mapping: MAPPING,
      onRefused: (record) => {
        refused.push(record);
      },
    });
    expect(result).toMatchObject({ added: 1, refused: 2 });
    expect(refused).toMatchObject([
      { where: 'line 1', error: { code: 'invalid_input' }, record: '{"entryID":' },
      { where: 'line 3', error: { code: 'invalid_input' }, record: '{"a":1,"a":2}' },
    ]);
  });

  it('refuses those that come again, however far behind, and takes in each of the others once', async () => {
    const store = await openCatalogue();
    const list = entries(900);
    const again = [list[899]!, list[300]!, list[0]!];
    const refused: RefusedRecord[] = [];
    const result = await take(store, [...list, ...again, ...again], 1, {
      onRefused: (record) => {
        refused.push(record);
      },
    });
    expect(result).toMatchObject({ ...NOTHING, added: 900, refused: 6 });
    expect((await recordsOf(store)).map(({ id }) => id)).toEqual(list.map(({ entryID }) => `cat:${entryID}`));
    expect(refused.map(({ where, error }) => [where, error.details.earlier])).toEqual([
      ['entries[900]', 'entries[899]'],
      ['entries[901]', 'entries[300]'],
      ['entries[902]', 'entries[0]'],
      ['entries[903]', 'entries[899]'],
      ['entries[904]', 'entries[300]'],
      ['entries[905]', 'entries[0]'],
    ]);
    expect(refused[4]!.record).toEqual({
      id: 'cat:E-600',
      feed_id: 'cat',
      title: list[300]!.entryName,
      summary: null,
      content: null,
      content_type: 'text',
      author: null,
      document_type: null,
      facility_id: null,
      source_url: 'https://example.org/entry/E-600',
      published_at: list[300]!.dateAdded,
      observed_at: null,
      data: { due_date: list[300]!.dueDate, tags: list[300]!.tags },
    });
  });

  it('does not take a refused record for a missing one', async () => {
    const store = await openCatalogue();
    await take(store, entries(4), 1);
    const options = { withdrawMissing: true, onRefused: () => undefined };
    const list = [...without(entries(4), 'E-2', 'E-3'), BAD];
    expect(await take(store, list, 2, options)).toMatchObject({ ...NOTHING, unchanged: 2, withdrawn: 1, refused: 1 });
    expect(await store.record('cat:E-2')).toMatchObject({ state: 'live' });
    expect(await store.record('cat:E-3')).toMatchObject({ state: 'withdrawn' });
    expect(await take(store, [...list, {}], 3, options)).toMatchObject({ ...NOTHING, unchanged: 2, refused: 2 });
    await expect(take(store, [...without(entries(4), 'E-1', 'E-2', 'E-3'), BAD, {}], 4, options)).rejects.toMatchObject(
      {
        code: 'invalid_input',
        message: expect.stringContaining('1 record has no id that can be read') as string,
      },
    );
  });

  it('does not skip what is no fault of a record', async () => {
    const store = await openCatalogue();
    const full = new GazetteError('output_failed', 'the disk is full');
    const onRefused = (): Promise<void> => Promise.reject(full);
    await expect(take(store, [BAD], 1, { onRefused })).rejects.toBe(full);
    const file = new WatchedSource([JSON.stringify(entries(1)[0])], 'throw');
    const reading = importRecords(store, 'cat', ndjsonReader(file), { now: clockAt(1), onRefused: () => undefined });
    await expect(reading).rejects.toThrow('the disk is gone');
  });
});
