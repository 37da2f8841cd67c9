// What a run of tests came to: `node .ci/counts.ts REPORT FAILURES NAME` reads vitest's JSON report. It prints how many
// passed, failed and were skipped, and the seconds they took; and it adds each failure to the file FAILURES, by file and
// full name with the first lines of its message, because only the end of a log is kept where CI runs.
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** How much is kept of a failure's message: what was expected, and what came. */
const LINES = 12;
const COLUMNS = 300;

/** What is read of vitest's report. Times are milliseconds. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly startTime: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    /** Why the file could not be run, or nothing. */
    readonly message: string;
    readonly endTime: number;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
}

/** The beginning of a message, without the frames of a stack that are the runner's. */
function firstLines(text: string): string[] {
  return stripVTControlCharacters(text)
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s+at .*(?:node_modules|node:|new Promise)/.test(line))
    .slice(0, LINES)
    .map((line) => `    ${line.slice(0, COLUMNS)}`);
}

/** One text per failure: a test that failed, or a file of tests that could not be run. */
function failures({ testResults }: Report, run: string): string[] {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(process.cwd(), name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0 && status === 'failed') return [[`  ${run}: ${file}`, ...firstLines(message)].join('\n')];
    return failed.map(({ fullName, failureMessages }) =>
      [`  ${run}: ${file}: ${fullName.trim()}`, ...(failureMessages ?? []).flatMap(firstLines)].join('\n'),
    );
  });
}

const [reportPath, failuresPath, run] = process.argv.slice(2);
if (reportPath === undefined || failuresPath === undefined || run === undefined)
  throw new Error('usage: node .ci/counts.ts REPORT FAILURES NAME');
const report = JSON.parse(readFileSync(reportPath, 'utf8')) as Report;
appendFileSync(
  failuresPath,
  failures(report, run)
    .map((text) => `${text}\n`)
    .join(''),
);
const end = Math.max(...report.testResults.map(({ endTime }) => endTime));
process.stdout.write(
  `${[
    report.numPassedTests,
    report.numFailedTests,
    report.numPendingTests + report.numTodoTests,
    Math.round((end - report.startTime) / 1000),
  ].join(' ')}\n`,
);
