// Proved copies: the file is what was signed, or there is none, whatever somebody does to the answers or the register.
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isGazetteError } from '../../../../src/errors.ts';
import type { PullOptions, PullResult } from '../../../../src/mirror/index.ts';
import { toPublishedRecord } from '../../../../src/stores/rows/published-record.ts';
import { formatVerifierKey, signerOf } from '../../../../src/wings/proofs/tlog/keys.ts';
import { cosignLogOfLogs, sign, signLogOfLogs } from '../signing.ts';
import { SAMPLE_DEFINITION, sampleRecord } from '../../../contracts/sample-register.ts';
import { addSamples } from '../../../world.ts';
import { by, copyOf, type Listed, outputFile, WAYS } from './copying.ts';
import { type Answered, type Answers, forged, idOf, live, pageOf, type Watched, watchedService } from './tampered.ts';
import { logsOf } from '../logs-of.ts';

let watched: Watched;
let truth: string;
let way: (typeof WAYS)[number] = 'pages';
beforeAll(async () => {
  watched = await watchedService();
  const output = await outputFile();
  await copy(watched.answers, output);
  truth = await readFile(output, 'utf8');
});

/** Copies what these answers say of the register, unless another key is given. */
const copy = (answers: Answers, output: string, more: Partial<PullOptions> = {}): Promise<PullResult> =>
  copyOf(watched, by(way, answers), output, more);

/** Describes it by either way. */
const describeBoth = (title: string, tests: () => void): void => {
  describe.each(WAYS)(`${title}: by %s`, (each) => {
    beforeEach(() => {
      way = each;
    });
    tests();
  });
};

/** Changes the records of every page of the list. */
const listing =
  (change: (records: Listed[]) => Listed[], answers: Answers = watched.answers): Answers =>
  async (path) => {
    const answer = await answers(path);
    if (!path.startsWith('/records?')) return answer;
    const body = JSON.parse(String(answer.body)) as { records: Listed[] };
    if (Array.isArray(body.records)) body.records = change(body.records);
    return { ...answer, body: Buffer.from(JSON.stringify(body)) };
  };

const changing = (position: number, change: (record: Listed) => void): Answers =>
  listing((records) => {
    for (const record of records) if (record.position === position) change(record);
    return records;
  });

const AFTER = { recordedAt: '2026-10-03T10:00:00Z' };
const origin = (): string => watched.vkey.slice(0, watched.vkey.indexOf('+'));

describeBoth('a proved copy', () => {
  it('has every record with what a log can prove, and keeps the checkpoint for the next time', async () => {
    const output = await outputFile();
    const result = await copy(watched.answers, output);
    expect(result).toEqual({ asOf: 330, records: 329, withdrawn: 1, provedTo: watched.versions.length, listing: null });
    const response = await watched.service.pro('/feeds/permits/records?limit=100');
    const { records } = (await response.json()) as { readonly records: readonly object[] };
    const lines = truth.trimEnd().split('\n');
    expect(lines.slice(0, 100).map((line) => JSON.parse(line) as unknown)).toEqual(records);
    expect(truth).not.toContain(idOf(7));
    expect(await readFile(output, 'utf8')).toBe(truth);
    expect((await readdir(join(output, '..'))).sort()).toEqual(['copy', 'copy.note']);
    expect(await readFile(`${output}.note`, 'utf8')).toBe(
      (await logsOf(watched.service.store).of('permits')).checkpoint,
    );
    await expect(copy(watched.answers, output)).resolves.toEqual(result);
  });

  it('has nothing that no log can prove', async () => {
    const output = await outputFile();
    await copy(
      listing((records) => records.map((record) => ({ ...record, history_url: 'https://example.org' }))),
      output,
    );
    expect(await readFile(output, 'utf8')).toBe(truth);
  });

  it('goes on where it was interrupted, with the checkpoint of its beginning, and not without a proof', async () => {
    const output = await outputFile();
    const broken: Answers = (path) =>
      path.includes('offset=200') ? Promise.resolve({ status: 403, body: Buffer.from('{}') }) : watched.answers(path);
    await expect(copy(broken, output)).rejects.toMatchObject({ code: 'request_refused' });
    const without = copy(watched.answers, output, { resume: true, prove: undefined! });
    await expect(without).rejects.toMatchObject({ code: 'usage' });
    await expect(copy(watched.answers, output, { resume: true })).resolves.toMatchObject({ records: 329 });
    expect(await readFile(output, 'utf8')).toBe(truth);
  });

  it('is of NDJSON alone', async () => {
    const refused = copy(watched.answers, await outputFile(), { format: 'csv' });
    await expect(refused).rejects.toMatchObject({ code: 'usage' });
  });

  it('waits until what it received is signed', async () => {
    const other = await watchedService();
    const { store } = other.service;
    const output = await outputFile();
    let heads = 0;
    const answers: Answers = async (path) => {
      const isHead = path.endsWith('/checkpoint');
      if (isHead && ++heads === 3) await sign(store, 'permits');
      const answer = await live(other.service)(path);
      if (heads === 1 && isHead) {
        const again = toPublishedRecord({ ...sampleRecord(11), title: 'Meanwhile' }, true);
        await store.apply('permits', [again], AFTER);
      }
      return answer;
    };
    const { provedTo } = await copy(answers, output, { prove: { vkey: other.vkey } });
    expect([heads, provedTo]).toEqual([3, other.versions.length]);
    expect(await readFile(output, 'utf8')).toContain('Meanwhile');
    const never = listing((records) => records.map((record) => ({ ...record, version: record.version + 1 })));
    await expect(copy(never, await outputFile())).rejects.toMatchObject({ code: 'invalid_proof' });
  });

  it('waits for the witnesses of the log of logs, also for what was signed meanwhile, and is refused without them', async () => {
    const other = await watchedService();
    const { store } = other.service;
    const witness = signerOf('w.example', 'witness', Buffer.alloc(32, 3));
    const [then, day] = [Date.parse('2026-10-03T12:00:00Z'), 24 * 3_600_000];
    const cosign = () => cosignLogOfLogs(store, witness, then);
    const output = await outputFile();
    await signLogOfLogs(store);
    const steps = [
      async () => undefined,
      cosign,
      // While the copy is made, the log grows; the witness signs what it has now a moment later.
      async () => {
        await store.withdraw('permits', [idOf(3)], AFTER);
        await sign(store, 'permits');
        await signLogOfLogs(store);
      },
      async () => undefined,
      cosign,
    ];
    let heads = 0;
    const answers: Answers = async (path) => {
      if (/^\.\..*\/checkpoint$/.test(path)) await steps[heads++]?.();
      return live(other.service)(path);
    };
    const policy = `witness W ${formatVerifierKey(witness)}\nquorum W\n`;
    const prove = { vkey: other.vkey, policy };
    const now = (): number => then + day;
    const { listing } = await copy(answers, output, { prove, now });
    expect(heads).toBe(5);
    const { origin: name } = await logsOf(store).ofLogs();
    const cosigned = [{ name: 'w.example', at: '2026-10-03T12:00:00Z', isStale: false }];
    expect(listing).toEqual({ name, newer: 0, cosigned });
    // A quiet log whose witness was not asked again is what somebody was shown the day before.
    const stale = copy(live(other.service), await outputFile(), { prove, now: () => then + day + 1000 });
    await expect(stale).rejects.toMatchObject({
      code: 'log_stale',
      message: expect.stringContaining('w.example at 2026-10-03T12:00:00Z') as string,
    });
    await store.withdraw('permits', [idOf(4)], AFTER);
    await sign(store, 'permits');
    await signLogOfLogs(store);
    const waits: number[] = [];
    const sleep = (ms: number): Promise<void> => Promise.resolve(void waits.push(ms));
    const refused = copy(live(other.service), await outputFile(), { prove, sleep, now });
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_proof',
      message: expect.stringContaining('of the witnesses of the policy, nobody signed the log of logs') as string,
    });
    expect(waits).toEqual([2000, 2000, 2000, 2000, 2000]);
  });

  it('has nothing of what was redacted while it was made', async () => {
    const other = await watchedService();
    const { store } = other.service;
    const output = await outputFile();
    const answers: Answers = async (path) => {
      const answer = await live(other.service)(path);
      if (path.includes('offset=300')) {
        await store.redact(idOf(200), AFTER);
        await store.redact(idOf(325), AFTER);
        await sign(store, 'permits');
      }
      return answer;
    };
    const result = await copy(answers, output, { prove: { vkey: other.vkey } });
    expect(result).toMatchObject({ records: 327, withdrawn: 3 });
    const text = await readFile(output, 'utf8');
    expect(text.trimEnd().split('\n')).toHaveLength(327);
    for (const position of [200, 325]) expect(text).not.toContain(idOf(position));
    expect(text.endsWith(`${truth.trimEnd().split('\n').at(-1)!.slice(-20)}\n`)).toBe(true);
    expect((await readdir(join(output, '..'))).sort()).toEqual(['copy', 'copy.note']);
  });

  it('has nothing of what was redacted after it was proved, while something else is waited for', async () => {
    const other = await watchedService();
    const { store } = other.service;
    const output = await outputFile();
    let heads = 0;
    const answers: Answers = async (path) => {
      const isHead = path.endsWith('/checkpoint');
      if (isHead && ++heads === 3) {
        await store.redact(idOf(200), AFTER);
        await sign(store, 'permits');
      }
      const answer = await live(other.service)(path);
      if (heads === 1 && isHead) {
        const again = toPublishedRecord({ ...sampleRecord(11), title: 'Meanwhile' }, true);
        await store.apply('permits', [again], AFTER);
      }
      return answer;
    };
    const result = await copy(answers, output, { prove: { vkey: other.vkey } });
    expect(result).toMatchObject({ records: 328, withdrawn: 2 });
    expect(await readFile(output, 'utf8')).not.toContain(idOf(200));
  });

  it('may lack a record that was withdrawn when it began, and came back before it was proved', async () => {
    const other = await watchedService();
    const { store } = other.service;
    await store.withdraw('permits', [idOf(200)], AFTER);
    await sign(store, 'permits');
    let heads = 0;
    const answers: Answers = async (path) => {
      if (path.endsWith('/checkpoint') && ++heads === 2) {
        const again = toPublishedRecord({ ...sampleRecord(200), title: 'Again' }, true);
        await store.apply('permits', [again], AFTER);
        await sign(store, 'permits');
      }
      return live(other.service)(path);
    };
    const result = await copy(answers, await outputFile(), { prove: { vkey: other.vkey } });
    expect(result).toMatchObject({ records: 328, withdrawn: 2, provedTo: other.versions.length + 1 });
  });

  it('knows records whose publisher does not say when they were observed', async () => {
    const other = await watchedService();
    const { store } = other.service;
    const unsaid = (title: string) => toPublishedRecord({ ...sampleRecord(331), title }, false);
    await store.apply('permits', [unsaid('First')], AFTER);
    await store.apply('permits', [unsaid('Second')], { recordedAt: '2026-10-04T10:00:00Z' });
    await store.withdraw('permits', [idOf(331)], { recordedAt: '2026-10-05T10:00:00Z' });
    await store.apply('permits', [unsaid('Third')], { recordedAt: '2026-10-06T10:00:00Z' });
    await sign(store, 'permits');
    const output = await outputFile();
    await copy(live(other.service), output, { prove: { vkey: other.vkey } });
    expect(await readFile(output, 'utf8')).toMatch(/^[^\n]*"title":"Third"[^\n]*"observed_at":"2026-10-03T10:00:00Z"/);
  });
});

it('a proved copy goes on with the whole where it broke off, whatever else that says of its records', async () => {
  const { service } = watched;
  const output = await outputFile();
  const stop = new AbortController();
  let [asked, bytes] = [0, 0];
  /** The whole of the service, whose records have a member more. */
  const answer: typeof fetch = async (url, init) => {
    const request = new Request(url, init);
    if (!request.url.includes('/register.')) return service.fetch(request);
    const headers = { 'content-type': 'application/x-ndjson', 'content-location': '/register.ndjson?etag=A' };
    const whole = Buffer.from(truth.replaceAll('{"id"', '{"more":"é","id"'));
    bytes = whole.length;
    const from = request.headers.get('range')?.match(/\d+/)?.[0];
    if (asked++ === 0) {
      let piece = 0;
      const pull = (controller: ReadableStreamDefaultController): void => {
        if (piece++ === 0) controller.enqueue(whole.subarray(0, 100_000));
        else controller.error(new TypeError('terminated'));
      };
      return new Response(new ReadableStream({ pull }), { headers });
    }
    if (stop.signal.aborted) {
      const range = { ...headers, 'content-range': `bytes ${from}-${bytes - 1}/${bytes}` };
      return new Response(whole.subarray(Number(from)), { status: 206, headers: range });
    }
    stop.abort();
    throw new TypeError('it is over');
  };
  const { key } = service;
  const more = { key, fetch: answer };
  const broken = copyOf(watched, watched.answers, output, { ...more, signal: stop.signal });
  await expect(broken).rejects.toMatchObject({ code: 'aborted' });
  await expect(copyOf(watched, watched.answers, output, { ...more, resume: true })).resolves.toMatchObject({
    records: 329,
  });
  expect([asked, await readFile(output, 'utf8')]).toEqual([3, truth]);
});

it('a proved copy is made by pages where the whole is not what was signed, as in a cache that is behind', async () => {
  const output = await outputFile();
  const reasons: string[] = [];
  const old = truth.replace('"title":"New"', '"title":"Old"');
  expect(old).not.toBe(truth);
  const answers: Answers = async (path) =>
    path === '/register.ndjson' ? { status: 200, body: Buffer.from(old) } : watched.answers(path);
  const result = await copyOf(watched, answers, output, { onRestart: ({ code }) => reasons.push(code) });
  expect([result.records, reasons, await readFile(output, 'utf8')]).toEqual([329, ['invalid_proof'], truth]);
});

/** Ends with an error of this code, and with no file. */
async function refused(answers: Answers, code: string | readonly string[] = 'invalid_proof'): Promise<void> {
  const output = await outputFile();
  const error = await copy(answers, output).catch((thrown: unknown) => thrown);
  expect(isGazetteError(error) ? error.code : error).toBeOneOf([code].flat());
  expect(existsSync(output)).toBe(false);
}

/** The changes of a service that says something else of one, and has no signature for it. */
const saying = (position: number, change: (version: Answered) => void, answers: Answers): Answers => {
  const versions = structuredClone(watched.versions) as Answered[];
  for (const version of versions) if (version.position === position) change(version);
  return (path) => (path.startsWith('/changes') ? Promise.resolve(pageOf(versions, path)) : answers(path));
};

describeBoth('a copy is refused', () => {
  it('with other content, also when the changes say the same', async () => {
    const other = changing(150, (record) => void (record.title = 'Forged'));
    await refused(other);
    const same = (version: Answered): void => void (version.statement = { title: 'Forged' });
    // Before anything is compared, the copy looks for the name of the log.
    const named = saying(150, same, other);
    await refused((path) => (path.includes('proof=1') ? named(path) : other(path)));
  });

  it.each(['id', 'key', 'feed_id', 'source_url', 'observed_at', 'updated_at', 'version', 'position', 'data'])(
    'with another %s',
    async (name) => {
      const codes = ['invalid_proof', 'invalid_answer'];
      await refused(
        changing(150, (record) => void Object.assign(record, { [name]: name === 'data' ? {} : 7 })),
        codes,
      );
      await refused(
        changing(150, (record) => void Reflect.deleteProperty(record, name)),
        codes,
      );
    },
  );

  it('without a record, also when an unsigned change says that it was withdrawn', async () => {
    const dropped = listing((records) => records.filter(({ position }) => position !== 150));
    await refused(dropped, 'incomplete_copy');
    await refused(async (path) => {
      const answer = await dropped(path);
      if (!path.startsWith('/changes') || path.includes('proof=1')) return answer;
      const body = JSON.parse(String(answer.body)) as { versions: object[] };
      body.versions = [7, 150].map((position) => ({ position, cause: 'withdrawn' }));
      return { ...answer, body: Buffer.from(JSON.stringify(body)) };
    });
  });

  it('that ends before the newest records which were signed', async () => {
    const short: Answers = async (path) => {
      const answer = await watched.answers(path.replace('as_of=320', 'as_of=330'));
      if (!path.startsWith('/records?')) return answer;
      const body = JSON.parse(String(answer.body)) as { records: Listed[]; as_of: number };
      body.records = body.records.filter(({ position }) => position <= 320);
      return { ...answer, body: Buffer.from(JSON.stringify({ ...body, as_of: 320 })) };
    };
    await refused(short);
  });

  it('in another order, or with two contents changed for each other', async () => {
    await refused(
      listing((records) => records.toReversed()),
      'invalid_answer',
    );
    await refused(
      listing((records) => {
        const [a, b] = [records[4], records[5]];
        if (a !== undefined && b !== undefined) [a.title, b.title] = [b.title, a.title];
        return records;
      }),
    );
  });

  it('with a record as it was before a change that is signed, and with one that was withdrawn', async () => {
    const [old] = watched.versions.filter(({ position }) => position === 3);
    const change = (record: Listed): void => {
      const { title, updated_at } = { ...old!.statement!, updated_at: old!.recorded_at };
      Object.assign(record, { title, updated_at, version: 1 });
    };
    await refused(changing(3, change));
    const other = await watchedService();
    const before = live(other.service);
    const known = new Map<string, Buffer>();
    const output = await outputFile();
    const ask: Answers = async (path) => {
      const answer = await before(path);
      // The same page, whichever way it is asked for.
      const page = path.replace(/&as_of=\d+/, '').replace(/&offset=0$/, '');
      const body = path.startsWith('/records?') ? (known.get(page) ?? answer.body) : answer.body;
      if (path.startsWith('/records?')) known.set(page, body);
      return { ...answer, body };
    };
    await copy(ask, output, { prove: { vkey: other.vkey } });
    await other.service.store.withdraw('permits', [idOf(12)], AFTER);
    await sign(other.service.store, 'permits');
    const again = copy(ask, output, { prove: { vkey: other.vkey } });
    await expect(again).rejects.toMatchObject({ code: 'invalid_proof' });
  });

  it('of a register that was removed and made again', async () => {
    const other = await watchedService();
    const { store } = other.service;
    await store.removeRegister('permits');
    await store.createRegister(SAMPLE_DEFINITION);
    await addSamples(store, 1, 330);
    await sign(store, 'permits');
    await refused(live(other.service), 'request_refused');
  });
});

describeBoth('another history than the one that was seen', () => {
  const unlike = (at: number): Answers => {
    const versions = structuredClone(watched.versions) as Answered[];
    const { entry } = versions[at]!.proof;
    versions[at]!.proof.entry = entry.replace('"recorded_at":"2026', '"recorded_at":"2025');
    const other = forged(versions, origin());
    return (path) => (/^\/(?:log|changes)/.test(path) ? other(path) : watched.answers(path));
  };

  it('is found by a consumer who saw the other one, and both checkpoints are kept', async () => {
    const output = await outputFile();
    await copy(watched.answers, output);
    const note = await readFile(`${output}.note`, 'utf8');
    await expect(copy(unlike(3), output)).rejects.toMatchObject({
      code: 'log_forked',
      message: expect.stringContaining(`${output}.note.forked`) as string,
    });
    expect(await readFile(output, 'utf8')).toBe(truth);
    expect(await readFile(`${output}.note`, 'utf8')).toBe(note);
    const evidence = await readFile(`${output}.note.forked`, 'utf8');
    expect(evidence.split(origin())).toHaveLength(5);
    expect(evidence.startsWith(note)).toBe(true);
  });

  it('is none where an old state is shown, also while a copy is made: that is stale, and no evidence of anything', async () => {
    const output = await outputFile();
    await copy(watched.answers, output);
    const old: Answers = async (path) =>
      path.endsWith('/checkpoint') ? { status: 200, body: Buffer.from(watched.oldCheckpoint) } : watched.answers(path);
    await expect(copy(old, output)).rejects.toMatchObject({ code: 'log_stale' });
    let heads = 0;
    const meanwhile: Answers = (path) =>
      path.endsWith('/checkpoint') && ++heads > 1 ? old(path) : watched.answers(path);
    const second = await outputFile();
    await expect(copy(meanwhile, second)).rejects.toMatchObject({ code: 'log_stale' });
    expect([output, second].map((path) => existsSync(`${path}.note.forked`))).toEqual([false, false]);
    expect(existsSync(second)).toBe(false);
  });

  it('is found also when the copy that saw the first one failed', async () => {
    const output = await outputFile();
    await expect(
      copy(
        listing(() => []),
        output,
      ),
    ).rejects.toMatchObject({ code: 'incomplete_copy' });
    await expect(copy(unlike(3), output)).rejects.toMatchObject({ code: 'log_forked' });
  });

  it('is found from the last checkpoint that a copy saw, not from the one of its beginning', async () => {
    const output = await outputFile();
    let heads = 0;
    const growing: Answers = (path) => {
      const isFirst = path.endsWith('/checkpoint') && ++heads === 1;
      return isFirst ? shorter(path) : path.startsWith('/log/') && heads === 1 ? shorter(path) : watched.answers(path);
    };
    const shorter = forged(watched.versions.slice(0, -3), origin());
    await copy(growing, output);
    await expect(copy(growingBack, output)).rejects.toMatchObject({ code: 'log_stale' });
    function growingBack(path: string): ReturnType<Answers> {
      return path.startsWith('/log/') ? shorter(path) : watched.answers(path);
    }
  });

  it('is not looked for behind a checkpoint that another key signed', async () => {
    const output = await outputFile();
    await writeFile(`${output}.note`, 'something else');
    await expect(copy(watched.answers, output)).rejects.toMatchObject({ code: 'invalid_option' });
  });
});
