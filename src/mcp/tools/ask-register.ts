// The tool that answers how many, how much, the least, the greatest and the commonest: figures of groups of records, each with the
// ids of some of its records, and the view to cite.
import { z } from 'zod';
import { FILTERS, STATED_FILTERS } from '../../register/finding/filters.ts';
import { FIGURE_ORDERS, MAX_FIGURES, type Figure } from '../../register/finding/figures.ts';
import { isKeyField } from '../../register/tier.ts';
import { MEASURE } from '../../register/parameters.ts';
import { countSchema } from '../../register/schemas/records.ts';
import { GazetteError } from '../../errors.ts';
import { type CitedFigures, prepareFigures } from '../../views/figures.ts';
import { Answers } from '../answers.ts';
import { costOf } from '../budget.ts';
import type { JsonObject } from '../protocol.ts';
import { readArguments, requiredText } from './arguments.ts';
import { CURSOR_ARGUMENT, cursorAfter, readCursor } from './cursor.ts';
import { filterArguments, filterOf, withBriefFilters, withConditionFields } from './filters.ts';
import { DATA_TEXT, inputSchema, MATCHED_SHAPE, NOTE, outputSchema, text, withFeedIds } from './schemas.ts';
import { windowOf, withoutKey } from './sight.ts';
import { Suggestions } from './suggestions.ts';
import { fitRows } from './table.ts';
import { type Tool, type ToolServices, viewFor } from './tool.ts';

/** The members around the groups, and the notes. */
const SPARE = 1200;

const ANSWER = z.object({
  feed_id: text('The register.'),
  measure: z.string(),
  ...MATCHED_SHAPE,
  columns: z.array(z.string()).meta({
    description:
      'Those of by, records (how many), value, measured (how many have one), sum for avg, record_ids, url of the first.',
  }),
  rows: z.array(z.array(z.unknown())).meta({ description: 'A group each.' }),
  more: countSchema('How many more groups.').optional(),
  ungrouped: countSchema('How many records are in no group: they lack a value.').optional(),
  complete: z.boolean().meta({ description: 'false: only a part was examined; cursor goes on, and the parts add up.' }),
  cursor: z.string().optional(),
  as_of: z.unknown().optional().meta({ description: 'The view: cite it, with change and checkpoint.' }),
  change: z.int().optional().meta({ description: 'The register’s latest change.' }),
  checkpoint: z.looseObject({}).optional().meta({ description: 'The signed state of its log.' }),
  values: z.looseObject({}).optional(),
  note: NOTE,
});

/** `ask_register`. */
export function askRegisterTool(services: ToolServices): Tool {
  const { registers, filters = FILTERS } = services;
  const { tiers } = services.sight;
  const answers = new Answers();
  const suggestions = new Suggestions(services);
  const dates = filters.flatMap(({ field, test }) => (test === 'since' ? [field!] : []));
  const schema = z.strictObject({
    feed_id: requiredText('The register.'),
    measure: z
      .string({ error: 'must be given as a text' })
      .max(MEASURE.maxLength)
      .default('count')
      .meta({ description: 'count, or sum:FIELD, avg:FIELD, min:FIELD, max:FIELD; min and max take dates too.' }),
    by: z
      .array(z.string({ error: 'must be names of fields' }), { error: 'must be a list of names' })
      .optional()
      .meta({
        description: `One or two fields whose values make groups: ${[...STATED_FILTERS, ...dates].join(', ')} or data.x; a date as published_at:year, :month, :day. Absent: one figure of all.`,
      }),
    order: z
      .enum(FIGURE_ORDERS, { error: `must be one of ${FIGURE_ORDERS.join(', ')}` })
      .default('-value')
      .meta({
        description:
          '-value: the greatest first; value: the least; key: by the groups, the earliest or the least first.',
      }),
    top: z
      .int({ error: `must be 1..${MAX_FIGURES}` })
      .min(1, `must be 1..${MAX_FIGURES}`)
      .max(MAX_FIGURES, `must be 1..${MAX_FIGURES}`)
      .default(DEFAULT_GROUPS)
      .meta({ description: 'How many groups.' }),
    cursor: CURSOR_ARGUMENT.meta({ description: 'Of the part before, with the same question.' }),
    ...filterArguments(filters),
  });
  const input = inputSchema(schema);
  const output = outputSchema(ANSWER);
  return {
    name: 'ask_register',
    define: (entries) => ({
      title: 'Ask a register for figures',
      description: `Answers in one call how many records match, which value is the commonest, sums, averages, the earliest and the latest, per value, year, month or day, of all records or those that match the filters of read_register. Exact where complete is true. Each figure has records behind it: cite url and as_of. ${withoutKey(entries, `of the latest ${windowOf(tiers)} records, without own fields.`)}${DATA_TEXT}`,
      inputSchema: withConditionFields(
        withFeedIds(withBriefFilters(input(), filters, ['q', 'where']), entries),
        filters,
        entries,
      ),
      outputSchema: output(entries),
    }),
    async run(given, call) {
      const args = readArguments(schema, filters, given);
      const { feed_id: feedId, measure, by = [], order, top, cursor } = args;
      const filter = filterOf(args, filters);
      const isAll = Object.keys(filter).length === 0;
      const view = await viewFor({ registers }, feedId, call);
      const seen = services.sight.of(call.access, view);
      const { tier, kindOf } = seen;
      const fields = [measure.slice(measure.indexOf(':') + 1), ...by];
      const closed = tier === 'pro' || kindOf !== null ? undefined : fields.find((name) => isKeyField(name));
      if (closed !== undefined) throw keyNeeded(closed);
      const place = { entry: view.entry, filter: isAll ? undefined : filter, tier };
      const { asOf, offset } = cursor === undefined ? { offset: 0 } : readCursor(cursor, place);
      const asked = { measure, by, order, top, offset, ...(isAll ? {} : { filter }) };
      const figures = await prepareFigures(
        { tiers, signed: services.signed },
        view,
        seen,
        asOf === undefined ? asked : { ...asked, asOf },
      );
      const find = async (): Promise<JsonObject> => {
        const cited = await figures.answer(call.request.signal);
        const next = cursorAfter({ records: [], nextOffset: cited.next_offset, asOf: cited.as_of }, place);
        const answer = answerOf(feedId, cited, next, call.room - SPARE);
        if (cited.matched > 0 || isAll || !cited.complete) return answer;
        const values = await suggestions.valuesFor(view, filter, call, call.room - costOf(answer) - SPARE);
        return { ...answer, ...(Object.keys(values).length > 0 && { values }) };
      };
      // What a buyer owns changes with every purchase.
      return kindOf === null ? answers.to(view, [tier, call.room, figures.shape], find) : find();
    },
  };
}

/** The default number of groups. */
const DEFAULT_GROUPS = 20;

/** Figures as a table; of those that do not fit, how many they are. */
function answerOf(feedId: string, figures: CitedFigures, cursor: string | null, room: number): JsonObject {
  const { measure, by, groups, more, matched, ungrouped, complete, as_of, change, checkpoint, notes } = figures;
  const valued: readonly (keyof Figure)[] =
    measure === 'count'
      ? []
      : [...(['value', 'measured'] as const), ...(measure.startsWith('avg:') ? (['sum'] as const) : [])];
  const columns = [...by, 'records', ...valued, 'record_ids', 'url'];
  const all = groups.map((one) => [
    ...one.group,
    one.records,
    ...valued.map((name) => one[name]),
    one.record_ids,
    one.url,
  ]);
  const rows = fitRows(columns, all, room);
  const isCut = rows.length < all.length;
  const told = [
    ...notes,
    ...(isCut && !complete ? ['Some groups of this part do not fit here: ask with a filter.'] : []),
  ];
  return {
    feed_id: feedId,
    measure,
    matched,
    ...(complete ? {} : { matched_at_least: true }),
    columns,
    rows,
    ...(more + all.length > rows.length && { more: more + all.length - rows.length }),
    ...(ungrouped !== null && ungrouped > 0 && { ungrouped }),
    complete,
    ...(cursor !== null && { cursor }),
    ...(as_of !== null && { as_of }),
    ...(change !== null && { change }),
    ...(checkpoint !== null && { checkpoint }),
    ...(told.length > 0 && { note: told.join(' ') }),
  };
}

function keyNeeded(name: string): GazetteError {
  return new GazetteError(
    'credentials_required',
    `figures of ${name} need an API key: leave it out, or send Authorization: Bearer <API_KEY>`,
  );
}
