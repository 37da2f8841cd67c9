// `gazette mcp`: the registers of a store for an agent on this machine, over standard input and output.
import { once } from 'node:events';
import { checkBaseUrl } from '../../export/page-links.ts';
import { BUDGET_TOKENS } from '../../mcp/budget.ts';
import { type Undescribed, command, type Option, type ValuesOf } from '../command.ts';
import { say } from '../io/say.ts';
import { BASE_URL } from '../options/publication.ts';
import { PLUGIN, pluginsOf } from '../options/plugin.ts';
import { STORE, withStore } from '../options/store.ts';
import type { Io } from '../io/io.ts';

const OPTIONS = {
  store: STORE,
  baseUrl: { ...BASE_URL, default: 'http://127.0.0.1:8080' } as Option<string>,
  budgetTokens: {
    value: '<number>',
    description: 'how long an answer may be, in tokens',
    default: BUDGET_TOKENS,
    read: Number,
  } as Option<number>,
  plugin: PLUGIN,
};

/** `gazette mcp`. */
export const mcpCommand: Undescribed = command({
  arguments: [],
  options: OPTIONS,
  run: (_, options, { io, signal }) => run(options, io, signal),
});

async function run(options: ValuesOf<typeof OPTIONS>, io: Io, signal: AbortSignal): Promise<void> {
  // All tools and their schemas: the help needs none of them.
  const { serveStdio } = await import('../../mcp/stdio.ts');
  const { SIGNED } = await import('../../wings/signed.ts');
  const plugins = await pluginsOf(options);
  const tools = plugins.length === 0 ? null : await import('../../service/plugins/tools.ts');
  const api = `${checkBaseUrl(options.baseUrl)}/api/v1`;
  const { stdin, stdout } = io;
  const stop = (): void => {
    stdin.destroy();
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    await withStore(
      options,
      io,
      (store) =>
        serveStdio({
          store,
          signed: SIGNED[0]?.(store),
          // A process that can read the store sees everything in it.
          tier: 'pro',
          api,
          input: stdin,
          async write(line) {
            if (!stdout.write(line)) await once(stdout, 'drain');
          },
          onError: (error) => {
            say(io, error instanceof Error ? error.message : String(error));
          },
          budgetTokens: options.budgetTokens,
          others: (seen) => tools?.pluginTools(seen, plugins) ?? [],
          signal,
        }),
      { readOnly: true },
    );
  } catch (error) {
    // Its input was closed because the user ended it.
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
