// The protocol's own conformance suite, in the release that knows 2026-07-28, for both eras. It was made for servers that
// offer everything, and tests most of it by tools of certain names that a server under test brings along. What it asks of
// a server that has its own four tools and its own resources passes; every scenario that does not apply is listed here.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type McpService, serveMcp } from './mcp-service.ts';

const SUITE = join(import.meta.dirname, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

const NO_FIXTURES = 'it calls a tool of the suite’s own (test_…), which no service of records has';
const NO_PROMPTS = 'there are no prompts';
const NO_RESOURCES = 'it reads resources of the suite’s own (test://…)';
const NO_SUBSCRIPTIONS = 'nobody is told of changes: there are no streams';
const NO_LOGGING = 'no log is sent to clients';
const NO_QUESTIONS = 'no tool asks anything back (sampling, elicitation, roots)';
const NO_TASKS = 'the extension of tasks is not offered: every call answers at once';
const NO_SESSIONS = 'it wants streams of one session, and there are neither sessions nor streams';
const NO_PARAMETER_HEADERS = 'no tool has its parameters mirrored in header fields';

/** Scenarios that do not apply, by the beginning of their names, with the reason. */
const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  'tools-call-': NO_FIXTURES,
  'json-schema-2020-12': NO_FIXTURES,
  'prompts-': NO_PROMPTS,
  'resources-read-': NO_RESOURCES,
  'resources-templates-read': NO_RESOURCES,
  'resources-subscribe': NO_SUBSCRIPTIONS,
  'resources-unsubscribe': NO_SUBSCRIPTIONS,
  'logging-set-level': NO_LOGGING,
  'completion-complete': NO_PROMPTS,
  'elicitation-': NO_QUESTIONS,
  'input-required-result-': NO_QUESTIONS,
  'tasks-': NO_TASKS,
  'http-custom-header-server-validation': NO_PARAMETER_HEADERS,
};

/** Checks that do not apply, of scenarios that otherwise do. */
const NOT_APPLICABLE_CHECKS: Readonly<Record<string, string>> = {
  'server-sse-multiple-streams-session': NO_SESSIONS,
  'server-sse-polling-session': NO_SESSIONS,
  'sep-2575-server-rejects-undeclared-capability': NO_FIXTURES,
  'sep-2575-missing-capability-http-400': NO_FIXTURES,
  'sep-2575-http-server-no-independent-requests-on-stream': NO_FIXTURES,
  'sep-2575-server-no-log-without-loglevel': NO_FIXTURES,
  'sep-2549-prompts-list-caching-hints': NO_PROMPTS,
};

/** Scenarios that do apply, in each era. */
const APPLICABLE: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': [
    ...['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection'],
    ...['server-session-lifecycle', 'server-sse-multiple-streams', 'server-sse-polling'],
  ],
  '2026-07-28': [
    ...['server-stateless', 'tools-list', 'dns-rebinding-protection', 'caching', 'http-header-validation'],
    ...['server-sse-multiple-streams', 'resources-list', 'sep-2164-resource-not-found'],
  ],
};

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

let service: McpService;
let folder: string;
beforeAll(async () => {
  service = await serveMcp();
  folder = await mkdtemp(join(tmpdir(), 'gazette-mcp-'));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

/** Runs the suite; what it found, by scenario. It fails as a whole where anything does, which is for us to judge. */
async function judge(revision: string): Promise<ReadonlyMap<string, readonly Check[]>> {
  const out = await mkdtemp(join(folder, `${revision}-`));
  const args = [SUITE, 'server', '--url', service.url, '--requirements', revision, '-o', out];
  await new Promise<void>((resolve) => {
    execFile(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 }, () => {
      resolve();
    });
  });
  const found = await Promise.all(
    (await readdir(out)).map(async (name) => {
      const checks = JSON.parse(await readFile(join(out, name, 'checks.json'), 'utf8')) as Check[];
      return [name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, ''), checks] as const;
    }),
  );
  return new Map(found);
}

const reasonFor = (scenario: string): string | undefined =>
  Object.entries(NOT_APPLICABLE).find(([beginning]) => scenario.startsWith(beginning))?.[1];

describe.each(['2025-11-25', '2026-07-28'])('the conformance suite for %s', (revision) => {
  let found: ReadonlyMap<string, readonly Check[]>;
  beforeAll(async () => {
    found = await judge(revision);
  });

  it('has nothing to say against any scenario that applies', () => {
    const applicable = [...found.keys()].filter((scenario) => reasonFor(scenario) === undefined);
    expect(applicable.sort()).toEqual([...APPLICABLE[revision]!].sort());
    for (const scenario of applicable) {
      const against = found
        .get(scenario)!
        .filter(({ status, id }) => ['FAILURE', 'WARNING'].includes(status) && !(id in NOT_APPLICABLE_CHECKS));
      expect([scenario, against.map(({ id, errorMessage }) => [id, errorMessage])]).toEqual([scenario, []]);
    }
  });

  it('finds every message it received as the schema wants it, also where the scenario does not apply', () => {
    const checks = [...found.values()].flat().filter(({ id }) => id === 'wire-schema-valid');
    expect(checks.length).toBeGreaterThan(20);
    expect(checks.filter(({ status }) => status !== 'SUCCESS')).toEqual([]);
  });
});

describe('the lists of what does not apply', () => {
  it('hold nothing that would pass', async () => {
    const found = [...(await judge('2025-11-25')), ...(await judge('2026-07-28'))];
    const isAgainst = ({ status }: Check): boolean => status === 'FAILURE' || status === 'WARNING';
    for (const beginning of Object.keys(NOT_APPLICABLE)) {
      const failing = found.filter(([scenario, checks]) => scenario.startsWith(beginning) && checks.some(isAgainst));
      expect([beginning, failing.length]).not.toEqual([beginning, 0]);
    }
    const against = new Set(found.flatMap(([, checks]) => checks.filter(isAgainst).map(({ id }) => id)));
    for (const id of Object.keys(NOT_APPLICABLE_CHECKS)) expect([id, against.has(id)]).toEqual([id, true]);
  });
});
