// The commands of README.md and docs/, run as a reader would: those of a page one after the other, in one folder, with the
// files they name. A block that starts the service leaves it running to the end of its page.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readWorkbook } from '../contracts/xlsx-reader.ts';
import { digestApiKey } from '../../src/access/api-key.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { verifyWebhook } from '../../src/webhooks/receive/verify.ts';
import { folder, GAZETTE } from '../cli/run.ts';
import { makeStore, serve } from '../cli/served.ts';
import { readRssWithSaxes } from '../contracts/feed-entries.ts';
import { validateXsd } from '../contracts/xsd-validator.ts';
import { until } from '../until.ts';
import { commands } from './blocks.ts';
import { freePort } from './free-port.ts';
import { stopServer } from './server-process.ts';

const run = promisify(execFile);
const CHECKOUT = join(import.meta.dirname, '../..');

/** Blocks that install and serve for real: CI runs the one, and test/fixtures/serve.heavy.test.ts what the other starts. */
const OF_THE_CHECKOUT = ['npm ci && npm start\n', 'npm ci && npm test\n'];

const NOTICES = [
  { id: '1', title: 'First', source_url: 'https://exampleton.example/1', observed_at: '2026-01-01', fee: 1.5 },
  { id: '2', title: 'Second', source_url: 'https://exampleton.example/2', observed_at: '2026-01-02', fee: 2 },
];
const NDJSON = NOTICES.map((notice) => `${JSON.stringify(notice)}\n`).join('');
const DECISIONS = JSON.stringify({ result: { items: [{ number: '7/2026', name: 'Ford', fee: 12.5 }] } });
const DECISIONS_CSV =
  'Number;Subject;Date;Fee\n7/2026;Ford;17.4.2026;1.250,50\n8/2026;Weir;20.4.2026;80,00\n;;;1.330,50\n';
const VULNERABILITIES = JSON.stringify({
  vulnerabilities: ['2026-01-02', '2026-01-01'].map((dateAdded, index) => ({
    cveID: `CVE-2026-000${1 - index}`,
    vulnerabilityName: 'A',
    shortDescription: 'B',
    dateAdded,
  })),
});
const REGISTER_KEV = "gazette register add kev --title 'Vulnerabilities' --authority cisa.gov,2025\n";
const ACCOUNT = 'gazette account add acme --until 2030-12-31\n';
const IMPORT_KEV = 'gazette import kev notices.ndjson\n';
const KEV = { files: { 'notices.ndjson': NDJSON }, before: REGISTER_KEV + IMPORT_KEV };

/** What a page's commands find, and what they have to leave behind. */
interface Story {
  readonly files?: Readonly<Record<string, string>>;
  /** Commands of earlier pages. */
  readonly before?: string;
  /** The service that the page asks, where it starts none itself. Returns its origin. */
  readonly service?: (at: string) => Promise<string>;
  /** What stands in the place of https://hooks.example.org. Default: an address outside, which nothing is sent to. */
  readonly receiver?: () => Promise<Receiver>;
  readonly check: (told: Told) => Promise<void>;
}

/** A delivery as it came. */
interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Where deliveries come to, and those that came. */
interface Receiver {
  readonly origin: string;
  readonly received: readonly Received[];
}

/** What a page's commands told: each block's standard output, and all of standard error. */
interface Told {
  readonly at: string;
  /** The service that the page started, or asks. */
  readonly origin: string;
  readonly received: readonly Received[];
  readonly outputs: readonly string[];
  readonly errors: string;
}

const STORIES: Readonly<Record<string, Story>> = {
  'README.md': {
    files: {
      'decisions.csv': DECISIONS_CSV,
      'decisions.json': DECISIONS,
      'known_exploited_vulnerabilities.json': VULNERABILITIES,
    },
    async check({ at, outputs }) {
      await expectWorkbook(at);
      await expectVulnerabilities(at, outputs[2]!);
      expect(outputs[3]).toMatch(/^whole: tier public, 2 registers, 4 records, \d+ files$/m);
      await expectKey(join(at, 'gazette.db'), join(at, 'acme.key'));
    },
  },
  'docs/agents.md': {
    ...KEV,
    service: serveFolder,
    async check({ outputs }) {
      const { result } = JSON.parse(outputs[0]!) as { result: { structuredContent: object } };
      expect(result.structuredContent).toMatchObject({
        columns: ['id', 'title', 'source_url', 'observed_at'],
        rows: [
          ['kev:2', 'Second', 'https://exampleton.example/2', '2026-01-02'],
          ['kev:1', 'First', 'https://exampleton.example/1', '2026-01-01'],
        ],
      });
    },
  },
  'docs/command-line.md': {
    files: { 'decisions.json': DECISIONS, 'notices.ndjson': NDJSON },
    async check({ at, errors }) {
      await expectWorkbook(at);
      expect(errors).toBe('');
      const entries = readRssWithSaxes(await readFile(join(at, 'notices.rss')));
      expect(entries.map(({ title }) => title)).toEqual(['Second', 'First']);
      const args = [GAZETTE, 'export', '-', '--format', 'xml', '--input', join(at, 'notices.ndjson')];
      const { stdout: xml } = await run(process.execPath, args);
      validateXsd(await readFile(join(at, 'notices.xsd'), 'utf8'), [Buffer.from(xml)]);
    },
  },
  'docs/configure.md': {
    async check({ at, outputs }) {
      expect(outputs[0]).toMatch(/^permits +0 records +Permits of Exampleton$/m);
      expect(await readdir(at)).toContain('registers.db');
    },
  },
  'docs/desk.md': {
    before: 'gazette register add permits --title Permits\n',
    async check({ origin, outputs }) {
      expect(outputs[1]).toMatch(/^anna +edit +all registers +anna@example\.org\nben +review +permits +/);
      const { pathname } = new URL(outputs[3]!.trim());
      expect(await (await fetch(origin + pathname)).text()).toContain('<strong>anna</strong>');
      expect(outputs.at(-1)!.match(/editor_\w+/g)).toEqual([
        ...['editor_removed', 'editor_changed', 'editor_added', 'editor_added'],
      ]);
    },
  },
  'docs/find.md': {
    before: REGISTER_KEV,
    service: serveFolder,
    async check({ outputs }) {
      const [, asked, figures, exported] = outputs;
      expect(asked).toContain('"key":"2"');
      expect(asked).not.toContain('"key":"1"');
      expect(asked!.match(/<entry>/g)).toHaveLength(2);
      expect(asked).toContain('{"value":"BE","records":1}');
      const counted = figures!.trim().split(/(?<=\})\s*(?=\{"feed_id")/);
      expect(counted.map((answer) => (JSON.parse(answer) as { groups: readonly object[] }).groups)).toMatchObject([
        [{ group: ['BE'] }, { group: ['NL'] }],
        [
          { group: ['BE', '2026'], value: '90.5' },
          { group: ['NL', '2026'], value: '1200' },
        ],
        [{ value: '2026-03-05', record_ids: ['sites:2'] }],
      ]);
      const [header, ...lines] = exported!.trimEnd().split('\r\n');
      expect(header).toContain('inspected');
      expect(lines).toEqual([expect.stringContaining(',Old mill,'), expect.stringContaining('"title":"Old mill"')]);
    },
  },
  'docs/first-day.md': {
    files: { 'decisions.csv': DECISIONS_CSV, 'decisions-2.csv': DECISIONS_CSV.replace('Ford', 'Old ford') },
    async check({ at, outputs, errors }) {
      expect(outputs[0]).toMatch(/^decisions +2 records +Decisions of Exampleton$/m);
      expect(outputs[2]).toContain('decisions: added 0, changed 1, unchanged 1,');
      expect(errors).toContain('refused 1 record');
      const args = [GAZETTE, 'record', 'show', 'decisions:7~2F2026', '--json'];
      const { stdout } = await run(process.execPath, args, { cwd: at });
      expect(JSON.parse(stdout)).toMatchObject({
        record: { source_url: 'https://exampleton.example/decisions/7/2026', data: { fee: 1250.5 } },
      });
    },
  },
  'docs/import.md': {
    files: {
      'known_exploited_vulnerabilities.json': VULNERABILITIES,
      'birds.csv': 'species,seen\nOwl,3\nOwl,3\nKite,1\n',
    },
    async check({ at, outputs }) {
      await expectVulnerabilities(at, outputs[0]!);
      expect(outputs[4]).toMatch(/^title: changes in 2 records\n {2}kev:CVE-2026-0001: "A" → "A \(CVE-2026-0001\)"$/m);
      expect(outputs[5]).toMatch(/ undo of 2 .* changed 2$/m);
      expect(outputs[5]).toMatch(/^title +A$/m);
      expect(outputs[5]).toMatch(/^version 3 .* extraction_correction \(takes import 2 back\) .*title$/m);
      expect(outputs[6]).toMatch(/ by hand \(kev:CVE-2026-0000\) +changed 1$/m);
      expect(outputs[7]).toMatch(/ new keys \(keys\.csv\) +changed 1$/m);
      expect(outputs.at(-1)).toContain('counts: added 3,');
    },
  },
  'docs/install.md': {
    files: { 'notices.ndjson': NDJSON },
    async check({ at }) {
      const rows = parse<{ title: string }>(await readFile(join(at, 'notices.csv')), { columns: true });
      expect(rows.map(({ title }) => title)).toEqual(['First', 'Second']);
    },
  },
  'docs/mirror.md': {
    async service(at) {
      const { path, key } = await makeStore(150);
      await writeFile(join(at, 'acme.key'), key);
      return new URL((await serve(path)).api).origin;
    },
    async check({ at }) {
      expect(parse(await readFile(join(at, 'permits.csv')))).toHaveLength(151);
      expect((await readFile(join(at, 'permits.ndjson'), 'utf8')).trimEnd().split('\n')).toHaveLength(150);
    },
  },
  'docs/operate.md': {
    ...KEV,
    async check({ at, outputs }) {
      expect(outputs[0]).toMatch(/^key_\S+ +\S+ +active .*\nkey_\S+ +\S+ +rotated /);
      expect(outputs[1]).toMatch(/^http\S+\/sign-in\/\S+\n$/);
      await expectKey(join(at, 'gazette-copy.db'), join(at, 'acme-new.key'), '2031');
      const args = [GAZETTE, 'record', 'show', 'kev:1', '--json', '--store', join(at, 'gazette-copy.db')];
      expect(JSON.parse((await run(process.execPath, args)).stdout)).toMatchObject({ record: { title: 'First' } });
    },
  },
  'docs/publish.md': {
    files: { 'bylaws.ndjson': NDJSON },
    async check({ at, outputs }) {
      expect(outputs[0]).toMatch(/^whole: tier public, 1 register, 2 records, \d+ files$/m);
      const { records } = JSON.parse(await readFile(join(at, 'site/bylaws/index.json'), 'utf8')) as {
        readonly records: readonly { readonly title: string }[];
      };
      expect(records.map(({ title }) => title)).toEqual(['Second', 'First']);
    },
  },
  'docs/sell.md': {
    files: {
      'kev.csv': `number,title,date,text\n${[1, 2, 3, 4, 5]
        .map((n) => `CVE-2026-000${n},Flaw No. ${n},2026-01-0${n},The text of flaw ${n} in full\n`)
        .join('')}`,
    },
    before: 'gazette init kev.csv --yes --no-serve --language en --access tiered\n',
    async check({ outputs, errors }) {
      const [record, ...ledger] = outputs[1]!.split(/\n?(?=^\d+ )/m);
      expect(JSON.parse(record!)).toMatchObject({ data: { text: 'The text of flaw 1 in full' } });
      expect(ledger.join('\n')).toMatch(/charge +agent +2\.00 EUR +kev:CVE-2026-0001 v1/);
      expect(errors).toContain('credit of 50.00 EUR for agent');
    },
  },
  'docs/serve.md': {
    files: {
      'notices.ndjson': `${NDJSON}${JSON.stringify({ ...NOTICES[0], id: 'CVE-2026-0001', observed_at: '2026-01-03', title: 'Third' })}\n`,
    },
    before: `${REGISTER_KEV}${IMPORT_KEV}`,
    async check({ at, origin, outputs }) {
      await expectKey(join(at, 'gazette.db'), join(at, 'acme.key'));
      const titles = (answer: unknown): unknown =>
        (answer as { records: readonly { title: string }[] }).records.map(({ title }) => title);
      expect(titles(JSON.parse(outputs[2]!))).toEqual(['Third', 'Second', 'First']);
      expect(titles(JSON.parse(outputs[3]!))).toEqual(['Third']);
      // Since the last line of the page everybody reads everything.
      const answer = (await (await fetch(`${origin}/api/v1/feeds/kev/records?limit=2`)).json()) as object;
      expect(answer).toMatchObject({ tier: 'open', next_offset: 2 });
      expect(titles(answer)).toEqual(['Third', 'Second']);
    },
  },
  'docs/webhooks-out.md': {
    files: { 'notices.ndjson': NDJSON },
    before: `export GAZETTE_ALLOW_PRIVATE_DESTINATIONS=true\n${REGISTER_KEV}${ACCOUNT}`,
    receiver: startReceiver,
    async check({ at, outputs, received }) {
      const secret = (await readFile(join(at, 'acme.secret'), 'utf8')).trim();
      expect(outputs[0]).toContain('kev');
      const args = [GAZETTE, 'import', 'kev', join(at, 'notices.ndjson'), '--store', join(at, 'gazette.db')];
      await run(process.execPath, args);
      await until('both events to arrive', () => received.length === 2);
      const events = await Promise.all(received.map(({ body, headers }) => verifyWebhook(body, headers, secret)));
      expect(events.map((event) => [event.type, 'record_id' in event && event.record_id]).sort()).toEqual([
        ['record.published', 'kev:1'],
        ['record.published', 'kev:2'],
      ]);
    },
  },
};

describe('the commands of', () => {
  it.each(Object.entries(STORIES))('%s do what the page says', async (page, story) => {
    const { files = {}, before, service, receiver, check } = story;
    const at = await folder();
    for (const [name, text] of Object.entries(files)) await writeFile(join(at, name), text);
    const { origin: hooks, received = [] } = (await receiver?.()) ?? { origin: 'https://93.184.215.14' }; // needs no look-up
    const shell = await Shell.open(at, hooks);
    if (before !== undefined) await shell.run(before);
    const origin = await service?.(at);
    const outputs: string[] = [];
    for (const block of commands(page).filter((code) => !OF_THE_CHECKOUT.includes(code))) {
      outputs.push(await shell.run(block, origin));
    }
    await check({ at, origin: origin ?? shell.origin, received, outputs, errors: shell.errors });
  });
});

/** A shell that knows `gazette`, keeps the variables of earlier blocks, and starts services on a port of its own. */
class Shell {
  errors = '';
  readonly #at: string;
  readonly #hooks: string;
  readonly #port: number;
  readonly #env: NodeJS.ProcessEnv;
  readonly #variables: string;
  #server: ChildProcess | null = null;

  private constructor(at: string, hooks: string, port: number, env: NodeJS.ProcessEnv, variables: string) {
    this.#at = at;
    this.#variables = variables;
    this.#hooks = hooks;
    this.#port = port;
    this.#env = env;
  }

  /** Where it starts services. */
  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  static async open(at: string, hooks: string): Promise<Shell> {
    const bin = await folder();
    // With the flag that long jobs would start themselves again for.
    const node = `'${process.execPath}' --max-semi-space-size=8`;
    await writeFile(join(bin, 'gazette'), `#!/bin/sh\nexec ${node} '${GAZETTE}' "$@"\n`);
    await chmod(join(bin, 'gazette'), 0o755);
    // What npm told this test is not for the npm that a page starts, nor are the tests' own variables.
    const own = Object.entries(process.env).filter(([name]) => !/^npm_|^INIT_CWD$|^GAZETTE_/i.test(name));
    const env = { ...Object.fromEntries(own), PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` };
    const shell = new Shell(at, hooks, await freePort(), env, join(bin, 'variables'));
    onTestFinished(() => shell.#stop());
    return shell;
  }

  /** Runs a block to its end; `gazette serve` as its last line is left running. Returns standard output. */
  async run(block: string, service = this.origin): Promise<string> {
    const code = block
      .replaceAll('http://127.0.0.1:8080', service)
      .replaceAll('https://registers.example.org/api', `${service}/api`)
      .replaceAll('8080', String(this.#port))
      .replaceAll('https://hooks.example.org', this.#hooks)
      .replaceAll('--prefix ../gazette', `--prefix '${CHECKOUT}'`);
    const [commands = '', options] = code.split(/^gazette serve\b/m);
    const kept = `${this.#restore}${commands}\nexport -p >'${this.#variables}'\n`;
    const { stdout, stderr } = await run('sh', ['-ec', kept], { cwd: this.#at, env: this.#env });
    this.errors += stderr;
    if (options !== undefined) await this.#serve(options);
    return stdout;
  }

  /** Sets the variables of earlier blocks, as the shell of a reader keeps them. */
  get #restore(): string {
    return existsSync(this.#variables) ? `. '${this.#variables}'\n` : '';
  }

  async #serve(options: string): Promise<void> {
    await this.#stop();
    // A page that names no port means 8080.
    const command = `${this.#restore}exec gazette serve --port ${this.#port}${options}`;
    this.#server = spawn('sh', ['-ec', command], {
      cwd: this.#at,
      env: this.#env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    this.#server.stderr!.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const server = this.#server;
    await until('the service to serve', () => {
      if (server.exitCode !== null) throw new Error(`gazette serve${options.trimEnd()} ended: ${said}`);
      return /serving .* on http/.test(said);
    });
  }

  async #stop(): Promise<void> {
    if (this.#server !== null) await stopServer(this.#server);
  }
}

/** The service over the folder's store. */
async function serveFolder(at: string): Promise<string> {
  return new URL((await serve(join(at, 'gazette.db'))).api).origin;
}

/** A receiver of webhooks on a port of its own. */
async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      received.push({ headers: request.headers, body });
      response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

async function expectWorkbook(at: string): Promise<void> {
  const [names, ...rows] = readWorkbook(await readFile(join(at, 'decisions.xlsx'))).sheets[0]!.rows;
  const records = rows.map((row) =>
    Object.fromEntries(
      [...row].map(([letters, { value }]): [string, unknown] => [`${names!.get(letters)!.value}`, value]),
    ),
  );
  expect(records).toMatchObject([
    { id: 'records:7~2F2026', title: 'Ford', source_url: 'https://exampleton.example/decisions/7%2F2026', fee: 12.5 },
  ]);
}

async function expectVulnerabilities(at: string, output: string): Promise<void> {
  expect(output).toContain('kev: added 2, changed 0, unchanged 0, withdrawn 0, restored 0, refused 0\n');
  const rows = parse<{ id: string; title: string }>(await readFile(join(at, 'kev.csv')), { columns: true });
  expect(rows.map(({ id }) => id)).toEqual(['kev:CVE-2026-0001', 'kev:CVE-2026-0000']);
}

async function expectKey(path: string, keyFile: string, year = '2030'): Promise<void> {
  const store = SqliteStore.open(path);
  const found = await store.accounts.findKey(digestApiKey((await readFile(keyFile, 'utf8')).trim()));
  await store.close();
  expect([found?.account.id, found?.account.accessUntil]).toEqual(['acme', `${year}-12-31T23:59:59.999Z`]);
}
