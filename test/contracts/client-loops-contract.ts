// The specification's own client loops, run while the register is written to: whatever was alive all the time is
// collected, and by the loops that carry a view (`as_of`) nothing twice. The clients here know the specification alone.
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GazetteOptions } from '../../src/service/create-gazette.ts';
import { type World, world, keyAt, type OpenServiceStore, statementAt } from '../world.ts';
import { tries } from '../effort.ts';
import { callTool, recordsIn } from '../mcp/agent.ts';
import { at } from './store-register.ts';

const RUNS = tries(5, 500);
const COUNT = 30;

/** What happens to the register between two requests. */
type Change =
  { readonly kind: 'publish' } | { readonly kind: 'change' | 'withdraw' | 'restore'; readonly index: number };

const index = fc.integer({ min: 1, max: COUNT });
const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.constant<Change>({ kind: 'publish' }),
  fc.record({ kind: fc.constantFrom('change' as const, 'withdraw' as const, 'restore' as const), index }),
);
/** What happens between the requests of a walk, in order; nothing after the last. */
const script = fc.array(fc.array(changes, { maxLength: 3 }), { maxLength: 40 });

/** Writes to a register as a script says, and knows which records were alive throughout. */
class Writer {
  readonly #service: World;
  readonly #steps: Iterator<readonly Change[]>;
  readonly #disturbed = new Set<string>();
  #minute = 10;
  #published = 0;

  constructor(service: World, steps: readonly (readonly Change[])[]) {
    this.#service = service;
    this.#steps = steps[Symbol.iterator]();
  }

  /** The ids of the first records that nobody withdrew meanwhile. */
  get aliveThroughout(): string[] {
    return Array.from({ length: COUNT }, (_, at) => `permits:${keyAt(at + 1)}`).filter(
      (id) => !this.#disturbed.has(id),
    );
  }

  /** Does what comes between two requests. */
  async step(): Promise<void> {
    const next = this.#steps.next();
    if (next.done === true) return;
    const { store } = this.#service;
    for (const change of next.value) {
      const recordedAt = at(++this.#minute);
      if (change.kind === 'publish') {
        await store.apply('permits', [statementAt(1000 + ++this.#published, COUNT)], { recordedAt });
        continue;
      }
      const statement = statementAt(change.index, COUNT);
      if (change.kind === 'withdraw') {
        this.#disturbed.add(statement.id);
        await store.withdraw('permits', [statement.id], { recordedAt });
      } else {
        const title = change.kind === 'change' ? `Changed at ${this.#minute}` : statement.title;
        await store.apply('permits', [{ ...statement, title }], { recordedAt });
      }
    }
  }
}

/** Registers the suite for one kind of store. */
export function clientLoopsContract(name: string, open: OpenServiceStore): void {
  /** Runs a loop over a register that is being written to. */
  const walking = async (
    steps: readonly (readonly Change[])[],
    collect: (service: World, writer: Writer) => Promise<readonly string[]>,
    options: Partial<GazetteOptions> = {},
  ): Promise<{ readonly found: readonly string[]; readonly alive: readonly string[] }> => {
    const { store, dispose } = await open();
    const service = await world({ store, ...options, records: COUNT });
    try {
      const writer = new Writer(service, steps);
      const found = await collect(service, writer);
      return { found, alive: writer.aliveThroughout };
    } finally {
      await service.close();
      await dispose();
    }
  };

  describe(`the specification’s clients over ${name}, while others write`, () => {
    it('lose nothing by following next_offset', async () => {
      await fc.assert(
        fc.asyncProperty(script, fc.integer({ min: 1, max: 12 }), async (steps, limit) => {
          const { found, alive } = await walking(steps, async (service, writer) => {
            const ids: string[] = [];
            for (let offset: number | null = 0; offset !== null;) {
              const page = await service.list(`/feeds/permits/records?limit=${limit}&offset=${offset}`, service);
              ids.push(...page.records.map(({ id }) => id));
              offset = page.next_offset;
              await writer.step();
            }
            return ids;
          });
          expect(found).toEqual(expect.arrayContaining([...alive]));
        }),
        { numRuns: RUNS },
      );
    });

    it('lose nothing, and see nothing twice, by following Link until it is absent', async () => {
      await fc.assert(
        fc.asyncProperty(script, fc.integer({ min: 1, max: 12 }), fc.boolean(), async (steps, limit, filtered) => {
          const { found, alive } = await walking(steps, async (service, writer) => {
            const ids: string[] = [];
            const filter = filtered ? '&document_type=adopted' : '';
            let path: string | null = `/feeds/permits/records/export.csv?limit=${limit}${filter}`;
            while (path !== null) {
              const response: Response = await service.get(path, service);
              expect(response.status).toBe(200);
              const rows = parse<{ id: string }>(await response.text(), { columns: true });
              ids.push(...rows.map(({ id }) => id));
              const link = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('Link') ?? '');
              path = link === null ? null : link[1]!.slice('https://registers.example.org/api/v1'.length);
              await writer.step();
            }
            return ids;
          });
          const wanted = filtered ? alive.filter((id) => Number(id.slice(-3)) % 3 === 0) : alive;
          expect(found).toEqual(expect.arrayContaining([...wanted]));
          expect(new Set(found).size).toBe(found.length);
        }),
        { numRuns: RUNS },
      );
    });

    it('lose nothing, and see nothing twice, by sending an agent’s cursor back', async () => {
      await fc.assert(
        fc.asyncProperty(
          script,
          fc.integer({ min: 1, max: 12 }),
          fc.boolean(),
          // In the smallest budget fewer records fit than are asked for.
          fc.constantFrom(2000, 20_000),
          async (steps, limit, filtered, budgetTokens) => {
            const collect = async (service: World, writer: Writer): Promise<readonly string[]> => {
              const ids: string[] = [];
              const args = { feed_id: 'permits', limit, ...(filtered ? { document_type: 'adopted' } : {}) };
              for (let next: object | null = {}; next !== null;) {
                const reply = await callTool(service, 'read_register', { ...args, ...next }, service.key);
                expect(reply).toMatchObject({ isError: false });
                const { cursor } = reply.structuredContent as { cursor?: string };
                ids.push(...recordsIn(reply.structuredContent).map(({ id }) => id as string));
                next = cursor === undefined ? null : { cursor };
                await writer.step();
              }
              return ids;
            };
            const { found, alive } = await walking(steps, collect, { mcp: { budgetTokens } });
            const wanted = filtered ? alive.filter((id) => Number(id.slice(-3)) % 3 === 0) : alive;
            expect(found).toEqual(expect.arrayContaining([...wanted]));
            expect(new Set(found).size).toBe(found.length);
          },
        ),
        { numRuns: RUNS },
      );
    });

    it('collect every version of a history by stopping at a short page', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 0, max: 12 }),
          fc.integer({ min: 1, max: 5 }),
          fc.array(fc.boolean(), { maxLength: 12 }),
          async (before, limit, during) => {
            const id = `permits:${keyAt(7)}`;
            const { found } = await walking([], async (service) => {
              let minute = 10;
              const change = async (): Promise<void> => {
                const title = `Title ${++minute}`;
                await service.store.apply('permits', [{ ...statementAt(7, COUNT), title }], { recordedAt: at(minute) });
              };
              for (let i = 0; i < before; i++) await change();
              const writes = during[Symbol.iterator]();
              const versions: string[] = [];
              for (;;) {
                const path = `/records/${id}/history?limit=${limit}&offset=${versions.length}`;
                const page = await service.versions(path, service);
                versions.push(...page.map(({ version }) => String(version)));
                if (page.length < limit) return versions;
                if (writes.next().value === true) await change();
              }
            });
            // What is new meanwhile shifts the offsets: versions may come again, none that was there is missed.
            const there = Array.from({ length: before + 1 }, (_, version) => String(version + 1));
            expect(found).toEqual(expect.arrayContaining(there));
          },
        ),
        { numRuns: RUNS },
      );
    });
  });
}
