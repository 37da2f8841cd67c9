// A plugin: how many records of a register were published in each month, as a route, a page, a tool for agents, and a command.
//
//     npx gazette serve --plugin examples/plugin.ts
//     GAZETTE_PLUGIN=examples/plugin.ts npx gazette months permits
import { pages } from 'gazette';
import { definePlugin, markup, type Plugin, type PluginCall } from 'gazette/service';

/** Counts the records that the caller sees, by month. @param year of this year alone; empty: of all */
async function countMonths(call: PluginCall, feedId: string, year = ''): Promise<Record<string, number>> {
  const { source } = await call.register(feedId);
  const counts: Record<string, number> = {};
  for await (const { records } of pages(source, { signal: call.signal })) {
    for (const { published_at } of records) {
      const month = published_at?.slice(0, 7) ?? 'unknown';
      if (month.startsWith(year)) counts[month] = (counts[month] ?? 0) + 1;
    }
  }
  return counts;
}

const PATH = '/feeds/{feed_id}/months';
const YEAR = { type: 'string', pattern: '^[0-9]{4}$', description: 'Only the months of this year.' };
const ARGUMENTS = { feed_id: { type: 'string', description: 'The register.' }, year: YEAR };
const SUMMARY = 'How many records were published in each month';

/** `--plugin` finds it in this module by the name `plugin`. */
export const plugin: Plugin = definePlugin({
  name: 'months',
  routes: [
    {
      ...{ path: PATH, summary: SUMMARY, query: { year: YEAR } },
      answer: (request) => countMonths(request, request.params.feed_id!, request.query.year as string | undefined),
    },
  ],
  pages: [
    {
      path: PATH,
      async answer(request) {
        const counts = Object.entries(await countMonths(request, request.params.feed_id!));
        const rows = counts.map(([month, count]) => markup`<tr><th scope="row">${month}</th><td>${count}</td></tr>`);
        return { title: SUMMARY, main: markup`<h1>${SUMMARY}</h1><table><tbody>${rows}</tbody></table>` };
      },
    },
  ],
  tools: [
    {
      ...{ name: 'count_months', title: 'Count months', description: `${SUMMARY}.` },
      inputSchema: { type: 'object', properties: ARGUMENTS, required: ['feed_id'], additionalProperties: false },
      run: ({ feed_id: feedId, year }, call) => countMonths(call, feedId as string, year as string | undefined),
    },
  ],
  commands: {
    months: {
      ...{ description: `${SUMMARY}.`, arguments: [['<feed_id>', 'the register']] },
      run: async (call) => void call.stdout.write(`${JSON.stringify(await countMonths(call, call.args[0]!))}\n`),
    },
  },
});
