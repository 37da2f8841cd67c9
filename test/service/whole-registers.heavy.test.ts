// Whole registers of `gazette serve`, in a process of its own: the bytes of `gazette export` in a memory that does not grow with
// them, cut anywhere and noticed, and pages that are answered while as many are sent as may be. A million records at the whole effort.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// Node's own sender would end this process where a body is cut that is not yet read (nodejs/undici#5360).
import { Agent, setGlobalDispatcher } from 'undici';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Accounts } from '../../src/operate/accounts.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { toPublishedRecord } from '../../src/stores/rows/published-record.ts';
import { serve } from '../cli/served.ts';
import { start } from '../cli/run.ts';
import { SAMPLE_DEFINITION, sampleRecord } from '../contracts/sample-register.ts';
import { measured, tried, tries } from '../effort.ts';

setGlobalDispatcher(new Agent());

const RECORDS = tries(50_000, 1_000_000);

/** Records in a batch. */
const BATCH = 5000;

/** What a document may add to the memory of a process, in MiB, however long it is: 140 to 250 were seen, from the first tenth of a million on. */
const ADDED_MIB = 300;

let folder: string;
let path: string;
/** One key for each account. */
const keys: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  path = join(folder, 'gazette.db');
  const store = SqliteStore.open(path);
  await store.createRegister(SAMPLE_DEFINITION);
  for (let first = 1; first <= RECORDS; first += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, index) => toPublishedRecord(sampleRecord(first + index), true));
    await store.apply('permits', batch, { recordedAt: '2026-10-01T10:00:00Z' });
  }
  const accounts = new Accounts(store, { product: 'gazette' });
  for (const name of ['one', 'two', 'three', 'pages']) {
    await accounts.add(name, '2999-01-01T00:00:00Z');
    keys.push((await accounts.createKey(name)).key);
  }
  await store.close();
});
afterAll(() => rm(folder, { recursive: true }));

async function digestOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}

/** The most memory that a process ever had, in MiB; 0 where the system does not say it. */
function peakOf(pid: number): number {
  if (process.platform !== 'linux') return 0;
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}

const asking = (key: string): RequestInit => ({ headers: { authorization: `Bearer ${key}` } });

/** How long each of so many pages took that were asked for one after the other, in milliseconds. */
async function pageTimes(api: string, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let page = 0; page < count; page++) {
    const begunAt = performance.now();
    const response = await fetch(`${api}/feeds/permits/records?limit=50&offset=${page * 50}`, asking(keys[3]!));
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    times.push(performance.now() - begunAt);
  }
  return times;
}

function p99(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1]!;
}

/** A program that downloads from an address without a pause, twice at once for each key, and says when it has begun. */
const DOWNLOADING = `
const [address, ...keys] = process.argv.slice(1);
const download = (key) =>
  require('node:http').get(address, { agent: false, headers: { authorization: 'Bearer ' + key } }, (answer) => {
    answer.once('data', () => console.log('begun')).resume().once('close', () => setTimeout(download, 10, key));
  });
for (const key of [...keys, ...keys]) download(key);
`;

describe('a whole register of gazette serve', () => {
  it.each(['csv', 'ndjson', 'xml', 'xlsx'])(
    'is in %s what gazette export writes, in constant memory',
    async (format) => {
      // A busy machine collects garbage late: the least of three processes is what a document takes.
      let added = Infinity;
      for (let times = 0; times < 3 && added >= ADDED_MIB; times++) {
        const { api, child } = await serve(path);
        await (await fetch(`${api}/feeds/permits/records`, asking(keys[0]!))).arrayBuffer();
        const before = peakOf(child.pid!);
        const address = `${api}/feeds/permits/register.${format}`;
        const response = await fetch(address, asking(keys[0]!));
        expect(response.status).toBe(200);
        const digest = await digestOf(response.body!);
        const links = [
          '--self',
          address,
          ...(format === 'xml' ? ['--schema-location', `${api}/feeds/permits/register.xsd`] : []),
        ];
        const options = ['xml', 'xlsx'].includes(format) ? links : [];
        const exporting = start(['export', 'permits', '--store', path, '--format', format, ...options]);
        expect(digest).toBe(await digestOf(exporting.stdout));
        added = peakOf(child.pid!) - before;
      }
      expect(added).toBeLessThan(ADDED_MIB);
      tried(RECORDS);
    },
  );

  it('fails for a reader wherever it is cut', async () => {
    const { api } = await serve(path);
    const { port } = new URL(api);
    let cutAt = Infinity;
    /** How many connections were cut. */
    const cuts: number[] = [];
    let length = 0;
    let firstPart = 0;
    const proxy = createServer((reader) => {
      const service = connect(Number(port), '127.0.0.1');
      // Of this connection alone: one that was cut may still have bytes on the way when the next begins.
      const at = cutAt;
      let passed = 0;
      reader.pipe(service);
      for (const socket of [reader, service]) {
        socket.on('error', () => undefined);
        socket.on('close', () => (reader.destroy(), service.destroy()));
      }
      service.on('data', (chunk: Buffer) => {
        if (passed > at) return;
        reader.write(chunk.subarray(0, at - passed));
        if (passed === 0) firstPart = chunk.length;
        passed += chunk.length;
        if (at === Infinity) length = passed;
        if (passed <= at) return;
        cuts.push(at);
        reader.end();
      });
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    onTestFinished(() => void proxy.close());
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/api/v1/feeds/permits/register.csv`;
    for (const coding of ['identity', 'gzip', 'zstd']) {
      const headers = { authorization: `Bearer ${keys[0]!}`, 'accept-encoding': coding, connection: 'close' };
      const download = async (): Promise<unknown> => digestOf((await fetch(address, { headers })).body!);
      cutAt = Infinity;
      await download();
      const whole = length;
      // Also before everything, and where one part of what comes ends.
      const places = [0, firstPart, ...Array.from({ length: tries(5, 200) }, () => Math.floor(Math.random() * whole))];
      for (const at of places) {
        cutAt = at;
        cuts.length = 0;
        const outcome = await download().then(
          () => 'whole',
          () => 'failed',
        );
        // Where chunks are divided otherwise, the same document is some bytes shorter: the last ones may lack.
        expect(outcome, `cut behind ${at} of ${whole} bytes, ${coding}`).toBe(cuts.length > 0 ? 'failed' : 'whole');
        tried(cuts.length);
      }
    }
  });

  it('is refused to those for whom there is no place, while pages are answered', async () => {
    const { api } = await serve(path, '--limit-key', '100000/60');
    const pages = tries(200, 2000);
    const alone = await pageTimes(api, pages);
    const stop = new AbortController();
    const asked = Array.from({ length: 200 }, (_, at) =>
      fetch(`${api}/feeds/permits/register.csv`, { ...asking(keys[at % 3]!), signal: stop.signal }),
    );
    const responses = await Promise.all(asked);
    const refused = responses.filter(({ status }) => status === 503);
    expect([responses.filter(({ status }) => status === 200).length, refused.length]).toEqual([4, 196]);
    for (const response of refused) {
      expect(response.headers.get('retry-after')).toBe('30');
      expect(await response.json()).toMatchObject({ code: 'too_many_downloads' });
    }
    stop.abort();
    // In another process: what it reads would hold up the clock here.
    const downloads = spawn(process.execPath, [
      '-e',
      DOWNLOADING,
      `${api}/feeds/permits/register.csv`,
      ...keys.slice(0, 2),
    ]);
    onTestFinished(() => void downloads.kill());
    await once(downloads.stdout, 'data');
    const meanwhile = await pageTimes(api, pages);
    const [short, long] = [p99(alone), p99(meanwhile)];
    const times = `${(long / short).toFixed(1)} times as long at the 99th percentile as the ${short.toFixed(1)} ms without`;
    measured(`a page while four registers are downloaded (${times})`, meanwhile);
    tried(pages);
  });

  it('is broken off when the service stops, and its reader notices', async () => {
    const { api, child, ended } = await serve(path);
    const reader = connect(Number(new URL(api).port), '127.0.0.1');
    const head = ['Host: localhost', `Authorization: Bearer ${keys[0]!}`, '', ''];
    reader.write(`GET /api/v1/feeds/permits/register.xml HTTP/1.1\r\n${head.join('\r\n')}`);
    const [first] = (await once(reader, 'data')) as [Buffer];
    expect(first.toString('latin1')).toMatch(/^HTTP\/1\.1 200 /);
    reader.pause();
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
    let last: Buffer = Buffer.alloc(0);
    reader.on('error', () => undefined);
    reader.on('data', (chunk: Buffer) => (last = chunk));
    reader.resume();
    await new Promise((resolve) => reader.once('close', resolve));
    // The last chunk of a body (RFC 9112 7.1).
    expect(last.subarray(-5).toString()).not.toBe('0\r\n\r\n');
  });
});
