// Clients find records while the register changes under them: every page of every filter, view and offset is that of a
// model of plain arrays (test/register/finding/plain-filter.ts), which shares no code with the stores.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import { recordId } from '../../src/register/identity.ts';
import {
  type AsOf,
  EXAMINED_RECORDS,
  type Filter,
  type Matched,
  type Page,
  type PageQuery,
} from '../../src/register/page.ts';
import type { Field, RegisterRecord } from '../../src/register/record.ts';
import type { PublishedRecord } from '../../src/stores/contract/prepared-record.ts';
import type { RegisterStore } from '../../src/stores/contract/registers.ts';
import { tries } from '../effort.ts';
import { plainMatches } from '../register/finding/plain-filter.ts';
import { askedFields, askedFilter, askedRecord } from '../register/finding/questions.ts';
import { SEGMENT } from '../../src/stores/logic/finding/postings.ts';
import { at } from './store-register.ts';

/** Opens an empty store, whose registers can have gaps between positions, as if many records had been there. */
export type OpenGappyStore = () => Promise<{
  readonly store: RegisterStore;
  readonly setTop: (feedId: string, top: number) => Promise<void>;
  readonly dispose: () => Promise<void>;
}>;

/** What happens next. Numbers pick one of what there is. */
type Step =
  | { readonly kind: 'page'; readonly client: number }
  | { readonly kind: 'ask'; readonly offset: number; readonly view: number | null; readonly filter: number }
  | { readonly kind: 'add' | 'withdraw' | 'restore' | 'redact' }
  | { readonly kind: 'change'; readonly pick: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('page' as const), client: fc.nat(2) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      ...{ kind: fc.constant('ask' as const), offset: fc.nat(12), view: fc.option(fc.nat(12)), filter: fc.nat(2) },
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('add' as const, 'add', 'withdraw', 'restore', 'redact') }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('change' as const), pick: fc.nat(12) }) },
);

/** How the position before a new record comes about from the last one: of the index, each segment is read by itself. */
const gap: fc.Arbitrary<(top: number) => number> = fc.oneof(
  { weight: 4, arbitrary: fc.constant((top: number) => top) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3000 }).map((count) => (top: number) => top + count) },
  {
    weight: 2,
    arbitrary: fc
      .integer({ min: 1, max: 3 })
      .map((before) => (top: number) => Math.max(top, (Math.floor(top / SEGMENT) + 1) * SEGMENT - before)),
  },
);

/** A register: what is in it, what will be, who asks for what, and what happens. */
const plan = askedFields.chain((fields) =>
  fc.tuple(...Array.from({ length: 16 }, (_, index) => askedRecord(fields, index))).chain((records) =>
    fc.record({
      fields: fc.constant(fields),
      records: fc.constant(records),
      initial: fc.nat(8),
      filters: fc.tuple(...[1, 2, 3].map(() => askedFilter(fields, records))),
      // Asked once, at the end.
      more: fc.tuple(...Array.from({ length: 6 }, () => askedFilter(fields, records))),
      isSold: fc.boolean(),
      limits: fc.tuple(...[1, 2, 3].map(() => fc.integer({ min: 1, max: 4 }))),
      gaps: fc.array(gap, { minLength: 1, maxLength: 16 }),
      steps: fc.array(step, { maxLength: 24 }),
    }),
  ),
);

interface Kept {
  readonly position: number;
  isLive: boolean;
  isErased?: true;
  record: RegisterRecord;
}

/** The register as plain arrays. */
class PlainRegister {
  readonly fields: readonly Field[];
  readonly kept: Kept[] = [];
  /** The last position that was given. */
  top = 0;

  constructor(fields: readonly Field[]) {
    this.fields = fields;
  }

  matching(filter: Filter): readonly Kept[] {
    return this.kept.filter(({ isLive, record }) => isLive && plainMatches(record, filter, this.fields));
  }

  /** A position at or beside that of a record, or the top. */
  near(index: number): number {
    return Math.min((this.kept[index >> 1]?.position ?? this.top) + (index & 1), this.top);
  }

  /** No register here has more positions than one request examines. */
  matched(filter: Filter, asOf: AsOf): Matched {
    const matching = this.matching(filter).filter(({ position }) => position <= Number(asOf));
    return { matched: matching.length, isAtLeast: false };
  }

  page({ offset, limit, asOf, filter }: PageQuery & { readonly filter: Filter }): Page {
    const view = asOf === undefined ? this.top : Number(asOf);
    const below = this.matching(filter).filter(({ position }) => position <= view - offset);
    const records = below.toReversed().map(({ record }) => record);
    const last = records[limit - 1];
    const nextOffset = records.length > limit ? view - last!.position! + 1 : null;
    return { records: records.slice(0, limit), nextOffset, asOf: view };
  }
}

/** A client that walks within one view, and what it must see: what is there and matches from beginning to end. */
class Client {
  readonly #filter: Filter;
  readonly #limit: number;
  #throughout: Set<number> | null = null;
  #asOf: number | undefined;
  #offset: number | null = 0;
  readonly #seen: number[] = [];

  constructor(filter: Filter, limit: number) {
    this.#filter = filter;
    this.#limit = limit;
  }

  get isDone(): boolean {
    return this.#offset === null;
  }

  async step(
    read: (query: PageQuery & { readonly filter: Filter }) => Promise<Page>,
    model: PlainRegister,
  ): Promise<void> {
    if (this.#offset === null) return;
    this.#throughout ??= this.#positions(model);
    const query = { offset: this.#offset, limit: this.#limit, filter: this.#filter };
    const page = await read({ ...query, ...(this.#asOf === undefined ? {} : { asOf: this.#asOf }) });
    this.#asOf = Number(page.asOf);
    this.#offset = page.nextOffset;
    this.#seen.push(...page.records.map(({ position }) => position!));
  }

  notice(model: PlainRegister): void {
    if (this.#throughout === null || this.isDone) return;
    const now = this.#positions(model);
    for (const position of this.#throughout) if (!now.has(position)) this.#throughout.delete(position);
  }

  check(): void {
    expect(this.#seen).toEqual([...new Set(this.#seen)].sort((a, b) => b - a));
    expect([...this.#throughout!].filter((position) => !this.#seen.includes(position))).toEqual([]);
  }

  #positions(model: PlainRegister): Set<number> {
    return new Set(model.matching(this.#filter).map(({ position }) => position));
  }
}

/** Registers the suite for one implementation. */
export function findingModelContract(name: string, open: OpenGappyStore): void {
  describe(`${name} under clients who find records`, () => {
    let store: RegisterStore;
    let setTop: Awaited<ReturnType<OpenGappyStore>>['setTop'];
    let dispose: () => Promise<void>;
    let feeds = 0;

    beforeAll(async () => {
      ({ store, setTop, dispose } = await open());
    });
    afterAll(() => dispose());

    it('gives the pages of a model of plain arrays, whatever is asked and whatever changes meanwhile', async () => {
      let found = 0;
      await fc.assert(
        fc.asyncProperty(plan, async ({ fields, records, initial, filters, more, isSold, limits, gaps, steps }) => {
          const feedId = `found-${++feeds}`;
          const named = { id: feedId, title: 'Found', created_at: at(0), fields: [...fields] };
          // The words of what is sold are indexed with marks.
          const sold = isSold ? { prices: { currency: 'EUR', per_record: 200 } } : {};
          await store.createRegister(defineRegister({ ...named, ...sold }));
          const model = new PlainRegister(fields);
          const source = await store.source(feedId);
          let minute = 0;
          const read = async (query: PageQuery & { readonly filter: Filter }): Promise<Page> => {
            const page = await source.page(query);
            expect(page).toEqual(model.page(query));
            const { filter } = query;
            expect(await source.matched!({ filter, asOf: page.asOf! })).toEqual(model.matched(filter, page.asOf!));
            found += page.records.length;
            return page;
          };
          const nextPosition = async (): Promise<number> => {
            const before = gaps[model.kept.length % gaps.length]!(model.top);
            // Without an index, a request passes over so many positions.
            if (before === model.top || before >= EXAMINED_RECORDS - 100) return model.top + 1;
            await setTop(feedId, before);
            return before + 1;
          };
          /** Publishes what a record says, under a key that is there or under a new one. */
          const publish = async (says: RegisterRecord, kept?: Kept): Promise<void> => {
            const position = kept?.position ?? (await nextPosition());
            const key = kept?.record.key ?? `${model.kept.length} ${says.key}`;
            const said = statement(feedId, key, says);
            const recordedAt = at(++minute);
            const result = await store.apply(feedId, [said], { recordedAt });
            if (result.unchanged === 1) return;
            const version = (kept?.record.version ?? 0) + 1;
            const record = {
              ...said,
              key,
              position,
              version,
              updated_at: recordedAt,
              observed_at: said.observed_at!,
            };
            if (kept === undefined) {
              model.top = position;
              model.kept.push({ position, isLive: true, record });
            } else Object.assign(kept, { isLive: true, record });
          };
          const change = async (next: Exclude<Step, { kind: 'page' | 'ask' }>): Promise<void> => {
            const says = records[minute % records.length]!;
            if (next.kind === 'add') return publish(says);
            const isLive = next.kind !== 'restore';
            const candidates = model.kept.filter((one) => one.isLive === isLive && one.isErased !== true);
            const kept = candidates[(next.kind === 'change' ? next.pick : minute) % candidates.length];
            if (kept === undefined) return;
            if (next.kind === 'redact') {
              await store.redact(kept.record.id, { recordedAt: at(++minute) });
              Object.assign(kept, { isLive: false, isErased: true });
              return;
            }
            if (next.kind !== 'withdraw') return publish(next.kind === 'change' ? says : kept.record, kept);
            await store.withdraw(feedId, [kept.record.id], { recordedAt: at(++minute) });
            kept.isLive = false;
            // The withdrawal is a version, too.
            kept.record = { ...kept.record, version: kept.record.version + 1 };
          };

          for (const says of records.slice(0, initial)) await publish(says);
          const clients = filters.map((filter, index) => new Client(filter, limits[index]!));
          for (const next of steps) {
            if (next.kind === 'page') await clients[next.client]!.step(read, model);
            else if (next.kind === 'ask') {
              const view = next.view === null ? {} : { asOf: model.near(next.view) };
              const offset = next.offset < 6 ? next.offset : model.top - model.near(next.offset);
              await read({ offset, limit: 3, filter: filters[next.filter]!, ...view });
            } else {
              await change(next);
              for (const client of clients) client.notice(model);
            }
          }
          for (const client of clients) {
            do await client.step(read, model);
            while (!client.isDone);
            client.check();
          }
          for (const filter of more) await read({ offset: 0, limit: 100, filter });
        }),
        { numRuns: tries(12, 500) },
      );
      // Usual are some five a try.
      expect(found).toBeGreaterThan(tries(12, 500) / 6);
    });
  });
}

/** A statement as stores take it in: without lone surrogates, and as JSON carries it. */
function statement(feedId: string, key: string, says: RegisterRecord): PublishedRecord {
  const added = new Set(['position', 'version', 'updated_at', 'key']);
  const wellFormed = JSON.parse(JSON.stringify(says), (name, value: unknown) =>
    added.has(name) ? undefined : typeof value === 'string' ? value.toWellFormed() : value,
  ) as PublishedRecord;
  return { ...wellFormed, id: recordId(feedId, key), feed_id: feedId };
}
