// What a run needs to find values of options outside its arguments. It is loaded only where there may be any: it loads the
// options of two commands, and for gazette.json the validator.
import { Command, type Option } from 'commander';
import { addFileOptions } from '../commands/import/file-options.ts';
import { addServe } from '../commands/serve.ts';
import type { Io } from '../io/io.ts';
import type { Sources } from './configured-command.ts';

/** The options of `gazette serve`: the settings of an installation. */
export function settingOptions(io: Io): readonly Option[] {
  const program = new Command();
  addServe(program, io, new AbortController().signal);
  return program.commands[0]!.options;
}

/** The options that say how a file of records is read. */
export function readingOptions(): readonly Option[] {
  return addFileOptions(new Command()).options;
}

/** The sources of a run. @param hasFile whether there may be a gazette.json to read */
export async function sourcesOf(io: Io, hasFile: boolean): Promise<Sources> {
  const settings = settingOptions(io);
  if (!hasFile) return { env: io.env, settings, read: null };
  const { readConfiguration } = await import('./file.ts');
  return { env: io.env, settings, read: (path) => readConfiguration(path, settings, readingOptions()) };
}
