// The second edition of a file, in which a twentieth of the rows is another, is stopped by no finding: real headers with invented
// values, as an editor uploads them. What stops an import must be rare, or nobody reads it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readingFound } from '../../../src/import/from-file/guess-file.ts';
import { planUpload, stageUpload } from '../../../src/operate/desk/stage-upload.ts';
import { defineNew, Registers } from '../../../src/operate/registers.ts';
import { Imports } from '../../../src/operate/registers/imports.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { stride } from '../../effort.ts';
import { type Header, inventedRecords } from '../../import/guess/invented-table.ts';

const HEADERS = readFileSync(new URL('../../../fixtures/tables/headers.ndjson', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Header)
  .filter((_, at) => at % stride(3) === 0);

type Rows = ReturnType<typeof inventedRecords>;

/** The next edition: each twentieth row has a value of another row in one of its columns. */
function nextEdition(rows: Rows): Rows {
  return rows.map((row, at) => {
    if (at % 20 !== 7) return row;
    const names = Object.keys(row);
    const name = names[Math.floor(at / 20) % names.length]!;
    return { ...row, [name]: rows[(at + 1) % rows.length]![name]! };
  });
}

function textOf(rows: Rows): string {
  const lines = [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row))];
  return lines.map((cells) => cells.map((cell) => `"${cell}"`).join(',')).join('\n');
}

it('is stopped for none of sixty real headers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-test-'));
  const { signal } = new AbortController();
  const stopped: string[] = [];
  let changed = 0;
  try {
    for (const [at, header] of HEADERS.entries()) {
      const store = SqliteStore.open(':memory:');
      const rows = inventedRecords(header);
      const path = join(folder, `${at}.csv`);
      const file = { path, file: 'f.csv', chosen: {}, maxUnpacked: 1e8 };
      await writeFile(path, textOf(rows));
      const { answer, options } = await planUpload(file, { signal });
      await new Registers(store).add(defineNew('r', { members: { title: 'R', fields: answer.definition.fields } }, 0));
      const staged = { ...file, feedId: 'r', who: 'anna', reading: readingFound('f.csv', answer, options) };
      const how = { usual: null, signal, onProgress: () => undefined };
      const first = await stageUpload(store, staged, how);
      await new Imports(store).approve('r', first, { who: 'anna' });
      await writeFile(path, textOf(nextEdition(rows)));
      const number = await stageUpload(store, { ...staged, reading: null }, how);
      const { report, entry } = await new Imports(store).proposal('r', number);
      const { counts } = entry;
      changed += Number(counts.changed + counts.added > 0);
      const stops = report.findings.filter((one) => one.stops).map(({ code, message }) => `${code}: ${message}`);
      if (stops.length > 0) stopped.push(`${header.of}: ${stops.join('; ')}`);
      await store.close();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  expect(stopped).toEqual([]);
  expect(changed).toBe(HEADERS.length);
});
