// V8 decides how much memory a long job uses when the process starts.

/**
 * The size of the young generation's half-spaces, in MiB. By default V8 grows them to 32, and there are three: an import of a
 * million records then takes 110 MiB more than one of a few thousand, all of it garbage, and is not faster. In 16, a million
 * records as CSV took 20 MiB more and a fifth longer than in 8, because the bytes of read records wait for the next
 * collection; in 4, feeds took a quarter longer, because their pages outlive it.
 */
const SEMI_SPACE_MIB = 8;

/**
 * The same for formats whose pages are records and texts before they are bytes: in 8, what outlives a collection fills the old
 * generation. A million records as RSS, Atom and XLSX took 14 to 35 MiB more than ten thousand in 16, 71 to 93 in 8, and up to a
 * third less processor time.
 */
const PAGES_SEMI_SPACE_MIB = 16;

/** An argument that names such a format, or a file of it. */
const OF_PAGES = /(?:^|[.=])(?:rss|atom|xlsx)$/;

/** The jobs that read and write large amounts. */
const LARGE_JOBS: ReadonlySet<string> = new Set(['export', 'import', 'snapshot']);

/** V8 takes both spellings. */
const IS_SET = /--max[-_]semi[-_]space[-_]size/;

/**
 * The flags that the process should have been started with, but was not.
 *
 * @param args of the program
 * @param execArgv the flags Node was started with, and what NODE_OPTIONS says
 */
export function memoryFlags(args: readonly string[], execArgv: readonly string[]): readonly string[] {
  if (!LARGE_JOBS.has(args[0] ?? '') || execArgv.some((flag) => IS_SET.test(flag))) return [];
  const isOfPages = args[0] === 'export' && args.some((arg) => OF_PAGES.test(arg));
  return [`--max-semi-space-size=${isOfPages ? PAGES_SEMI_SPACE_MIB : SEMI_SPACE_MIB}`];
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
    current.execve?.(execPath, [execPath, ...flags, ...execArgv, ...argv.slice(1)], env);
  } catch {
    // Windows and IBM i have no such call.
  }
}
