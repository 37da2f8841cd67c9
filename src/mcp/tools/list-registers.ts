// The tool that says which registers there are, and what their records hold. All of it is public.
import { PAGE_SIZE } from '../../register/page.ts';
import { parseRangeQuery } from '../../register/query.ts';
import { checkArguments, toParameters } from './arguments.ts';
import { fit } from '../budget.ts';
import { argumentsSchema, FULL_URL, integer, NEXT_OFFSET, objectSchema, SHORTENED, text } from './schemas.ts';
import type { JsonObject } from '../protocol.ts';
import type { Tool, ToolServices } from './tool.ts';

/** What stands around the registers. */
const SPARE = 200;

/** `list_registers`. */
export function listRegistersTool({ store }: ToolServices): Tool {
  return {
    name: 'list_registers',
    define: () => ({
      title: 'List registers',
      description:
        'Lists the registers, by id: what each is about, how many records it has, when it last changed, and its own fields (data.x). Needs no API key.',
      inputSchema: argumentsSchema({
        limit: integer('How many registers.', { minimum: 1, maximum: PAGE_SIZE, default: PAGE_SIZE }),
        offset: integer('next_offset of the call before.', { minimum: 0, default: 0 }),
      }),
      outputSchema: objectSchema(
        {
          registers: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                feed_id: text('What other tools call it.'),
                title: text('Its title.'),
                description: text('What it is about.'),
                language: { type: ['string', 'null'], description: 'BCP 47.' },
                total: integer('How many records it has.'),
                last_change: { type: ['string', 'null'], description: 'When anything in it last changed.' },
                fields: {
                  type: 'array',
                  description: 'Its own fields.',
                  items: {
                    type: 'object',
                    properties: {
                      name: { type: 'string' },
                      label: { type: 'string' },
                      type: { type: 'string' },
                      description: { type: 'string' },
                    },
                    required: ['name', 'type'],
                  },
                },
                records_url: text('All its records, over REST.'),
                shortened: SHORTENED,
                full_url: FULL_URL,
              },
              required: ['feed_id'],
            },
          },
          total: integer('How many registers there are.'),
          next_offset: NEXT_OFFSET,
        },
        ['registers', 'total', 'next_offset'],
      ),
    }),
    async run(given, { api, room }) {
      const args = checkArguments(given, ['limit', 'offset']);
      const range = parseRangeQuery(toParameters(args, ['limit', 'offset']), { defaultLimit: PAGE_SIZE });
      const entries = await store.registers();
      const asked: JsonObject[] = entries
        .slice(range.offset, range.offset + range.limit)
        .map(({ definition, total, lastChange }) => ({
          feed_id: definition.id,
          title: definition.title,
          description: definition.description,
          language: definition.language,
          total,
          last_change: lastChange,
          fields: definition.fields,
          records_url: `${api}/feeds/${definition.id}/records`,
        }));
      const registers = fit(asked, room - SPARE, ({ feed_id }) => `${api}/feeds/${feed_id as string}`);
      const end = range.offset + registers.length;
      return {
        registers,
        total: entries.length,
        next_offset: end < entries.length && registers.length > 0 ? end : null,
      };
    },
  };
}
