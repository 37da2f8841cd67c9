// How much memory a long job takes is decided by V8 when the process starts.

/**
 * The young generation's half-spaces, in MiB. Left alone V8 grows them to 32, and there are three: an import of a million
 * records then takes 110 MiB more than one of a few thousand, all of it garbage, and is no faster.
 */
const SEMI_SPACE = '--max-semi-space-size=8';

/** The jobs that read and write without end. */
const LONG_JOBS: readonly string[] = ['export', 'import', 'snapshot'];

/**
 * The flags a process should have been started with, and was not.
 *
 * @param args of the program
 * @param execArgv the flags Node was started with
 */
export function memoryFlags(args: readonly string[], execArgv: readonly string[]): readonly string[] {
  const isLong = args[0] !== undefined && LONG_JOBS.includes(args[0]);
  return isLong && !execArgv.some((flag) => flag.startsWith('--max-semi-space-size')) ? [SEMI_SPACE] : [];
}

/**
 * Starts the program again with the flags it needs, in the place of this process: same id, same terminal, same signals.
 * Returns where it needs none, or the system cannot do that; then it works without, and takes more memory.
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
