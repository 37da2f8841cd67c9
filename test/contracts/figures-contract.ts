// Figures against a model of plain arrays (test/register/finding/plain-figures.ts), which shares no code with them: exact, or a
// part that says it is one, and the parts add up to the whole.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import { checkFigures, type Figures, type FiguresQuestion } from '../../src/register/finding/figures.ts';
import { FiguresTally } from '../../src/register/finding/figures-tally.ts';
import { recordId } from '../../src/register/identity.ts';
import type { Field, RegisterRecord } from '../../src/register/record.ts';
import { countedFacets } from '../../src/register/sources/facets.ts';
import { figuresOfSource } from '../../src/register/sources/figures.ts';
import type { PublishedRecord } from '../../src/stores/contract/prepared-record.ts';
import type { RegisterStore } from '../../src/stores/contract/registers.ts';
import { tries } from '../effort.ts';
import { plainFigures } from '../register/finding/plain-figures.ts';
import { plainMatches } from '../register/finding/plain-filter.ts';
import { askedFields, askedFilter, askedRecord } from '../register/finding/questions.ts';
import { at } from './store-register.ts';

/** How many records a register has at most. */
const RECORDS = 14;

/** A question that registers with these fields can answer. */
function question(fields: readonly Field[]): fc.Arbitrary<FiguresQuestion> {
  const named = (isAsked: (type: string) => boolean): string[] =>
    fields.filter(({ type }) => isAsked(type)).map(({ name }) => `data.${name}`);
  const times = ['published_at', 'observed_at', 'updated_at', ...named((type) => type.startsWith('date'))];
  const numbers = named((type) => ['number', 'decimal', 'integer'].includes(type));
  const lists = fields.flatMap(({ name, type, filterable }) =>
    type === 'json' && filterable === true ? [`data.${name}`] : [],
  );
  const measures = [
    'count',
    ...numbers.flatMap((name) => ['sum', 'avg', 'min', 'max'].map((kind) => `${kind}:${name}`)),
    ...times.flatMap((name) => [`min:${name}`, `max:${name}`]),
  ];
  const by = [
    ...['document_type', 'document_type', 'facility_id', ...named((type) => type !== 'json'), ...lists, ...times],
    ...times.flatMap((name) => [`${name}:year`, `${name}:month`, `${name}:day`]),
  ];
  return fc.record(
    {
      measure: fc.oneof(fc.constant('count'), fc.constantFrom(...measures)),
      by: fc
        .uniqueArray(fc.constantFrom(...by), { maxLength: 2 })
        .filter((names) => names.filter((name) => lists.includes(name)).length < 2),
      order: fc.constantFrom('value', '-value', 'key'),
      top: fc.integer({ min: 1, max: 6 }),
    },
    { requiredKeys: [] },
  );
}

const plan = askedFields.chain((fields) =>
  fc.tuple(...Array.from({ length: RECORDS }, (_, index) => askedRecord(fields, index))).chain((all) =>
    fc.nat(RECORDS).chain((count) => {
      const records = all.slice(0, count);
      const asked = fc.record({
        question: question(fields),
        filter: fc.option(askedFilter(fields, records)),
        most: fc.integer({ min: 1, max: 5 }),
      });
      return fc.record({
        fields: fc.constant(fields),
        records: fc.constant(records),
        withdrawn: fc.array(fc.nat(RECORDS), { maxLength: 3 }),
        // The first is one that counters answer.
        questions: fc
          .tuple(
            fc.constant({ question: { by: ['document_type'] }, filter: null, most: 1 }),
            fc.array(asked, { minLength: 5, maxLength: 5 }),
          )
          .map(([counted, others]) => [counted, ...others]),
      });
    }),
  ),
);

/** Registers the suite for one implementation. */
export function figuresContract(
  name: string,
  open: () => Promise<{ readonly store: RegisterStore; readonly dispose: () => Promise<void> }>,
): void {
  describe(`${name} gives figures`, () => {
    let store: RegisterStore;
    let dispose: () => Promise<void>;
    let feeds = 0;
    beforeAll(async () => {
      ({ store, dispose } = await open());
    });
    afterAll(() => dispose());

    it('of a model of plain arrays, and parts that add up to them', async () => {
      const seen = { counted: 0, parts: 0, groups: 0 };
      await fc.assert(
        fc.asyncProperty(plan, async ({ fields, records, withdrawn, questions }) => {
          const feedId = `figures-${++feeds}`;
          await store.createRegister(
            defineRegister({ id: feedId, title: 'Figures', created_at: at(0), fields: [...fields] }),
          );
          const said = records.map((says) => statement(feedId, says));
          await store.apply(feedId, said, { recordedAt: at(1) });
          const ids = withdrawn.map((index) => said[index]?.id).filter((id) => id !== undefined);
          await store.withdraw(feedId, [...new Set(ids)], { recordedAt: at(2) });
          const source = await store.source(feedId);
          const live = said
            .map((one, index) => ({ ...records[index]!, ...one, updated_at: at(1) }) as RegisterRecord)
            .filter(({ id }) => !ids.includes(id))
            .toReversed();
          for (const { question: asked, filter, most } of questions) {
            const checked = checkFigures(asked, fields);
            const matching = live.filter((record) => filter === null || plainMatches(record, filter, fields));
            const whole = { ...plainFigures(matching, asked, fields), as_of: records.length };
            const facets =
              checked.counters === null || filter !== null ? null : await countedFacets(source, checked.counters);
            const counted = facets === null ? null : { facets: facets.facets, total: live.length };
            if (counted !== null) seen.counted++;
            const query = filter === null ? {} : { filter };
            // Counters of items do not tell how many records have none.
            const isOfItems = counted !== null && checked.by.some(({ type }) => type === 'json');
            expect(await figuresOfSource(source, checked, { ...query, counted })).toEqual(
              isOfItems ? { ...whole, ungrouped: null } : whole,
            );
            const sum = new FiguresTally(checked);
            let part: Figures = await figuresOfSource(source, checked, { ...query, counted: null, most });
            if (part.complete) {
              expect(part).toEqual(whole);
              continue;
            }
            for (;;) {
              seen.parts++;
              expect(part).toMatchObject({ complete: false, more: 0, as_of: records.length });
              sum.addPart(part);
              if (part.next_offset === null) break;
              const next = { offset: part.next_offset, asOf: part.as_of! };
              part = await figuresOfSource(source, checked, { ...query, ...next, counted: null, most });
            }
            const { measure, by, order, complete, next_offset: next } = whole;
            const added = { ...sum.whole(), measure, by, order, complete, next_offset: next, as_of: whole.as_of };
            expect(added).toEqual(whole);
            seen.groups += whole.groups.length;
          }
          await store.removeRegister(feedId);
        }),
        { numRuns: tries(30, 10_000) },
      );
      // Otherwise nothing was tried.
      const runs = tries(30, 10_000);
      expect(seen.counted).toBeGreaterThanOrEqual(runs);
      expect(seen.parts).toBeGreaterThan(runs);
      expect(seen.groups).toBeGreaterThan(runs);
    });
  });
}

/** A statement as stores take it in: without lone surrogates, and as JSON carries it. */
function statement(feedId: string, says: RegisterRecord): PublishedRecord {
  const added = new Set(['position', 'version', 'updated_at', 'key']);
  const wellFormed = JSON.parse(JSON.stringify(says), (name, value: unknown) =>
    added.has(name) ? undefined : typeof value === 'string' ? value.toWellFormed() : value,
  ) as PublishedRecord;
  return { ...wellFormed, id: recordId(feedId, says.key), feed_id: feedId };
}
