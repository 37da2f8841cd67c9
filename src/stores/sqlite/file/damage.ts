// Asks SQLite whether a file is whole: its pages, its indexes, and the types of its columns.
import { runInThread } from '../thread.ts';

/**
 * The first damage in the file; null where there is none.
 *
 * @param options as for other work on a whole file
 */
export async function findDamage(file: string, options: Parameters<typeof runInThread>[1]): Promise<string | null> {
  try {
    const row = await runInThread(file, options, [['PRAGMA integrity_check(1)']]);
    const found = String(row?.integrity_check);
    return found === 'ok' ? null : found;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
