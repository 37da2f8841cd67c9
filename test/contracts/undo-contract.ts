// An import is taken back: whatever happened before and after, readers see what they saw before it, but for records that have
// changed since, which are named. What an undo must do is told from what the store showed before the import, and after it; so is what
// files may do to the records then.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isGazetteError } from '../../src/errors.ts';
import { importRecords } from '../../src/import/importer.ts';
import { jsonReader } from '../../src/import/readers/json.ts';
import { WorkByHand } from '../../src/operate/registers/hand.ts';
import { Imports } from '../../src/operate/registers/imports.ts';
import { defineRegister } from '../../src/register/definition.ts';
import { showData, showValue, statedValue } from '../../src/register/declared-values.ts';
import type { Field, RegisterRecord, RecordVersion } from '../../src/register/record.ts';
import { pages } from '../../src/register/sources/source.ts';
import type { FindingStore } from '../../src/stores/contract/finding.ts';
import type { InspectedStore } from '../../src/stores/contract/inspection.ts';
import { tries } from '../effort.ts';
import { source } from '../import/sources.ts';
import { inspected } from './overwrites.ts';
import { at, say } from './store-register.ts';

/** A store that finds records. */
export type UndoStore = InspectedStore & { readonly finding: FindingStore };

const URL = 'https://example.org/';
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'] as const;

/** What a file says of one record. Few values, so that contents return. */
const row = fc.record({
  id: fc.constantFrom(...KEYS),
  title: fc.constantFrom('Mill lane', 'Mill pond', 'Quarry'),
  document_type: fc.constantFrom('draft', 'adopted', null),
  facility_id: fc.constantFrom('F1', 'F2'),
  amount: fc.constantFrom(1, 2, null),
  // Most publishers do not say when they observed something: the register's own time must come back, too.
  observed_at: fc.constantFrom(null, null, null, '2020-01-01T00:00:00Z', '2021-01-01T00:00:00Z'),
});

const file = fc.record({
  kind: fc.constant('import' as const),
  rows: fc.uniqueArray(row, { minLength: 1, maxLength: KEYS.length, selector: ({ id }) => id }),
  isWhole: fc.boolean(),
  isCorrection: fc.boolean(),
  /** What the column of amounts is called: by the field's name, or by its label. */
  column: fc.constantFrom('amount', 'Betrag'),
  /** Whether the amounts are words, where the register has no field for them (yet). */
  isText: fc.boolean(),
  /** Whether there is a column that is ignored from then on. */
  ignores: fc.boolean(),
  /** Whether what was set by hand stays where the file says something else. */
  keepsHand: fc.boolean(),
});

const hand = fc.record({
  ...{ kind: fc.constant('hand' as const), key: fc.constantFrom(...KEYS) },
  act: fc.constantFrom('Mill lane' as const, 'Quarry' as const, 'withdraw' as const, 'restore' as const),
});

const erasure = fc.record({ kind: fc.constantFrom('redact' as const, 'lift' as const), key: fc.constantFrom(...KEYS) });

const undo = fc.record({
  ...{ kind: fc.constant('undo' as const), pick: fc.nat(9), isProposed: fc.boolean() },
  /** What happens before a proposed one is approved. */
  meanwhile: fc.option(
    fc.oneof({ weight: 3, arbitrary: file }, { weight: 1, arbitrary: hand }, { weight: 1, arbitrary: erasure }),
  ),
});

const step = fc.oneof(
  { weight: 6, arbitrary: file },
  { weight: 5, arbitrary: undo },
  { weight: 4, arbitrary: hand },
  { weight: 1, arbitrary: erasure },
);

type Of<A> = A extends fc.Arbitrary<infer T> ? T : never;
type Row = Of<typeof row>;
type File = Of<typeof file>;
type Hand = Of<typeof hand>;
type Undo = Of<typeof undo>;
type Step = Of<typeof step>;

type Undoing = Awaited<ReturnType<Imports['undo']>>;

/** What readers see of a record but its version, and what it states. */
interface Seen {
  readonly record: RegisterRecord;
  readonly data: RegisterRecord['data'];
}

/** By the id of the record: null where it is not live. */
type Shown = ReadonlyMap<string, Seen | null>;

/** What imports set of the register itself. */
type Settings = Readonly<Record<'fields' | 'order' | 'ignored', unknown>> & { readonly fields: readonly Field[] };

/** What becomes of a record of which a file says something, or which it lacks. */
type Fate = 'kept' | 'asked' | 'unchanged' | 'taken';

/** That of every record for all that any file of the history says of it, by its id. */
type Fates = ReadonlyMap<string, readonly Fate[]>;

/** An import that can be taken back. */
interface Done {
  readonly number: number;
  readonly undoes: number | null;
  readonly before: Shown;
  readonly fatesBefore: Fates;
  readonly after: Shown;
  /** What the register was before, and after. */
  readonly settings: readonly [before: Settings, after: Settings];
  /** The ids of the records of which it made versions. */
  readonly made: ReadonlySet<string>;
}

/** Of what an import set of the register itself, what is put back and what stays. */
interface SettingsBack {
  readonly restored: readonly (keyof Settings)[];
  readonly staying: readonly string[];
}

/** What taking an import back would do. */
interface Expected {
  /** The records that get a version. */
  readonly back: readonly string[];
  /** Those that are named. */
  readonly named: readonly string[];
  /** What readers see then. */
  readonly shown: Shown;
  /** What the register is then, and what stays of what the import set. */
  readonly settings: Settings;
  readonly staying: readonly string[];
  /** The register's last change before. */
  readonly change: number;
}

/** Registers the suite for one implementation. */
export function undoContract(
  name: string,
  open: () => Promise<{ readonly store: UndoStore; readonly dispose: () => Promise<void> }>,
): void {
  describe(`${name} takes imports back`, () => {
    let store: UndoStore;
    let dispose: () => Promise<void>;
    let feeds = 0;
    beforeAll(async () => {
      ({ store, dispose } = await open());
    });
    afterAll(() => dispose());

    it('so that readers see what they saw before, but for what has changed since, which is named', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 9 }), undo, fc.boolean(), async (steps, last, hasFields) => {
          const feedId = `undone-${++feeds}`;
          await store.createRegister(
            defineRegister({
              ...{ id: feedId, title: 'Undone', created_at: at(0) },
              // Without fields, the first import finds them.
              fields: hasFields ? [{ name: 'amount', label: 'Betrag', type: 'integer', filterable: true }] : [],
            }),
          );
          const history = new History(store, feedId, [...steps, last]);
          for (const one of [...steps, last]) await history.take(one);
          await history.compare();
        }),
        { numRuns: tries(20), endOnFailure: true },
      );
      expect(await inspected(store)).toEqual([]);
    });
  });
}

/** What happens to one register. */
class History {
  readonly #store: UndoStore;
  readonly #feedId: string;
  readonly #imports: Imports;
  readonly #hand: WorkByHand;
  /** What its files say, once each, by the key. */
  readonly #sayings: ReadonlyMap<string, readonly Row[]>;
  readonly #done: Done[] = [];
  /** When a record was erased last, as the number of imports before. */
  readonly #erased = new Map<string, number>();
  /** The import of which each record has its latest version. */
  readonly #latest = new Map<string, Done>();
  #minute = 0;

  constructor(store: UndoStore, feedId: string, steps: readonly Step[]) {
    this.#store = store;
    this.#feedId = feedId;
    const now = (): number => Date.parse(at(this.#minute));
    this.#imports = new Imports(store, { now });
    this.#hand = new WorkByHand(store, { now });
    const files = steps.flatMap((one) => (one.kind === 'undo' ? (one.meanwhile ?? []) : one));
    const rows = files.flatMap((one) => (one.kind === 'import' ? one.rows : []));
    const once = new Map(rows.map((one) => [JSON.stringify({ ...one, observed_at: null }), one]));
    this.#sayings = Map.groupBy(once.values(), ({ id }) => id);
  }

  async take(one: Step): Promise<void> {
    this.#minute++;
    if (one.kind === 'import') await this.#noted(null, () => this.#import(one));
    else if (one.kind === 'undo') {
      const done = this.#done[one.pick % this.#done.length];
      if (done !== undefined) await this.#undo(done, one);
    } else if (one.kind === 'hand') await this.#work(one);
    else await this.#erase(one.kind, `${this.#feedId}:${one.key}`);
  }

  async #import({
    rows,
    isWhole,
    isCorrection,
    column,
    isText,
    ignores,
    keepsHand,
  }: File): Promise<{ readonly number: number }> {
    const hasFields = (await this.#settings()).fields.length > 0;
    const full = rows.map(({ observed_at, amount, ...one }) => ({
      ...one,
      ...(observed_at !== null && { observed_at }),
      [column]: isText && !hasFields && amount !== null ? `x${amount}` : amount,
      ...(ignores && { seen: this.#minute }),
      source_url: URL,
    }));
    const result = await importRecords(this.#store, this.#feedId, jsonReader(source(JSON.stringify(full))), {
      now: () => Date.parse(at(this.#minute)),
      ...{ order: 'oldest-first', withdrawMissing: isWhole, accept: [keepsHand ? 'kept-by-hand' : 'take-source'] },
      cause: isCorrection ? 'extraction_correction' : 'source_change',
      ...(ignores && { ignore: ['seen'] }),
      onRefused: () => undefined,
    });
    return { number: result.number! };
  }

  /** Does by hand what can be done. */
  async #work({ act, key }: Hand): Promise<void> {
    const [id, how] = [`${this.#feedId}:${key}`, { who: 'ada' }];
    const stored = await this.#store.record(id);
    if (stored === null || stored.state === 'redacted' || (stored.state === 'live') === (act === 'restore')) return;
    if (act === 'restore') await this.#noted(null, () => this.#hand.restore(id, how));
    else if (act === 'withdraw') await this.#noted(null, () => this.#hand.withdraw(id, how));
    else if (stored.record!.title !== act) {
      await this.#noted(null, () => this.#hand.correct(id, new Map([['title', act]]), how));
    }
  }

  async #erase(what: 'redact' | 'lift', id: string): Promise<void> {
    if ((await this.#store.record(id)) === null) return;
    if (what === 'lift') await this.#store.lift(id);
    else if (await this.#store.redact(id, { recordedAt: at(this.#minute) })) {
      this.#erased.set(id, this.#done.length);
      this.#latest.delete(id);
    }
  }

  async #undo(done: Done, { isProposed, meanwhile }: Undo): Promise<void> {
    const [feedId, imports] = [this.#feedId, this.#imports];
    if (!isProposed) {
      const expected = await this.#expected(done);
      const undoing = (): Promise<Undoing> => imports.undo(feedId, done.number, { who: 'ada' });
      return this.#compareUndone(done, expected, await this.#noted(done.number, undoing));
    }
    const [before, settings] = [await this.#shown(), await this.#settingsBack(done)];
    const proposed = await imports.undo(feedId, done.number, { who: 'ada', propose: true });
    expect(await this.#shown()).toEqual(before);
    if (meanwhile !== null) await this.take(meanwhile);
    const [expected, now] = [await this.#expected(done, settings), await this.#shown()];
    const { change } = (await this.#store.register(feedId))!;
    try {
      const approving = async (): Promise<Undoing> => {
        await imports.approve(feedId, proposed.number, { who: 'bea' });
        return proposed;
      };
      await this.#compareUndone(done, expected, await this.#noted(done.number, approving));
    } catch (error) {
      // What happened meanwhile concerns it: then nothing is written.
      if (!isGazetteError(error, 'proposal_outdated') && !isGazetteError(error, 'proposal_ended')) throw error;
      expect(meanwhile).not.toBeNull();
      expect(await this.#shown()).toEqual(now);
      expect((await this.#store.register(feedId))!.change).toBe(change);
    }
  }

  /** What taking an import back would do now. @param settings what it would do to the register itself, if that was said before */
  async #expected(done: Done, settings: SettingsBack | null = null): Promise<Expected> {
    const { number, made, before, settings: [was] } = done; // prettier-ignore
    const { back, now } = await this.#back(done);
    const named = [...made].filter((id) => !back.includes(id) && this.#latest.get(id)?.undoes !== number);
    const { restored, staying } = settings ?? (await this.#settingsBack(done));
    const then = { ...(await this.#settings()), ...Object.fromEntries(restored.map((name) => [name, was[name]])) };
    const states = new Map([...now, ...back.map((id) => [id, before.get(id) ?? null] as const)]);
    const shown: Shown = new Map(
      [...states].map(([id, seen]) => {
        const record = seen && { ...seen.record, data: showData(then.fields, seen.data) };
        return [id, seen && { ...seen, record: record! }];
      }),
    );
    // Where the fields are what they were, so are the records.
    if (isSame(then.fields, was.fields)) for (const id of back) expect(shown.get(id)).toEqual(before.get(id) ?? null);
    const { change } = (await this.#store.register(this.#feedId))!;
    return { back: back.sort(), named: named.sort(), shown, settings: then, staying, change };
  }

  /** The ids of records that become what they were, and what all are now. */
  async #back(done: Done): Promise<{ readonly back: string[]; readonly now: Shown }> {
    const at = this.#done.indexOf(done);
    const [now, { fields }] = [await this.#shown(), await this.#settings()];
    const isErased = (id: string): boolean => (this.#erased.get(id) ?? -1) > at;
    const fits = (seen: Seen | null | undefined): boolean =>
      seen == null || fields.every((field) => showValue(field, statedValue(field, seen.data)) !== undefined);
    const isStill = (id: string): boolean => isSame(stated(now.get(id)), stated(done.after.get(id)));
    return { back: [...done.made].filter((id) => !isErased(id) && isStill(id) && fits(done.before.get(id))), now };
  }

  async #settingsBack(done: Done): Promise<SettingsBack> {
    const [was, set] = done.settings;
    const [{ back, now }, settings] = [await this.#back(done), await this.#settings()];
    // Records that came since may need what the import found.
    const isNeeded = [...now].some(([id, seen]) => {
      const isSince = this.#done.indexOf(this.#latest.get(id)!) >= this.#done.indexOf(done);
      return isSince && seen !== null && !back.includes(id) && !isSame(told(seen, was.fields), told(seen, set.fields));
    });
    const changed = (['fields', 'order', 'ignored'] as const).filter((name) => !isSame(was[name], set[name]));
    const others = changed.filter((name) => !isSame(settings[name], was[name]));
    const staying = others.filter((name) => !isSame(settings[name], set[name]) || (name === 'fields' && isNeeded));
    return { restored: others.filter((name) => !staying.includes(name)), staying };
  }

  async #compareUndone(
    done: Done,
    { back, named, shown, settings, staying, change }: Expected,
    { number, report: { counts, findings } }: Undoing,
  ): Promise<void> {
    expect(findings.flatMap(({ records = [] }) => records).sort()).toEqual(named);
    expect(counts.changed + counts.restored + counts.withdrawn).toBe(back.length);
    expect((await this.#store.imports.find(this.#feedId, number)).counts).toEqual(counts);
    expect(await this.#shown()).toEqual(shown);
    expect(await this.#settings()).toEqual(settings);
    const items = findings.filter(({ code }) => code === 'settings-stay').flatMap(({ facts }) => facts!.items!);
    expect(items.map(({ name }) => name).sort()).toEqual([...staying].sort());
    // With other fields a file says something else.
    const isSameSaid = isSame((await this.#settings()).fields, done.settings[0].fields);
    const fates = await this.#fates();
    for (const id of isSameSaid ? back : []) {
      const before = done.fatesBefore.get(id)!;
      // An undo is work by hand, too: what a file could simply have taken is asked about.
      const after = fates
        .get(id)!
        .map((fate, which) => (before[which] === 'taken' && fate === 'asked' ? 'taken' : fate));
      expect([id, after]).toEqual([id, before]);
    }
    const { versions } = await this.#store.changes(this.#feedId, { since: change, limit: 100 });
    expect(versions.map(({ record_id }) => record_id).sort()).toEqual(back);
    for (const { undoes, cause } of versions) {
      expect(undoes).toBe(done.number);
      expect(['withdrawn', 'extraction_correction', 'restored']).toContain(cause);
    }
  }

  /** Notes what an import did. */
  async #noted<T extends { readonly number: number }>(undoes: number | null, run: () => Promise<T>): Promise<T> {
    const { change } = (await this.#store.register(this.#feedId))!;
    const [before, fatesBefore, was] = [await this.#shown(), await this.#fates(), await this.#settings()];
    const result = await run();
    const { versions } = await this.#store.changes(this.#feedId, { since: change, limit: 100 });
    const made = new Set(versions.map(({ record_id }) => record_id));
    const done = {
      number: result.number,
      undoes,
      before,
      fatesBefore,
      after: await this.#shown(),
      made,
      settings: [was, await this.#settings()] as const,
    };
    this.#done.push(done);
    for (const id of made) this.#latest.set(id, done);
    return result;
  }

  async #settings(): Promise<Settings> {
    const { definition, order } = (await this.#store.register(this.#feedId))!;
    const { ignored } = await this.#store.imports.basis(this.#feedId);
    return { fields: definition.fields, order, ignored };
  }

  async #shown(): Promise<Shown> {
    const ids = KEYS.map((key) => `${this.#feedId}:${key}`);
    const [stored, stating] = [
      await Promise.all(ids.map((id) => this.#store.record(id))),
      await this.#store.imports.byHand.find(ids),
    ];
    return new Map(
      ids.map((id, index) => {
        const record = shownOf(stored[index]?.state === 'live' ? stored[index].record : null);
        return [id, record === null ? null : { record, data: stating.get(id)!.statement!.data }];
      }),
    );
  }

  async #fates(): Promise<Fates> {
    const { byHand } = this.#store.imports;
    const numbers = await byHand.numbers(this.#feedId);
    const absent = await byHand.absent(this.#feedId, KEYS.map((key) => `${this.#feedId}:${key}`)); // prettier-ignore
    const shown = await this.#shown();
    const fates = new Map<string, Fate[]>(
      [...shown].map(([id, live]) => [id, [absent.get(id) ?? (live ? 'taken' : 'unchanged')]]),
    );
    for (const [key, rows] of this.#sayings) {
      const id = `${this.#feedId}:${key}`;
      for (const one of rows) {
        const { amount, ...stated } = one;
        const said = { ...stated, ...{ id, author: null, published_at: null, source_url: URL }, data: { amount } };
        const [compared] = await this.#store.compare(this.#feedId, [say(key, said, this.#feedId)], { byHand: numbers });
        fates.get(id)!.push(compared!.byHand ?? (compared!.outcome === 'unchanged' ? 'unchanged' : 'taken'));
      }
    }
    return fates;
  }

  /** Compares what else readers see with what is live, and what a copy has that was kept by all changes. */
  async compare(): Promise<void> {
    const store = this.#store;
    const shown = [...(await this.#shown()).values()].flatMap((seen) => seen?.record ?? []);
    const live = shown.sort((a, b) => b.position! - a.position!);
    while ((await store.finding.incomplete()).length > 0) await store.finding.build(this.#feedId);
    const register = await store.source(this.#feedId);
    const found = async (filter: Record<string, string>): Promise<unknown[]> => {
      const all: unknown[] = [];
      for await (const page of pages(register, { limit: 2, filter })) all.push(...page.records.map(shownOf));
      return all;
    };
    expect(await found({})).toEqual(live);
    expect((await store.register(this.#feedId))!.total).toBe(live.length);
    expect(await found({ document_type: 'draft' })).toEqual(
      live.filter(({ document_type }) => document_type === 'draft'),
    );
    const { fields } = await this.#settings();
    if (fields.some(({ filterable }) => filterable === true))
      expect(await found({ 'data.amount': '1' })).toEqual(live.filter(({ data }) => data.amount === 1));
    expect(await found({ q: 'mill' })).toEqual(live.filter(({ title }) => title.startsWith('Mill')));
    expect(await found({ q: 'pond', facility_id: 'F1' })).toEqual(
      live.filter(({ title, facility_id }) => title === 'Mill pond' && facility_id === 'F1'),
    );
    for (const name of ['document_type', 'facility_id'] as const) {
      const counts = Map.groupBy(live, (record) => record[name]);
      const values = await store.values.list(this.#feedId, name, { limit: 10 });
      const expected = [...counts].filter(([value]) => value !== null);
      expect(new Map(values.map(({ value, records }) => [value, records]))).toEqual(
        new Map(expected.map(([value, { length }]) => [value, length])),
      );
    }
    expect(new Set((await this.#copy()).values())).toEqual(new Set(live));
  }

  async #copy(): Promise<ReadonlyMap<string, unknown>> {
    const copy = new Map<string, unknown>();
    let versions: readonly RecordVersion[];
    for (let since = 0; ; since += versions.length) {
      ({ versions } = await this.#store.changes(this.#feedId, { since, limit: 100 }));
      if (versions.length === 0) return copy;
      for (const { record_id, cause, record } of versions) {
        if (cause === 'withdrawn' || cause === 'redacted') copy.delete(record_id);
        else if (record !== null) copy.set(record_id, shownOf(record));
      }
    }
  }
}

function shownOf(record: RegisterRecord | null): RegisterRecord | null {
  return record === null ? null : { ...record, version: 0, updated_at: '' };
}

/** What a record states: null states nothing, whatever its column is called. */
function stated(seen: Seen | null | undefined): unknown {
  if (seen == null) return null;
  return [{ ...seen.record, data: null }, Object.entries(seen.data).filter(([, value]) => value !== null)];
}

/** What readers see of its own values by some fields. */
function told({ data }: Seen, fields: readonly Field[]): unknown {
  const values = Object.entries(showData(fields, data)).filter(([, value]) => value !== null);
  return values.sort(([one], [other]) => (one < other ? -1 : 1));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
