// `gazette webhook`, and the sender inside `gazette serve`, in processes of their own.
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifyWebhook } from '../../src/webhooks/receive/verify.ts';
import { ending, folder, gazette, start } from './run.ts';
import { letPass, until } from '../until.ts';

const KEY = '5a'.repeat(32);
const ENV = { GAZETTE_SECRETS_KEY: KEY };

interface Hook {
  readonly url: string;
  readonly received: { readonly headers: Record<string, string>; readonly body: Buffer }[];
  /** Resolves once so many have come. */
  readonly has: (count: number) => Promise<void>;
}

async function hook(status: (nth: number) => number = () => 204): Promise<Hook> {
  const received: Hook['received'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers as Record<string, string>, body: Buffer.concat(chunks) });
      response.writeHead(status(received.length)).end('PRIVATE ANSWER');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    async has(count) {
      await until(`${count} deliveries`, () => received.length >= count);
    },
  };
}

/** A store with an account that has access, and a register. */
async function makeStore(): Promise<{
  readonly path: string;
  readonly run: (...args: string[]) => Promise<{ readonly out: string; readonly said: string }>;
  readonly commit: (title: string) => Promise<unknown>;
}> {
  const path = join(await folder(), 'store.db');
  const run = async (...args: string[]): Promise<{ readonly out: string; readonly said: string }> => {
    const { code, stdout, stderr } = await gazette([...args, '--store', path], '', ENV);
    expect(code, stderr).toBe(0);
    return { out: stdout.toString(), said: stderr };
  };
  await run('register', 'add', 'permits', '--title', 'Permits');
  await run('account', 'add', 'acme', '--until', '2999-01-01');
  const commit = (title: string): Promise<unknown> => {
    const record = {
      id: '1',
      title,
      source_url: 'https://example.org/1',
      summary: 'PRO SUMMARY',
      content: 'PRO CONTENT',
    };
    return gazette(['import', 'permits', '-', '--format', 'ndjson', '--store', path], JSON.stringify(record));
  };
  return { path, run, commit };
}

interface Running {
  readonly stop: () => Promise<string>;
  /** The figures at the address that it said. */
  readonly figures: () => Promise<string>;
}

async function sender(args: readonly string[]): Promise<Running> {
  const child = start(args, ENV);
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = ending(child);
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (/sending webhooks|serving/.test(said)) resolve();
    });
    child.once('exit', (code) => {
      reject(new Error(`it ended with ${String(code)}`));
    });
  });
  return {
    figures: async () => (await fetch(/metrics on (\S+)/.exec(said)![1]!)).text(),
    async stop() {
      child.kill('SIGTERM');
      const { code, stdout, stderr } = await ended;
      expect(code, stderr).toBe(0);
      return stdout.toString() + stderr;
    },
  };
}

const DEVELOPMENT = ['--allow-private-destinations', '--base-url', 'https://example.org'];

describe('gazette webhook', () => {
  it('adds an endpoint, sends to it, tells what became of it and replays, and no file or log has the secret', async () => {
    const { path, run, commit } = await makeStore();
    const { url, received, has } = await hook((nth) => (nth === 1 ? 500 : 204));
    const added = await run('webhook', 'add', 'acme', url, '--feed', 'permits', '--allow-private-destinations');
    const secret = added.out.trimEnd();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{44}$/);
    expect(added.said).toMatch(
      /^gazette: created (ep_\w+) for account acme\ngazette: the secret is shown only this once\n$/,
    );
    const id = /ep_\w+/.exec(added.said)![0];
    await commit('First');
    const schedule = ['--webhook-schedule', '0,0.2'];
    const metrics = ['--metrics-port', '0'];
    const running = await sender(['webhook', 'run', '--store', path, ...metrics, ...schedule, ...DEVELOPMENT]);
    await has(2);
    // Counted once it is recorded.
    await until('both outcomes', async () => {
      const figures = await running.figures();
      return /outcome="acknowledged"\} 1\n.*outcome="retried"\} 1\n/.test(figures) && figures;
    });
    expect(await running.figures()).toMatch(/gazette_webhook_backlog 0\n/);
    const test = await run('webhook', 'test', id);
    await has(3);
    const next = await run('webhook', 'rotate-secret', id);
    await run('webhook', 'rotate-secret', id, '--activate');
    await commit('Second');
    await has(4);
    const log = await running.stop();
    for (const [index, { headers, body }] of received.entries()) {
      await verifyWebhook(body, headers, index < 3 ? secret : next.out.trimEnd());
    }
    const payloads = received.map(({ body }) => body.toString());
    expect(payloads[1]).toBe(payloads[0]);
    expect(JSON.parse(payloads[0]!)).toMatchObject({
      ...{ type: 'record.published', record_id: 'permits:1', title: 'First' },
      url: 'https://example.org/api/v1/records/permits:1',
    });
    expect(JSON.parse(payloads[3]!)).toMatchObject({ type: 'record.updated', title: 'Second', version: 2 });

    const listed = await run('webhook', 'deliveries', id);
    expect(listed.out.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^dlv_3 {2}\S+Z {2}record\.updated permits:1 v2 {2}acknowledged \(204\)$/),
      expect.stringMatching(/^dlv_2 {2}\S+Z {2}endpoint\.test {2}acknowledged \(204\)$/),
      expect.stringMatching(/^dlv_1 {2}\S+Z {2}record\.published permits:1 v1 {2}acknowledged \(204\)$/),
    ]);
    const shown = await run('webhook', 'deliveries', 'dlv_1', '--json');
    expect(JSON.parse(shown.out)).toMatchObject({
      attempts: 2,
      all_attempts: [
        { status: 500, response: 'PRIVATE ANSWER' },
        { status: 204, response: null },
      ],
    });
    expect((await run('webhook', 'replay', id, '--since', '2020-01-01')).said).toBe(
      'gazette: 3 deliveries will be sent again\n',
    );
    const endpoints = await run('webhook', 'list');
    expect(endpoints.out).toBe(`${id}  acme  works  ${url}  permits  all events\n`);

    const files = await Promise.all((await readdir(dirname(path))).map((name) => readFile(join(dirname(path), name))));
    expect(files.length).toBeGreaterThan(0);
    const secrets = [secret, next.out.trimEnd()].flatMap((text) => [text.slice('whsec_'.length), text, KEY]);
    const forms = secrets.flatMap((text) => [Buffer.from(text), Buffer.from(text, 'base64'), Buffer.from(text, 'hex')]);
    for (const form of forms.filter(({ length }) => length >= 16)) {
      for (const file of files) expect(file.includes(form)).toBe(false);
    }
    const told = [log, ...payloads, test.said, listed.out, shown.out, endpoints.out].join('\n');
    for (const text of [...secrets, 'PRO SUMMARY', 'PRO CONTENT']) expect(told).not.toContain(text);
  });

  it('changes an endpoint, tests it with an event of a type, replays what failed, and removes it', async () => {
    const { path, run, commit } = await makeStore();
    const { url, received, has } = await hook((nth) => (nth === 1 ? 500 : 204));
    const development = '--allow-private-destinations';
    const filters = ['facility_id=F=1', 'q=asbestos', 'facility_id=F2'].flatMap((filter) => ['--filter', filter]);
    const added = await run('webhook', 'add', 'acme', 'http://127.0.0.1:9/', development, ...filters);
    const id = /ep_\w+/.exec(added.said)![0];
    const all = '  all registers  all events  facility_id=F2  facility_id=F=1  q=asbestos\n';
    expect((await run('webhook', 'list')).out).toContain(all);
    const listed = JSON.parse((await run('webhook', 'list', '--json')).out) as unknown;
    expect(listed).toMatchObject([{ filters: { facility_id: ['F2', 'F=1'], q: ['asbestos'] } }]);
    const wrong = ['webhook', 'update', id, '--filter', 'titel=a', '--store', path];
    expect((await gazette(wrong)).stderr).toContain('filter: unknown parameter "titel"');
    const changes = ['--url', url, '--feed', 'permits', '--event', 'record.published', '--all-records', development];
    expect((await run('webhook', 'update', id, ...changes)).said).toBe(`gazette: ${id} is changed; its secret stays\n`);
    expect((await run('webhook', 'list')).out).toBe(`${id}  acme  works  ${url}  permits  record.published\n`);
    await commit('First');
    await run('webhook', 'test', id, '--event', 'record.updated');
    const running = await sender(['webhook', 'run', '--store', path, '--webhook-schedule', '0', ...DEVELOPMENT]);
    await has(2);
    await until('both are recorded', async () => !(await run('webhook', 'deliveries', id)).out.includes('pending'));
    expect((await run('webhook', 'replay', id, '--failed')).said).toBe('gazette: 1 delivery will be sent again\n');
    await has(3);
    await running.stop();
    const bodies = received.map(({ body }) => body.toString());
    expect(bodies[2]).toBe(bodies[0]);
    const invented = bodies.map((body) => (JSON.parse(body) as { readonly test?: true }).test);
    expect([...new Set(invented)].sort()).toEqual([true, undefined]);
    for (const { body, headers } of received) await verifyWebhook(body, headers, added.out.trimEnd());
    await run('webhook', 'update', id, '--standard-webhooks');
    await run('webhook', 'rotate-secret', id);
    const activated = await run('webhook', 'rotate-secret', id, '--activate', '--grace', '0.5', '--json');
    const { previous_secret_until: end, ...now } = JSON.parse(activated.out) as Record<string, unknown>;
    expect(now).toMatchObject({ standard_webhooks: true, next_secret_prepared: false });
    expect(Math.round((Date.parse(end as string) - Date.now()) / 60_000)).toBeOneOf([29, 30]);
    await run('webhook', 'rotate-secret', id);
    expect((await run('webhook', 'rotate-secret', id)).said).toContain('prepared before and not activated is void');
    expect((await run('webhook', 'remove', id)).said).toBe(`gazette: removed ${id} and its deliveries\n`);
    expect((await run('webhook', 'list')).out).toBe('');
  });

  it('encrypts the secrets with the first of two keys, which alone opens them from then on', async () => {
    const { path, run } = await makeStore();
    await run('webhook', 'add', 'acme', 'https://8.8.8.8/hook');
    const rekey = async (key: string): Promise<readonly [number | null, string]> => {
      const { code, stderr } = await gazette(['webhook', 'rekey', '--store', path], '', { GAZETTE_SECRETS_KEY: key });
      return [code, stderr];
    };
    const other = '6b'.repeat(32);
    const done = (count: string): string =>
      `gazette: encrypted ${count} again; all secrets are now under the first key\n`;
    expect(await rekey(`${other},${KEY}`)).toEqual([0, done('1 secret')]);
    expect(await rekey(other)).toEqual([0, done('0 secrets')]);
    expect(await rekey(KEY)).toEqual([1, expect.stringContaining('(invalid_secrets_key)')]);
  });

  it('refuses what cannot be, and says how to make a key', async () => {
    const { path } = await makeStore();
    const cases: readonly (readonly [exit: number, message: string, env: Record<string, string>, ...args: string[]])[] =
      [
        [1, 'Make one with `openssl rand -hex 32`', {}, 'add', 'acme', 'https://8.8.8.8/'],
        [
          1,
          'and its value is something else',
          { GAZETTE_SECRETS_KEY: 'secret-key' },
          'add',
          'acme',
          'https://8.8.8.8/',
        ],
        [1, 'a destination must be https (destination_refused)', ENV, 'add', 'acme', 'http://8.8.8.8/'],
        [
          1,
          'an address that is not public, or is denied (destination_refused)',
          ENV,
          'add',
          'acme',
          'https://[::ffff:7f00:1]/',
        ],
        [1, 'there is no account "other" (unknown_account)', ENV, 'add', 'other', 'https://8.8.8.8/'],
        [1, 'there is no register "x" (unknown_feed)', ENV, 'add', 'acme', 'https://8.8.8.8/', '--feed', 'x'],
        [2, 'event must be one of record.published', ENV, 'add', 'acme', 'https://8.8.8.8/', '--event', 'all'],
        [1, 'there is no endpoint "ep_x" (unknown_endpoint)', ENV, 'test', 'ep_x'],
        [1, 'there is no delivery "dlv_9" (unknown_delivery)', ENV, 'replay', 'dlv_9'],
        [2, 'give the id of a delivery, or an endpoint and --since or --failed (usage)', ENV, 'replay', 'ep_x'],
        [2, 'give what to change: --url, --feed, --event, --filter or --standard-webhooks', ENV, 'update', 'ep_x'],
        [2, 'give --feed or --all-feeds, not both', ENV, 'update', 'ep_x', '--feed', 'a', '--all-feeds'],
        [2, '--filter must be NAME=VALUE, got "x"', ENV, 'update', 'ep_x', '--filter', 'x'],
        [1, 'there is no endpoint "ep_x" (unknown_endpoint)', ENV, 'remove', 'ep_x'],
        [2, 'since must be a day or a date-time', ENV, 'replay', 'ep_x', '--since', 'yesterday'],
        [2, 'beginning with 0, got "5,10"', ENV, 'run', '--base-url', 'https://x.org', '--webhook-schedule', '5,10'],
        [
          2,
          '--dns-servers: a name server must be an IP address',
          ENV,
          'run',
          '--base-url',
          'https://x.org',
          '--dns-servers',
          '::1,x',
        ],
        [
          2,
          '--deny-destinations: destinations must be networks in CIDR notation',
          ENV,
          ...['add', 'acme', 'https://x.org', '--deny-destinations', '192.0.2.0/24,192.0.2.7'],
        ],
        [
          1,
          'is denied (destination_refused)',
          ENV,
          ...['add', 'acme', 'https://8.8.8.8/', '--deny-destinations', '2001:db8::/32, 8.8.8.0/24'],
        ],
        [2, 'baseUrl must be an absolute http(s) URL', ENV, 'run', '--base-url', 'x.org'],
      ];
    await Promise.all(
      cases.map(async ([exit, message, env, ...args]) => {
        const { code, stdout, stderr } = await gazette(['webhook', ...args, '--store', path], '', env);
        expect(stderr).toContain(message);
        expect(stderr).not.toContain('secret-key');
        expect([code, stdout.toString()], message).toEqual([exit, '']);
      }),
    );
  });
});

describe('gazette serve', () => {
  it.each([1, 2])('with %i processes sends each event once while it serves', async (workers) => {
    const { path, run, commit } = await makeStore();
    const { url, received, has } = await hook();
    await run('webhook', 'add', 'acme', url, '--allow-private-destinations');
    const serving = ['serve', '--store', path, '--port', '0', '--metrics-port', '0', '--workers', String(workers)];
    const running = await sender([...serving, ...DEVELOPMENT]);
    await commit('First');
    await has(1);
    await commit('Second');
    await has(2);
    await letPass(200, 'what is sent a second time would have come by now');
    const figures = await running.figures();
    for (const figure of ['gazette_http_requests_total', 'gazette_webhook_backlog 0', 'outcome="acknowledged"} 2']) {
      expect(figures).toContain(figure);
    }
    await running.stop();
    expect(received.map(({ body }) => (JSON.parse(body.toString()) as { readonly title: string }).title)).toEqual(['First', 'Second']); // prettier-ignore
  });

  it('without an address that events can name lets them wait, and says so', async () => {
    const { path } = await makeStore();
    const running = await sender(['serve', '--store', path, '--port', '0']);
    expect(await running.stop()).toContain('webhooks are not sent: they need --base-url for their links');
  });
});
