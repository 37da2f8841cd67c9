// The tool that lists registers and the fields of their records. All of it is public.
import { z } from 'zod';
import { priceOf } from '../../money.ts';
import { CORE_FIELDS } from '../../register/fields.ts';
import { PAGE_SIZE } from '../../register/page.ts';
import { LIMIT, OFFSET } from '../../register/parameters.ts';
import { rangeShape } from '../../register/schemas/parameters.ts';
import { countSchema } from '../../register/schemas/records.ts';
import { costOf, fit } from '../budget.ts';
import { PRICE, sells, withItemMembers } from './prices.ts';
import { readArguments } from './arguments.ts';
import { DATA_TEXT, FULL_URL, inputSchema, NEXT_OFFSET, outputSchema, SHORTENED, text } from './schemas.ts';
import type { JsonObject } from '../protocol.ts';
import type { Tool, ToolServices } from './tool.ts';

/** What the core fields say. */
const CORE_TEXTS: JsonObject = Object.fromEntries(CORE_FIELDS.map(({ name, description }) => [name, description]));

/** The members around the registers. */
const SPARE = 200 + costOf(CORE_TEXTS);

const ARGUMENTS = z.strictObject(
  rangeShape(PAGE_SIZE, { limit: 'How many registers.', offset: 'next_offset of the call before.' }),
);

const ANSWER = z.object({
  registers: z.array(
    z.object({
      feed_id: text('What other tools call it.'),
      title: text('Its title.').optional(),
      description: text('What it is about.').optional(),
      language: z.string().nullable().optional().meta({ description: 'BCP 47.' }),
      total: countSchema('How many records it has.').optional(),
      last_change: z.string().nullable().optional().meta({ description: 'When anything in it last changed.' }),
      fields: z
        .array(
          z.object({
            name: z.string(),
            label: z.string().optional(),
            type: z.string(),
            description: z.string().optional(),
            filterable: z.boolean().optional(),
          }),
        )
        .optional()
        .meta({ description: 'Its own fields.' }),
      access: text('open: everybody sees all of it.').optional(),
      search: z.boolean().optional().meta({ description: 'false: it cannot be searched for words.' }),
      records_url: text('All its records, over REST.').optional(),
      shortened: SHORTENED,
      full_url: FULL_URL,
    }),
  ),
  core_fields: z.record(z.string(), z.string()).optional().meta({ description: 'What core fields say.' }),
  total: countSchema('How many registers there are.'),
  next_offset: NEXT_OFFSET,
});

/** `list_registers`. */
export function listRegistersTool({ store }: ToolServices): Tool {
  const input = inputSchema(ARGUMENTS);
  const output = outputSchema(ANSWER);
  return {
    name: 'list_registers',
    define: (entries) => ({
      title: 'List registers',
      description: `Lists the registers, by id: what each is about, how many records it has, when it last changed, and its own fields (data.x). Needs no API key. ${DATA_TEXT}`,
      inputSchema: input(),
      outputSchema: sells(entries) ? withItemMembers(output(entries), 'registers', { price: PRICE }) : output(entries),
    }),
    async run(given, { api, room }) {
      const range = readArguments(ARGUMENTS, [LIMIT, OFFSET], given);
      const page = await store.catalogue.page(range);
      const asked: JsonObject[] = page.registers.map(({ definition, total, lastChange }) => ({
        feed_id: definition.id,
        title: definition.title,
        description: definition.description,
        language: definition.language,
        total,
        last_change: lastChange,
        fields: definition.fields,
        ...(definition.access === undefined ? {} : { access: definition.access }),
        ...(definition.search === undefined ? {} : { search: definition.search }),
        ...(priceOf(definition) === null ? {} : { price: priceOf(definition) }),
        records_url: `${api}/feeds/${definition.id}/records`,
      }));
      const registers = fit(asked, room - SPARE, ({ feed_id }) => `${api}/feeds/${feed_id as string}`);
      const isCut = registers.length > 0 && registers.length < asked.length;
      return {
        registers,
        ...(range.offset === 0 && { core_fields: CORE_TEXTS }),
        total: await store.catalogue.count(),
        next_offset: isCut ? range.offset + registers.length : page.nextOffset,
      };
    },
  };
}
