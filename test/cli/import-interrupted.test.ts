// Ctrl-C while an import is at work.
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { expectWholeBatches, importAgain, makeRegister, RECORDS, writeRecords } from '../import/killed-import.ts';
import { ending, folder, start } from './run.ts';
import { until } from '../until.ts';

it('an import that is interrupted while it commits stops behind a whole batch, and is completed by running again', async () => {
  const place = await folder();
  const file = join(place, 'records.ndjson');
  await writeRecords(file);
  const path = join(place, 'store.db');
  const store = SqliteStore.open(path);
  try {
    await makeRegister(store);
    const child = start(['import', 'r', file, '--store', path]);
    const ended = ending(child);
    await until('the first batch', async () => (await store.register('r'))!.top > 0);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: null, signal: 'SIGINT', stderr: 'gazette: interrupted (aborted)\n' });
    const held = await expectWholeBatches(store);
    expect(held).toBeLessThan(RECORDS);
    expect(await importAgain(store, createReadStream(file))).toMatchObject({ added: RECORDS - held, unchanged: held });
    expect(await expectWholeBatches(store)).toBe(RECORDS);
  } finally {
    await store.close();
  }
  expect((await readdir(place)).sort()).toEqual(['records.ndjson', 'store.db']);
});
