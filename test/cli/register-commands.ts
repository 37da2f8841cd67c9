// `gazette register` over a store of its own, with the definition that it then has.
import { join } from 'node:path';
import { folder, gazette } from './run.ts';

type Definition = Readonly<Record<string, unknown>>;

/** The commands of a store. */
export interface RegisterCommands {
  /** The folder of the store, for files besides. */
  readonly at: string;
  /** Runs a command: what it says, with its exit code before it where that is not 0. */
  readonly run: (...args: readonly string[]) => Promise<string>;
  /** The definition of `permits`. */
  readonly definition: () => Promise<Definition>;
}

/** Begins a store in a folder of its own. */
export async function registerCommands(): Promise<RegisterCommands> {
  const at = await folder();
  const run = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await gazette([...args, '--store', join(at, 'gazette.db')]);
    return `${code === 0 ? '' : `${code}: `}${stdout.toString()}${stderr}`;
  };
  const definition = async (): Promise<Definition> =>
    (JSON.parse(await run('register', 'show', 'permits', '--json')) as { readonly definition: Definition }).definition;
  return { at, run, definition };
}
