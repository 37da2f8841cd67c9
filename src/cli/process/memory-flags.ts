// V8 decides how much memory a long job uses when the process starts.

/**
 * The size of the young generation's half-spaces, in MiB. By default V8 grows them to 32, and there are three: an
 * import of a million records then takes 110 MiB more than one of a few thousand, all of it garbage, and is not faster.
 */
const SEMI_SPACE = '--max-semi-space-size=8';

/** The jobs that read and write large amounts. */
const LONG_JOBS: readonly string[] = ['export', 'import', 'snapshot'];

/**
 * The flags that the process should have been started with, but was not.
 *
 * @param args of the program
 * @param execArgv the flags Node was started with
 */
export function memoryFlags(args: readonly string[], execArgv: readonly string[]): readonly string[] {
  const isLong = args[0] !== undefined && LONG_JOBS.includes(args[0]);
  return isLong && !execArgv.some((flag) => flag.startsWith('--max-semi-space-size')) ? [SEMI_SPACE] : [];
}

/**
 * Restarts the program with the flags it needs, in place of this process: same id, same terminal, same signals. Returns
 * if it needs none, or if the system cannot do that; then it runs without them and takes more memory.
 */
export function applyMemoryFlags(current: NodeJS.Process): void {
  const { argv, execArgv, execPath } = current;
  const flags = memoryFlags(argv.slice(2), execArgv);
  if (flags.length === 0) return;
  try {
    current.execve?.(execPath, [execPath, ...flags, ...execArgv, ...argv.slice(1)]);
  } catch {
    // Windows and IBM i have no such call.
  }
}
