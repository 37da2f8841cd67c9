// The tools of plugins.
import type { z } from 'zod';
import { isObject } from '../../checks.ts';
import { GazetteError } from '../../errors.ts';
import { costOf } from '../../mcp/budget.ts';
import type { Tool } from '../../mcp/tools/tool.ts';
import { callOf, type SeenStore } from './call.ts';
import { readSchema } from './schema.ts';
import type { Plugin, JsonObject, PluginTool } from './plugin.ts';

/** The tools of plugins. */
export function pluginTools(seen: SeenStore, plugins: readonly Plugin[]): readonly Tool[] {
  return plugins.flatMap(({ name, tools = [] }) => tools.map((tool) => pluginTool(seen, name, tool)));
}

function pluginTool(
  seen: SeenStore,
  owner: string,
  { name, title, description, inputSchema, outputSchema = { type: 'object' }, run }: PluginTool,
): Tool {
  const input = readSchema(`the plugin ${owner}: a schema of ${name}`, inputSchema);
  return {
    name,
    define: () => ({ title, description, inputSchema, outputSchema }),
    async run(given: object | undefined, call) {
      const parsed = input.safeParse(given ?? {});
      if (!parsed.success) {
        const [{ path, message }] = parsed.error.issues as [z.core.$ZodIssue];
        throw new GazetteError('invalid_parameter', `${path.map(String).join('.') || 'arguments'}: ${message}`);
      }
      const { access, stamp, request } = call;
      const answer = await run(parsed.data as JsonObject, callOf(seen, access, { signal: request.signal, stamp }));
      if (!isObject(answer)) throw new GazetteError('internal_error', `${name} must answer with an object`);
      // Answers are kept as they are written for as long as their object is: a plugin may give one that it changes later.
      if (costOf(answer) <= call.room) return { ...answer };
      throw new GazetteError('invalid_parameter', `the answer of ${name} is too long for one call: ask for less of it`);
    },
  };
}
