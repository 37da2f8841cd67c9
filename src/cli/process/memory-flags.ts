// V8 decides how much memory a long job uses when the process starts.

/**
 * The size of the young generation's half-spaces, in MiB, of the jobs that read and write large amounts. By default V8 grows
 * them to 32, and there are three: an import of a million records then takes 110 MiB more than one of a few thousand, all of it
 * garbage, and is not faster. In 8, the records that an export reads ahead have no room, and outlive their use: from SQLite it
 * took a fifth longer, and 20 MiB more, than in 16.
 */
const SEMI_SPACES: ReadonlyMap<string, number> = new Map([
  ['export', 16],
  ['import', 8],
  ['snapshot', 8],
]);

/** V8 takes both spellings. */
const IS_SET = /--max[-_]semi[-_]space[-_]size/;

/**
 * The flags that the process should have been started with, but was not.
 *
 * @param args of the program
 * @param execArgv the flags Node was started with, and what NODE_OPTIONS says
 */
export function memoryFlags(args: readonly string[], execArgv: readonly string[]): readonly string[] {
  const size = SEMI_SPACES.get(args[0] ?? '');
  if (size === undefined || execArgv.some((flag) => IS_SET.test(flag))) return [];
  return [`--max-semi-space-size=${size}`];
}

/**
 * Restarts the program with the flags it needs, in place of this process: same id, same terminal, same signals. Returns
 * if it needs none, or if the system cannot do that; then it runs without them and takes more memory.
 */
export function applyMemoryFlags(current: NodeJS.Process): void {
  const { argv, execArgv, execPath, env } = current;
  const flags = memoryFlags(argv.slice(2), [...execArgv, env.NODE_OPTIONS ?? '']);
  if (flags.length === 0) return;
  try {
    current.execve?.(execPath, [execPath, ...flags, ...execArgv, ...argv.slice(1)]);
  } catch {
    // Windows and IBM i have no such call.
  }
}
