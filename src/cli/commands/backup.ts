// `gazette backup`: a consistent copy of a SQLite store while others read and write it. It appears whole or not at all.
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { GazetteError } from '../../errors.ts';
import { makeWhole } from '../../files/whole-file.ts';
import { say } from '../io/say.ts';
import { isPostgres, openSqlite, storeOption, type StoreOptions } from '../options/store.ts';

/** Adds `gazette backup` to the program. */
export function addBackup(program: Command, signal: AbortSignal): void {
  program
    .command('backup')
    .description('Copies a SQLite store to a new file, while it is served and written to.')
    .argument('<file>', 'the copy; there must be none of this name')
    .addOption(storeOption())
    .action((file: string, options: StoreOptions) => backup(file, options.store, signal));
}

async function backup(file: string, url: string, signal: AbortSignal): Promise<void> {
  if (isPostgres(url)) {
    throw new GazetteError('usage', 'gazette backup copies SQLite stores; a PostgreSQL database is copied by pg_dump');
  }
  if (existsSync(file)) {
    throw new GazetteError('output_failed', `${file} is there already: a backup is never written over another`, {
      details: { output: file },
    });
  }
  const store = await openSqlite(url, false);
  try {
    await makeWhole(file, async (temporary) => {
      await store.backup(temporary);
      signal.throwIfAborted();
    });
  } finally {
    await store.close();
  }
  say(`copied ${url} to ${file}`);
}
