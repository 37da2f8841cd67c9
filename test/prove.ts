// `npm run prove`: every test that tries something many times, at the whole effort, and a report of what was tried how often
// and how it went. It takes hours. Each file is a part, run by itself; those that took longest last time come first, and as
// many run at once as there are cores, or `--at-once 1`. Words behind `--` choose files by a part of their path: `npm run
// prove -- properties/csv`. Each part that ended is a line of prove.ndjson: its commit, its tests and, for one that failed, what
// it said (a property's seed and counterexample). `--resume` keeps what passed and runs the rest, after an interruption.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, closeSync, existsSync, globSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { parseArgs, stripVTControlCharacters } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');
/** How much is kept of why a test failed, in characters. A counterexample may be long. */
const MESSAGE = 20_000;
/** What every part came to, a line each, in the order of their ends. */
const REPORT = join(ROOT, 'prove.ndjson');

/** What is read of vitest's report. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly duration?: number;
      readonly failureMessages?: readonly string[] | null;
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
  /** Why it failed: of a property, its seed and its counterexample. */
  readonly message?: string | undefined;
}

/** One file of tests that was run at the whole effort. */
interface Part {
  readonly file: string;
  /** The commit it was run at; with a + where files were changed. */
  readonly commit: string;
  /** The wall time of the whole part. */
  readonly seconds: number;
  readonly rows: readonly Row[];
}

function isHeavy(file: string): boolean {
  return file.endsWith('.heavy.test.ts');
}

/** What vitest is to read for a file. */
function configOf(file: string): string {
  if (file.startsWith('test/conformance/')) return 'vitest.conformance.config.ts';
  return isHeavy(file) ? 'vitest.heavy.config.ts' : 'vitest.config.ts';
}

/** Files of tests that ask test/effort.ts how many to try, or make properties. */
function filesWithTries(words: readonly string[]): string[] {
  return globSync('test/**/*.test.ts', { cwd: ROOT, exclude: ['**/node_modules/**'] })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
    .filter((file) => tries(join(ROOT, file)))
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

/** Runs a part. Each test that tried something is a row; so is a file that could not be run. */
async function run(file: string, number: number): Promise<Part> {
  const began = performance.now();
  const log = join(place, `${number}.log`);
  const path = join(place, `${number}.json`);
  const output = openSync(log, 'w');
  const child = spawn(process.execPath, [VITEST, 'run', '--config', configOf(file), file], {
    cwd: ROOT,
    stdio: ['ignore', output, output],
    env: { ...process.env, GAZETTE_TEST_EFFORT: 'whole', GAZETTE_TEST_REPORT: path },
  });
  closeSync(output);
  const [status] = (await once(child, 'exit')) as [number | null];
  const rows = existsSync(path) ? rowsOf(JSON.parse(readFileSync(path, 'utf8')) as Report) : [];
  if (status !== 0 && !rows.some(({ outcome }) => outcome === 'failed')) {
    const what = `${file}: an error outside of a test`;
    rows.push({ what, tried: 0, outcome: 'failed', seconds: 0, message: readable(readFileSync(log, 'utf8')) });
  }
  const part: Part = { file, commit: COMMIT, seconds: (performance.now() - began) / 1000, rows };
  appendFileSync(REPORT, `${JSON.stringify(part)}\n`);
  process.stdout.write(hasFailed(part) ? readFileSync(log) : '');
  return part;
}

function rowsOf({ testResults }: Report): Row[] {
  return testResults.flatMap(({ name, message, assertionResults }): Row[] => {
    const file = relative(ROOT, name);
    if (assertionResults.length === 0)
      return [{ what: file, tried: 0, outcome: 'failed', seconds: 0, message: readable(message) }];
    return assertionResults
      .filter(({ status, meta }) => status !== 'passed' || meta?.tried !== undefined)
      .map(({ fullName, status, duration, meta, failureMessages }) => ({
        what: `${file}: ${fullName.trim()}`,
        tried: meta?.tried ?? 0,
        outcome: status,
        seconds: (duration ?? 0) / 1000,
        measured: meta?.measured,
        message: status === 'failed' ? readable((failureMessages ?? []).join('\n')) : undefined,
      }));
  });
}

/** A message without colours and without the frames of a stack that are not ours. */
function readable(message: string): string {
  const lines = stripVTControlCharacters(message).split('\n');
  return lines
    .filter((line) => !/^\s+at .*(?:node_modules|node:|new Promise)/.test(line))
    .join('\n')
    .slice(0, MESSAGE);
}

const hasFailed = ({ rows }: Part): boolean => rows.some(({ outcome }) => outcome === 'failed');

/** The last end of each part that the report has, by file. The last line of a run that was killed may be cut. */
function reported(): ReadonlyMap<string, Part> {
  if (!existsSync(REPORT)) return new Map();
  const lines = readFileSync(REPORT, 'utf8').split('\n').slice(0, -1);
  return new Map(lines.map((line) => JSON.parse(line) as Part).map((part) => [part.file, part]));
}

/** The commit of the working tree, or nothing outside of git. */
function commit(): string {
  const git = (...args: readonly string[]): string => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' }).stdout;
  const changed = git('status', '--porcelain').trim() === '' ? '' : '+';
  return `${git('rev-parse', '--short', 'HEAD').trim()}${changed}`;
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
  for (const { what, message } of rows)
    if (message !== undefined) process.stdout.write(`\nFailed: ${what}\n${message}\n`);
}

function printPart({ file, commit, seconds, rows }: Part, which: string): void {
  const sum = rows.reduce((all, row) => all + row.tried, 0);
  const outcome = rows.some((row) => row.outcome === 'failed') ? 'FAILED' : 'passed';
  process.stdout.write(
    `${which}  ${outcome}  ${seconds.toFixed(0).padStart(5)} s  ${sum.toLocaleString('en').padStart(9)} tried  ${commit}  ${file}\n`,
  );
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { resume: { type: 'boolean' }, 'at-once': { type: 'string', default: String(availableParallelism()) } },
});
const atOnce = Number(values['at-once']);
if (!Number.isSafeInteger(atOnce) || atOnce < 1)
  throw new Error(`--at-once must be a number of parts from 1, got ${JSON.stringify(values['at-once'])}`);
const COMMIT = commit();
const place = mkdtempSync(join(tmpdir(), 'gazette-prove-'));
try {
  const files = filesWithTries(positionals);
  const before = reported();
  const ended = files.flatMap((file) => before.get(file) ?? []).filter((part) => values.resume && !hasFailed(part));
  // A run of some parts leaves what is known of the others.
  if (!values.resume && positionals.length === 0) rmSync(REPORT, { force: true });
  const kept = new Set(ended.map(({ file }) => file));
  // What has never run may take longest of all.
  const cost = (file: string): number => before.get(file)?.seconds ?? Number.MAX_VALUE;
  const left = files.filter((file) => !kept.has(file)).sort((a, b) => cost(b) - cost(a));
  for (const part of ended) printPart(part, 'before');
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let file = left.shift(); file !== undefined; file = left.shift()) {
        const part = await run(file, left.length);
        ended.push(part);
        printPart(part, `${ended.length}/${files.length}`);
      }
    }),
  );
  const rows = ended.flatMap((part) => part.rows);
  print(rows);
  const passed = rows.filter(({ outcome }) => outcome === 'passed').length;
  const failed = rows.filter(({ outcome }) => outcome === 'failed').length;
  const sum = rows.reduce((all, row) => all + row.tried, 0);
  process.stdout.write(`${sum.toLocaleString('en')} tried\n${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 && ended.length > 0 ? 0 : 1;
} finally {
  rmSync(place, { recursive: true });
}
