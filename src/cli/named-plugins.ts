// Whether the settings name plugins, whose commands are then loaded.
import { existsSync, readFileSync } from 'node:fs';
import { isGazetteError } from '../errors.ts';
import { type Command, variableOf } from './command.ts';
import type { Io } from './io/io.ts';
import { say } from './io/say.ts';
import { configurationPathIn } from './program.ts';

/**
 * The commands of plugins. Nothing is loaded where the settings do not name any. What is wrong with one is said, and keeps nobody
 * from the help, nor from what was meant by another name.
 *
 * @param taken the names of gazette's own
 */
export async function loadPluginCommands(
  args: readonly string[],
  io: Io,
  taken: readonly string[],
): Promise<Readonly<Record<string, Command>>> {
  const path = configurationPathIn(args, io.env);
  const isNamed = (io.env[variableOf('plugin')] ?? '') !== '';
  if (!isNamed && (path === null || !existsSync(path) || !readFileSync(path, 'utf8').includes('"plugin"'))) return {};
  try {
    const { pluginCommands } = await import('./plugin-commands.ts');
    const read = path === null ? null : (await import('./configuration/file.ts')).readConfiguration;
    return await pluginCommands(io.env, read?.(path!) ?? null, taken);
  } catch (error) {
    if (!isGazetteError(error)) throw error;
    say(io, `${error.message} (${error.code})`);
    return {};
  }
}
