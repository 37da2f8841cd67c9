// Clients walk while the register changes under them: model-based, each kind of change alone and all together, since
// mixtures hide losses. And any sequence of writes leaves every store as it leaves a model of plain arrays.
import type { Filter } from '../../src/register/finding/filter.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from '../../src/register/page.ts';
import type { RegisterSource } from '../../src/register/sources/source.ts';
import { RegisterModel } from './register-model.ts';
import type { RegisterStore } from '../../src/stores/contract/registers.ts';
import { at, keyOf, type OpenStore, permits, say, walk } from './store-register.ts';

type Kind = 'publish' | 'change' | 'withdraw' | 'restore';

/** What happens next: a client asks for a page, or the register changes. */
type Step =
  | { readonly kind: 'page'; readonly walker: number }
  | { readonly kind: Kind; readonly pick: number; readonly tags: Tags };

/** What filters look at. */
interface Tags {
  readonly document_type: string | null;
  readonly facility_id: string | null;
}

interface Modelled {
  readonly key: string;
  tags: Tags;
  isLive: boolean;
}

const tags: fc.Arbitrary<Tags> = fc.record({
  document_type: fc.constantFrom('a', 'b', null),
  facility_id: fc.constantFrom('x', 'y', null),
});

const filters: fc.Arbitrary<Filter | undefined> = fc.constantFrom(
  undefined,
  undefined,
  { document_type: 'a' },
  { facility_id: 'x' },
  { document_type: 'a', facility_id: 'x' },
  // Answered by the index of terms.
  { document_type: ['a', 'c'], updated_since: '2000-01-01' },
  { facility_id: ['x', 'z'], q: 'at -nothing' },
);

const walkers = fc.record({ limit: fc.integer({ min: 1, max: 4 }), filter: filters });

function steps(kinds: readonly Kind[]): fc.Arbitrary<readonly Step[]> {
  const page = fc.record({ kind: fc.constant('page' as const), walker: fc.nat(2) });
  const change = fc.record({ kind: fc.constantFrom(...kinds), pick: fc.nat(), tags });
  return fc.array(fc.oneof(page, change), { maxLength: 16 });
}

/** A client with what it has seen and what it must not miss. */
class Walker {
  readonly #source: RegisterSource;
  readonly #limit: number;
  readonly #filter: Filter | undefined;
  readonly #keepsView: boolean;
  /** Whether it takes as many pages at once as the source gives. */
  readonly #readsAhead: boolean;
  readonly seen: { readonly key: string; readonly position: number }[] = [];
  /** The keys that were there and matched ever since the walk began. */
  #throughout: Set<string> | null = null;
  #ahead: AsyncIterator<readonly Page[]> | undefined;
  #offset: number | null = 0;
  #asOf: Page['asOf'] = null;

  constructor(
    source: RegisterSource,
    options: { limit: number; filter: Filter | undefined },
    { keepsView, readsAhead = false }: { readonly keepsView: boolean; readonly readsAhead?: boolean },
  ) {
    this.#source = source;
    this.#limit = options.limit;
    this.#filter = options.filter;
    this.#keepsView = keepsView;
    this.#readsAhead = readsAhead;
  }

  get isDone(): boolean {
    return this.#offset === null;
  }

  async step(model: readonly Modelled[]): Promise<void> {
    if (this.#offset === null) return;
    this.#throughout ??= new Set(model.filter((record) => this.#shows(record)).map(({ key }) => key));
    const query = {
      offset: this.#offset,
      limit: this.#limit,
      ...(this.#filter === undefined ? {} : { filter: this.#filter }),
      ...(this.#keepsView && this.#asOf !== null ? { asOf: this.#asOf } : {}),
    };
    if (this.#readsAhead) this.#ahead ??= this.#source.pagesAhead?.(query)[Symbol.asyncIterator]();
    const group = ((await this.#ahead?.next())?.value as readonly Page[] | undefined) ?? null;
    for (const page of group ?? [await this.#source.page(query)]) {
      this.#asOf ??= page.asOf;
      for (const record of page.records) this.seen.push({ key: keyOf(record), position: record.position! });
      this.#offset = page.nextOffset;
    }
  }

  /** Watches the model change. */
  notice(model: readonly Modelled[]): void {
    if (this.#throughout === null || this.isDone) return;
    for (const record of model) if (!this.#shows(record)) this.#throughout.delete(record.key);
  }

  check(): void {
    const keys = new Set(this.seen.map(({ key }) => key));
    expect([...(this.#throughout ?? [])].filter((key) => !keys.has(key))).toEqual([]);
    if (!this.#keepsView) return;
    expect(keys.size).toBe(this.seen.length);
    const positions = this.seen.map(({ position }) => position);
    expect(positions).toEqual([...positions].sort((a, b) => b - a));
    for (const position of positions) expect(position).toBeLessThanOrEqual(this.#asOf as number);
  }

  #shows({ isLive, tags }: Modelled): boolean {
    const { document_type, facility_id } = this.#filter ?? {};
    const has = (asked: string | readonly string[] | undefined, tag: string | null): boolean =>
      asked === undefined || [asked].flat().some((value) => value === tag);
    return isLive && has(document_type, tags.document_type) && has(facility_id, tags.facility_id);
  }
}

/** Registers this part of the suite for one implementation. */
export function walkContract(name: string, open: OpenStore, runs: number): void {
  describe(`${name} under walking clients`, () => {
    let store: RegisterStore;
    let dispose: () => Promise<void>;
    let feeds = 0;

    beforeAll(async () => {
      ({ store, dispose } = await open());
    });
    afterAll(() => dispose());

    /** Makes a register of some records, some of them withdrawn, and a way to change it and its model. */
    const prepare = async (initial: readonly { readonly tags: Tags; readonly isLive: boolean }[]) => {
      const feedId = `feed-${++feeds}`;
      await store.createRegister(permits(feedId));
      const model: Modelled[] = initial.map((record, index) => ({ key: `k${index + 1}`, ...record }));
      let minute = 0;
      const publish = (...records: readonly Modelled[]) =>
        store.apply(
          feedId,
          // Every statement differs from the one before: a change of tags to the same ones is a change too.
          records.map(({ key, tags }) => say(key, { ...tags, title: `At ${++minute}` }, feedId)),
          { recordedAt: at(minute) },
        );
      const withdraw = (...records: readonly Modelled[]) =>
        store.withdraw(
          feedId,
          records.map(({ key }) => `${feedId}:${key}`),
          { recordedAt: at(++minute) },
        );
      await publish(...model);
      await withdraw(...model.filter(({ isLive }) => !isLive));
      const change = async ({ kind, pick, tags }: Exclude<Step, { kind: 'page' }>): Promise<void> => {
        if (kind === 'publish') {
          const record = { key: `k${model.length + 1}`, tags, isLive: true };
          model.push(record);
          await publish(record);
          return;
        }
        const candidates = model.filter(({ isLive }) => isLive !== (kind === 'restore'));
        const record = candidates[pick % candidates.length];
        if (record === undefined) return;
        record.isLive = kind !== 'withdraw';
        if (kind === 'withdraw') {
          await withdraw(record);
        } else {
          record.tags = tags;
          await publish(record);
        }
      };
      return { feedId, model, change };
    };

    const everyKind: readonly Kind[] = ['publish', 'change', 'withdraw', 'restore'];
    const kinds = [...everyKind.map((kind) => [kind, [kind]] as const), ['do all of it', everyKind] as const];
    it.each(kinds)('loses nothing and, within a view, shows nothing twice, while others %s', async (_, given) => {
      const isLive = given.includes('restore') ? fc.boolean() : fc.constant(true);
      const initial = fc.array(fc.record({ tags, isLive }), { maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(initial, walkers, walkers, steps(given), async (records, exact, bare, schedule) => {
          const { feedId, model, change } = await prepare(records);
          const source = await store.source(feedId);
          const clients = [
            new Walker(source, exact, { keepsView: true }),
            new Walker(source, bare, { keepsView: false }),
            new Walker(source, exact, { keepsView: true, readsAhead: true }),
          ];
          for (const step of schedule) {
            if (step.kind === 'page') {
              await clients[step.walker]!.step(model);
            } else {
              await change(step);
              for (const client of clients) client.notice(model);
            }
          }
          for (const client of clients) {
            while (!client.isDone) await client.step(model);
            client.check();
          }
        }),
        { numRuns: runs },
      );
    });

    it('ends as a model of plain arrays does, whatever is written to it', async () => {
      type Write =
        | { readonly kind: 'apply'; readonly batch: readonly (Tags & { readonly pick: number })[] }
        | { readonly kind: 'withdraw' | 'redact'; readonly pick: number };
      const entry = fc.tuple(tags, fc.nat(5)).map(([given, pick]) => ({ ...given, pick }));
      const batch = fc.uniqueArray(entry, { maxLength: 5, selector: ({ pick }) => pick });
      const writes: fc.Arbitrary<readonly Write[]> = fc.array(
        fc.oneof(
          { weight: 5, arbitrary: fc.record({ kind: fc.constant('apply' as const), batch }) },
          { weight: 3, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), pick: fc.nat(5) }) },
          { weight: 1, arbitrary: fc.record({ kind: fc.constant('redact' as const), pick: fc.nat(5) }) },
        ),
        { maxLength: 10 },
      );
      await fc.assert(
        fc.asyncProperty(writes, async (sequence) => {
          const feedId = `feed-${++feeds}`;
          const model = new RegisterModel(feedId);
          await store.createRegister(permits(feedId));
          for (const [minute, write] of sequence.entries()) {
            const options = { recordedAt: at(minute) };
            if (write.kind === 'apply') {
              const said = write.batch.map(({ pick, ...given }) => say(`k${pick}`, given, feedId));
              expect(await store.apply(feedId, said, options)).toEqual(model.apply(said, at(minute)));
              continue;
            }
            const id = `${feedId}:k${write.pick}`;
            const told = write.kind === 'redact' ? store.redact(id, options) : store.withdraw(feedId, [id], options);
            const got = await told.catch((error: unknown) => (error as { readonly code: unknown }).code);
            expect(got).toEqual(model[write.kind](id, at(minute)));
          }
          expect(await store.register(feedId)).toMatchObject(model.entry());
          for (const field of ['document_type', 'facility_id'] as const) {
            expect(await store.values.list(feedId, field, { limit: 10 })).toEqual(model.values(field));
          }
          for (const filter of [{}, { document_type: 'a' }]) {
            expect(await walk(store, { limit: 2, filter }, feedId)).toEqual(model.walk(2, filter));
          }
          const { versions } = await store.changes(feedId, { since: 0, limit: 100 });
          expect(versions).toEqual(model.changes());
          expect(await store.ids(feedId, { limit: 100 })).toEqual(model.ids());
          for (let pick = 0; pick <= 5; pick++) {
            const id = `${feedId}:k${pick}`;
            expect(await store.record(id)).toEqual(model.record(id));
            expect(await store.history(id, { offset: 0, limit: 100 })).toEqual(model.history(id));
          }
        }),
        { numRuns: runs },
      );
    });
  });
}
