// Two whole-file imports that are started together, as processes: what is there afterwards is one of the files.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import { pages } from '../../src/register/sources/source.ts';
import type { RegisterStore } from '../../src/stores/contract/registers.ts';
import { GAZETTE } from '../cli/run.ts';
import { until } from '../until.ts';

/** Records of a file: several batches. */
const RECORDS = 9000;

/** Every file has records of its own, and some that both have. */
function linesOf(file: string): string[] {
  return Array.from({ length: RECORDS }, (_, n) => {
    const id = n % 3 === 0 ? `both-${n}` : `${file}-${n}`;
    return JSON.stringify({ id, title: `Record of ${file}`, source_url: 'https://example.org/' });
  });
}

/** An import of standard input, which has been given the file but not its end. */
class RunningImport {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly closed: Promise<unknown>;
  stderr = '';

  constructor(store: string, file: string, options: readonly string[]) {
    this.#child = spawn(process.execPath, [
      GAZETTE,
      'import',
      'r',
      '-',
      '--format',
      'ndjson',
      '--store',
      store,
      ...options,
    ]);
    this.closed = once(this.#child, 'close');
    this.#child.stderr.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    // One that is refused does not read its input.
    this.#child.stdin.on('error', () => undefined);
    this.#child.stdin.write(linesOf(file).join('\n'));
  }

  get code(): number | null {
    return this.#child.exitCode;
  }

  async end(): Promise<void> {
    this.#child.stdin.end();
    await this.closed;
  }
}

/** Imports two files with `--withdraw-missing` at the same time into the store at this place. */
export async function importTogether(store: RegisterStore, place: string, wait: boolean): Promise<void> {
  await store.createRegister(defineRegister({ id: 'r', title: 'R', created_at: '2026-01-01T00:00:00Z' }));
  const whole = ['--withdraw-missing', '--accept', 'absences,same-field'];
  const options = [...whole, '--order', 'oldest-first', ...(wait ? ['--wait'] : [])];
  const imports = ['a', 'b'].map((file) => new RunningImport(place, file, options));
  const sign = wait
    ? /^gazette: waiting for import standard input \(process \d+ on /
    : /^gazette: register "r" is in use by "import standard input" .* \(register_busy\)\n$/;
  await until('one of two to notice the other', () => imports.some(({ stderr }) => sign.test(stderr)));
  await Promise.all(imports.map((running) => running.end()));
  const completed = imports.filter(({ code }) => code === 0);
  expect(completed.length, imports.map(({ stderr }) => stderr).join('')).toBe(wait ? 2 : 1);
  const titles = new Set<string>();
  let live = 0;
  for await (const { records } of pages(await store.source('r'))) {
    live += records.length;
    for (const { title } of records) titles.add(title);
  }
  expect({ live, files: titles.size }).toEqual({ live: RECORDS, files: 1 });
  const log = await store.imports.list('r', { limit: 10 });
  expect(log.map(({ state, counts }) => [state, counts.added + counts.changed + counts.unchanged])).toEqual(
    completed.map(() => ['completed', RECORDS]),
  );
  expect(log.every(({ digest }) => digest?.length === 32)).toBe(true);
  expect(await store.leases.find('r')).toBeNull();
}
