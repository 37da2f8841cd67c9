// Clients find records while the register changes under them: every page of every filter, view and offset is that of a
// model of plain arrays (test/register/finding/plain-filter.ts), which shares no code with the stores.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import type { Filter } from '../../src/register/finding/asked-filter.ts';
import { recordId } from '../../src/register/identity.ts';
import type { Page, PageQuery } from '../../src/register/page.ts';
import type { Field, RegisterRecord } from '../../src/register/record.ts';
import type { PublishedRecord } from '../../src/stores/contract/prepared-record.ts';
import type { RegisterStore } from '../../src/stores/contract/registers.ts';
import { timeLimit, tries } from '../effort.ts';
import { plainMatches } from '../register/finding/plain-filter.ts';
import { askedFields, askedFilter, askedRecord } from '../register/finding/questions.ts';
import { at, type OpenStore } from './store-register.ts';

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
      limits: fc.tuple(...[1, 2, 3].map(() => fc.integer({ min: 1, max: 4 }))),
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

  constructor(fields: readonly Field[]) {
    this.fields = fields;
  }

  matching(filter: Filter): readonly Kept[] {
    return this.kept.filter(({ isLive, record }) => isLive && plainMatches(record, filter, this.fields));
  }

  page({ offset, limit, asOf, filter }: PageQuery & { readonly filter: Filter }): Page {
    const view = asOf === undefined ? this.kept.length : Number(asOf);
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
export function findingModelContract(name: string, open: OpenStore): void {
  describe(`${name} under clients who find records`, () => {
    let store: RegisterStore;
    let dispose: () => Promise<void>;
    let feeds = 0;

    beforeAll(async () => {
      ({ store, dispose } = await open());
    });
    afterAll(() => dispose());

    it(
      'gives the pages of a model of plain arrays, whatever is asked and whatever changes meanwhile',
      async () => {
        let found = 0;
        await fc.assert(
          fc.asyncProperty(plan, async ({ fields, records, initial, filters, more, limits, steps }) => {
            const feedId = `found-${++feeds}`;
            await store.createRegister(
              defineRegister({ id: feedId, title: 'Found', created_at: at(0), fields: [...fields] }),
            );
            const model = new PlainRegister(fields);
            const source = await store.source(feedId);
            let minute = 0;
            const read = async (query: PageQuery & { readonly filter: Filter }): Promise<Page> => {
              const page = await source.page(query);
              expect(page).toEqual(model.page(query));
              found += page.records.length;
              return page;
            };
            /** Publishes what a record says, under a key that is there or under a new one. */
            const publish = async (says: RegisterRecord, kept?: Kept): Promise<void> => {
              const position = kept?.position ?? model.kept.length + 1;
              const key = kept?.record.key ?? `${position} ${says.key}`;
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
              if (kept === undefined) model.kept.push({ position, isLive: true, record });
              else Object.assign(kept, { isLive: true, record });
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
                const view = next.view === null ? {} : { asOf: Math.min(next.view, model.kept.length) };
                await read({ offset: next.offset, limit: 3, filter: filters[next.filter]!, ...view });
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
        // As many as there were tries, nearly: otherwise nothing was found out.
        expect(found).toBeGreaterThan((10 / 12) * tries(12, 500));
      },
      timeLimit(60_000),
    );
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
