// Random histories with a replica that lags at random: what comes under a tag is never older than the tag says, what was
// committed a second ago is seen, and walks within a view are exact.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { at, permits, say } from '../../contracts/store-register.ts';
import { timeLimit, tries } from '../../effort.ts';
import { letPass } from '../../until.ts';
import { replicated } from './replicated.ts';

const servers = replicated();

type Step =
  | { readonly do: 'apply' | 'withdraw' | 'redact'; readonly name: string }
  | { readonly do: 'pause' }
  | { readonly do: 'resume'; readonly after: number }
  | { readonly do: 'read'; readonly node: number }
  | { readonly do: 'walk'; readonly node: number }
  | { readonly do: 'wait'; readonly for: number };

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');
const node = fc.nat({ max: 1 });
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('apply' as const), name }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('withdraw' as const, 'redact' as const), name }) },
    { weight: 3, arbitrary: fc.constant({ do: 'pause' as const }) },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('resume' as const), after: fc.constantFrom(0, 0, 5, 40, 1100) }),
    },
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constantFrom('read' as const, 'read' as const, 'walk' as const), node }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), for: fc.constantFrom(1, 50, 400) }) },
  ),
  { minLength: 8, maxLength: 40 },
) as fc.Arbitrary<Step[]>;

/** A state of the register, as the primary showed it. */
interface State {
  readonly revision: string;
  readonly content: string;
  readonly committedAt: number;
}

let schemas = 0;

it(
  'answers no older than its tag says, while the replica lags at random',
  { timeout: timeLimit(120_000) },
  async () => {
    const { pool, replicaPool, pause, resume, caughtUp } = servers();
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        await resume();
        const schema = `model_${++schemas}`;
        const writer = await PostgresStore.open(pool, { schema });
        await writer.createRegister(permits());
        const states: State[] = [];
        const contentOf = async (store: PostgresStore): Promise<string> => {
          const page = await (await store.source('permits')).page({ offset: 0, limit: 100 });
          return JSON.stringify(page.records.map(({ id, title, version }) => [id, title, version]));
        };
        const note = async (): Promise<void> => {
          const revision = await (await writer.source('permits')).revision!();
          states.push({ revision, content: await contentOf(writer), committedAt: performance.now() });
        };
        await writer.apply('permits', [say('a'), say('z')], { recordedAt: at(1) });
        await note();
        await caughtUp();
        const readers = [
          await PostgresStore.open(pool, { schema, replica: replicaPool }),
          await PostgresStore.open(pool, { schema, replica: replicaPool, answersFromMemory: true }),
        ];
        // As a service remembers them: for as long as the store knows that nothing was committed.
        const remembered: ({ readonly stamp: number; readonly revision: string } | null)[] = [null, null];
        const tagOf = async (node: number): Promise<string> => {
          const stamp = readers[node]!.stamp();
          const kept = remembered[node];
          if (kept != null && stamp === kept.stamp) return kept.revision;
          const revision = await (await readers[node]!.source('permits')).revision!();
          remembered[node] = stamp === undefined ? null : { stamp, revision };
          return revision;
        };
        let minute = 2;
        const later: Promise<void>[] = [];
        for (const step of all) {
          if (step.do === 'pause') await pause();
          else if (step.do === 'resume') later.push(letPass(step.after, 'the lag of the replica').then(resume));
          else if (step.do === 'wait') await letPass(step.for, 'readers come at any time');
          else if (step.do === 'read') {
            const begun = performance.now();
            const tag = await tagOf(step.node);
            const tagged = states.findLastIndex(({ revision }) => revision === tag);
            const old = states.findLastIndex(({ committedAt }) => committedAt < begun - 1000);
            expect(tagged, 'a tag of a second ago').toBeGreaterThanOrEqual(old);
            const content = await contentOf(readers[step.node]!);
            const found = states.findLastIndex((state) => state.content === content);
            expect(found, 'content older than its tag').toBeGreaterThanOrEqual(tagged);
          } else if (step.do === 'walk') {
            await walk(readers[step.node]!, writer);
          } else {
            minute++;
            const recordedAt = at(minute);
            const page = await (await writer.source('permits')).page({ offset: 0, limit: 100 });
            const id = page.records.find(({ id }) => id === `permits:${step.name}`)?.id;
            if (step.do === 'apply') {
              await writer.apply('permits', [say(step.name, { title: `Title ${minute}` })], { recordedAt });
            } else if (id == null) continue;
            else if (step.do === 'withdraw') await writer.withdraw('permits', [id], { recordedAt });
            else await writer.redact(id, { recordedAt });
            await note();
          }
        }
        await Promise.all(later);
      }),
      { numRuns: tries(8, 400) },
    );
    await resume();
  },
);

/** A walk in pages of two within the view of its first page finds what the primary has in it, each once. */
async function walk(reader: PostgresStore, writer: PostgresStore): Promise<void> {
  const source = await reader.source('permits');
  const first = await source.page({ offset: 0, limit: 2 });
  const asOf = first.asOf!;
  const seen = first.records.map(({ id }) => id);
  for (let next = first.nextOffset; next !== null;) {
    const page = await source.page({ offset: next, limit: 2, asOf });
    seen.push(...page.records.map(({ id }) => id));
    next = page.nextOffset;
  }
  const whole = await (await writer.source('permits')).page({ offset: 0, limit: 100, asOf });
  expect(new Set(seen).size).toBe(seen.length);
  // Nothing is committed meanwhile; what was withdrawn within the last second may still be seen.
  for (const { id } of whole.records) expect(seen).toContain(id);
}
