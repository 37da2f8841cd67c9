// `gazette backup`: a consistent copy of a SQLite store while others read and write it. The file appears only once it
// is complete.
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { GazetteError } from '../../errors.ts';
import { makeWhole } from '../../files/whole-file.ts';
import { say } from '../io/say.ts';
import { isPostgres, openSqlite, storeOption, type StoreOptions } from '../options/store.ts';
import { resumeWork, sayPending } from '../process/unfinished.ts';
import type { Io } from '../io/io.ts';

/** Adds `gazette backup` to the program. */
export function addBackup(program: Command, io: Io, signal: AbortSignal): void {
  program
    .command('backup')
    .description('Copy a SQLite store to a new file. It may be in use meanwhile.')
    .argument('<file>', 'the copy; this file must not exist yet')
    .addOption(storeOption())
    .action((file: string, options: StoreOptions) => backup(file, options.store, io, signal));
}

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
