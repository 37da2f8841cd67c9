// What the command line says of a store that fails: the store and the reason, never a password, never a stack.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, gazette } from './run.ts';

/** Enough records to fill more than a few pages of a file. */
function records(): string {
  const more = { title: 'T', summary: 's'.repeat(500), source_url: 'https://example.org/' };
  return Array.from({ length: 500 }, (_, id) => `${JSON.stringify({ id: String(id), ...more })}\n`).join('');
}

describe('a store that fails', () => {
  it.each([
    ['after a slash', 'postgres://u:se/cret@127.0.0.1:1/db', 'postgres://…'],
    ['with an at sign', 'postgres://u:se@cret@127.0.0.1:1/db', 'postgres://…@127.0.0.1:1/db'],
    ['that begins with digits', 'postgres://u:12/cret@127.0.0.1:1/db', 'postgres://…'],
    ['in the query', 'postgres://127.0.0.1:1/db?user=u&password=cret', 'postgres://127.0.0.1:1/db?…'],
    ['of another kind of store', 'mysql://u:se/cret@127.0.0.1/db', 'mysql://…'],
  ])('never has its password told, %s', async (_, url, told) => {
    const { stderr } = await gazette(['register', 'list', '--store', url]);
    expect(stderr).toContain(told);
    expect(stderr.replaceAll('127.0.0.1', '')).not.toMatch(/cret|\bse\b|12/);
  });

  it('is named with the reason when its file is damaged', async () => {
    const store = join(await folder(), 'store.db');
    await gazette(['register', 'add', 'r', '--title', 'R', '--store', store]);
    await gazette(['import', 'r', '-', '--format', 'ndjson', '--store', store], records());
    const file = await open(store, 'r+');
    const { size } = await file.stat();
    // All but the beginning, which says what tables there are.
    const start = Math.floor((size * 2) / 3);
    await file.write(Buffer.alloc(size - start, 0xff), 0, undefined, start);
    await file.close();
    expect(await gazette(['export', 'r', '--format', 'csv', '--store', store])).toMatchObject({
      code: 1,
      stderr: `gazette: the store ${store} failed: database disk image is malformed (invalid_store)\n`,
    });
  });
});
