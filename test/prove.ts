// `npm run prove`: every test that tries something many times, at the whole effort, and a report of what was tried how
// often and how it went. It takes hours and needs nothing but what npm brings.
//
// Words behind `--` choose files by a part of their path: `npm run prove -- properties/csv`.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

/** The suites: what vitest is to read, and the files of each that try something many times. */
const SUITES = [
  { config: 'vitest.config.ts', holds: (file: string) => !isHeavy(file) && !isConformance(file) },
  { config: 'vitest.heavy.config.ts', holds: isHeavy },
  { config: 'vitest.conformance.config.ts', holds: isConformance },
] as const;

/** What is read of vitest's report. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly duration?: number;
      readonly meta?: { readonly tried?: number; readonly measured?: string };
    }[];
  }[];
}

interface Row {
  readonly what: string;
  readonly tried: number;
  readonly outcome: string;
  readonly seconds: number;
  readonly measured?: string | undefined;
}

function isHeavy(file: string): boolean {
  return file.endsWith('.heavy.test.ts');
}

function isConformance(file: string): boolean {
  return file.startsWith('test/conformance/');
}

/** Files of tests that ask test/effort.ts how many to try, or make properties. */
function filesWithTries(words: readonly string[]): string[] {
  return globSync('test/**/*.test.ts', { cwd: ROOT, exclude: ['**/node_modules/**'] })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
    .filter((file) => isHeavy(file) || tries(join(ROOT, file)))
    .sort();
}

/** Whether a file, or one of the contracts and helpers that it imports, makes properties or asks how many to try. */
function tries(path: string, seen = new Set<string>()): boolean {
  if (seen.has(path)) return false;
  seen.add(path);
  const text = readFileSync(path, 'utf8');
  if (/\bfc\.assert\(|\/effort\.ts'/.test(text)) return true;
  const imported = Array.from(text.matchAll(/ from '(\.[^']+\.ts)'/g), ([, to]) => join(dirname(path), to!));
  return imported.some((one) => one.startsWith(join(ROOT, 'test')) && existsSync(one) && tries(one, seen));
}

/** Runs files of one suite. Each test that tried something is a row; so is a file that could not be run. */
function run(config: string, files: readonly string[], place: string): Row[] {
  const path = join(place, `${config}.json`);
  const { status } = spawnSync(process.execPath, [VITEST, 'run', '--config', config, ...files], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, GAZETTE_TEST_EFFORT: 'whole', GAZETTE_TEST_REPORT: path },
  });
  const { testResults } = JSON.parse(readFileSync(path, 'utf8')) as Report;
  const rows = testResults.flatMap(({ name, message, assertionResults }): Row[] => {
    const file = relative(ROOT, name);
    if (assertionResults.length === 0)
      return [{ what: `${file}: ${message}`, tried: 0, outcome: 'failed', seconds: 0 }];
    return assertionResults
      .filter(({ status, meta }) => status !== 'passed' || meta?.tried !== undefined)
      .map(({ fullName, status, duration, meta }) => ({
        what: `${file}: ${fullName.trim()}`,
        tried: meta?.tried ?? 0,
        outcome: status,
        seconds: (duration ?? 0) / 1000,
        measured: meta?.measured,
      }));
  });
  if (status !== 0 && !rows.some(({ outcome }) => outcome === 'failed'))
    rows.push({ what: `${config}: an error outside of a test`, tried: 0, outcome: 'failed', seconds: 0 });
  return rows;
}

function print(rows: readonly Row[]): void {
  const lines = [
    ['tried', 'seconds', 'outcome', 'what'],
    ...rows.map(({ what, tried, outcome, seconds }) => [
      tried.toLocaleString('en'),
      seconds.toFixed(1),
      outcome,
      what.replaceAll(/\s+/g, ' ').slice(0, 200),
    ]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...lines.map((line) => line[column]!.length)));
  const table = lines.map(
    ([tried, seconds, outcome, what]) =>
      `${tried!.padStart(widths[0]!)}  ${seconds!.padStart(widths[1]!)}  ${outcome!.padEnd(widths[2]!)}  ${what!}\n`,
  );
  const machine = `Node ${process.versions.node}, ${process.platform} ${process.arch}`;
  process.stdout.write(`\nTried at the whole effort, on ${machine}:\n\n${table.join('')}\n`);
  for (const { measured } of rows) if (measured !== undefined) process.stdout.write(`Measured: ${measured}\n`);
}

const files = filesWithTries(process.argv.slice(2));
const place = mkdtempSync(join(tmpdir(), 'gazette-prove-'));
try {
  const rows = SUITES.flatMap(({ config, holds }) => {
    const own = files.filter(holds);
    return own.length === 0 ? [] : run(config, own, place);
  });
  print(rows);
  const passed = rows.filter(({ outcome }) => outcome === 'passed').length;
  const failed = rows.filter(({ outcome }) => outcome === 'failed').length;
  const sum = rows.reduce((all, row) => all + row.tried, 0);
  process.stdout.write(`${sum.toLocaleString('en')} tried\n${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
} finally {
  rmSync(place, { recursive: true });
}
