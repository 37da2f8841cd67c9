// `gazette backup`: a consistent copy of a SQLite store while others read and write it. The file appears only once it
// is complete.
import { existsSync } from 'node:fs';
import { GazetteError } from '../../errors.ts';
import { makeWhole } from '../../files/whole-file.ts';
import { type Undescribed, command } from '../command.ts';
import { say } from '../io/say.ts';
import { isPostgres, openSqlite, STORE } from '../options/store.ts';
import { resumeWork, sayPending } from '../process/unfinished.ts';
import type { Io } from '../io/io.ts';

/** `gazette backup`. */
export const backupCommand: Undescribed = command({
  arguments: [['<file>', 'the copy; this file must not exist yet']],
  options: { store: STORE },
  run: ([file], { store }, { io, signal }) => backup(file, store, io, signal),
});

async function backup(file: string, url: string, io: Io, signal: AbortSignal): Promise<void> {
  if (isPostgres(url)) {
    throw new GazetteError('usage', 'gazette backup copies SQLite stores only; use pg_dump for a PostgreSQL database');
  }
  if (existsSync(file)) {
    throw new GazetteError('output_failed', `${file} already exists: a backup never overwrites a file`, {
      details: { output: file },
    });
  }
  const store = await openSqlite(url, false);
  try {
    const { pending } = await resumeWork(io, store);
    if (pending !== null) sayPending(io, pending);
    await makeWhole(file, async (temporary) => {
      await store.backup(temporary);
      signal.throwIfAborted();
    });
  } finally {
    await store.close();
  }
  say(io, `copied ${url} to ${file}`);
}
