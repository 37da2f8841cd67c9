// Copies by the whole register: from one answer, and however that ends.
import { appendFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type PullOptions, type PullResult, pullRegister } from '../../src/mirror/index.ts';
import { COUNT, type Pulling, startPulling } from '../cli/pulling.ts';
import { at, say } from '../contracts/store-register.ts';
import { keyAt, statementAt } from '../world.ts';

const FORMATS = ['csv', 'ndjson', 'xml'] as const;
type Format = (typeof FORMATS)[number];

/** A request for the whole register, by its number from 0, and what it is answered. */
type Front = (answer: Response, number: number, range: string | null) => Response | Promise<Response>;

interface Copying extends Pulling {
  /** Copies, with something between the service and the copy. */
  readonly through: (front: Front, more?: Partial<PullOptions>, ofPages?: Front) => Promise<PullResult>;
  /** What was asked for of the whole: its query, and the range. */
  readonly asked: string[];
  /** Why copies began anew. */
  readonly reasons: string[];
  /** What a copy by pages has. */
  readonly byPages: (format: Format) => Promise<string>;
}

async function startCopying(): Promise<Copying> {
  const pulling = await startPulling();
  const { service, output } = pulling;
  const [asked, reasons]: [string[], string[]] = [[], []];
  const through: Copying['through'] = (front, more = {}, ofPages = asItIs) => {
    let number = 0;
    return pullRegister(`${service.url}/api/v1/feeds/permits`, {
      ...{ format: 'csv', output, key: service.key, sleep: async () => undefined },
      onRestart: ({ message }) => reasons.push(message),
      fetch: async (url, init) => {
        const answer = await fetch(url, init);
        const { pathname, search } = new URL(url);
        if (pathname.endsWith('/records')) return ofPages(answer, 0, null);
        if (!pathname.includes('/register.')) return answer;
        const range = new Headers(init?.headers).get('range');
        asked.push(`${search.replace(/=.*/, '=…')} ${range ?? ''}`.trim());
        return front(answer, number++, range);
      },
      ...more,
    });
  };
  const byPages = async (format: Format): Promise<string> => {
    service.isOld = true;
    const other = `${output}-by-pages`;
    const { key } = service;
    await pullRegister(`${service.url}/api/v1/feeds/permits`, { format, output: other, key });
    service.isOld = false;
    return readFile(other, 'utf8');
  };
  return { ...pulling, through, asked, reasons, byPages };
}

const asItIs: Front = (answer) => answer;

/** The same answer with another body. */
function withBody(answer: Response, body: ReadableStream | string, headers = answer.headers): Response {
  const unpacked = new Headers(headers);
  unpacked.delete('content-encoding');
  return new Response(body, { status: answer.status, headers: unpacked });
}

/** Another answer in place of the service's. */
const instead =
  (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): Front =>
  async (answer) => {
    await answer.body?.cancel();
    return new Response(body, { status, headers });
  };

/** An answer that breaks off after so many bytes. */
function broken(answer: Response, after: number): Response {
  let left = after;
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      controller.enqueue(piece.subarray(0, left));
      left -= piece.length;
      if (left <= 0) controller.error(new TypeError('terminated'));
    },
  });
  return withBody(answer, answer.body!.pipeThrough(cut));
}

/** An answer that ends after so many bytes, as a whole one does. */
function ended(answer: Response, after: number): Response {
  let left = after;
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      controller.enqueue(piece.subarray(0, left));
      left -= piece.length;
      if (left <= 0) controller.terminate();
    },
  });
  return withBody(answer, answer.body!.pipeThrough(cut));
}

/** Ends a copy after some records, as a kill does; its part has more than its state says. */
async function interrupt({ through, part, asked }: Copying, format: Format): Promise<void> {
  const stop = new AbortController();
  const stopped = through(
    (answer, number) => {
      if (number === 0) return broken(answer, 150_000);
      stop.abort();
      throw new TypeError('it is over');
    },
    { format, signal: stop.signal },
  );
  await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
  await appendFile(part, 'what nobody will ever read\n'.repeat(50_000));
  asked.length = 0;
}

/** Something that takes quotes, escapes and more than one byte in every format, and a gap. */
async function addOddities({ service: { store } }: Pulling): Promise<void> {
  const title = '=1+1 "quoted", <b>&amp;</b> é\r\n\u{1f600}\t]]>';
  await store.apply('permits', [say('odd', { title, summary: null, data: { amount: 1e21 } })], { recordedAt: at(2) });
  await store.withdraw('permits', [`permits:${keyAt(7)}`], { recordedAt: at(3) });
}

describe.each(FORMATS)('a copy by the whole register, as %s', (format) => {
  it('has the bytes of a copy by pages, after five requests and what proves its gaps', async () => {
    const copying = await startCopying();
    const { service, output, through, byPages } = copying;
    await addOddities(copying);
    const told: number[] = [];
    const onProgress = ({ records, asOf }: { records: number; asOf: number }): void => {
      expect(asOf).toBe(COUNT + 1);
      told.push(records);
    };
    expect(await through(asItIs, { format, onProgress })).toEqual({ asOf: COUNT + 1, records: COUNT, withdrawn: 1 });
    expect(service.asked.map(({ path }) => path.replace(/^.*\/permits/, '').replace(/=\w+\./, '=LOG.'))).toEqual([
      '/records?limit=1',
      '/stream?offset=now',
      `/changes?since=LOG.${COUNT + 1}&limit=1`,
      `/register.${format}`,
      `/changes?since=LOG.${COUNT + 1}&limit=1`,
      expect.stringMatching(/^\/changes\?since=LOG.7&limit=100$/),
      ...service.asked.slice(6).map(() => expect.stringMatching(/^\/changes\?since=LOG/) as unknown),
    ]);
    expect(told.length).toBeGreaterThan(3);
    expect([told.toSorted((a, b) => a - b), told.at(-1)]).toEqual([told, COUNT]);
    const copy = await readFile(output, 'utf8');
    expect(copy === (await byPages(format))).toBe(true);
    expect(copy.includes({ csv: '""quoted""', ndjson: '\\"quoted\\"', xml: '&lt;b&gt;&amp;amp;' }[format])).toBe(true);
    expect((await readdir(join(output, '..'))).sort()).toEqual(['copy', 'copy-by-pages']);
  });

  it('goes on where the connection broke, ten times', async () => {
    const { output, through, asked, reasons, byPages } = await startCopying();
    const result = await through((answer, number) => (number < 10 ? broken(answer, 1000 + number * 5003) : answer), {
      format,
    });
    expect(result).toMatchObject({ records: COUNT });
    expect([asked.length, new Set(asked).size, reasons]).toEqual([11, 11, []]);
    expect(asked.slice(1)).toEqual(asked.slice(1).map(() => expect.stringMatching(/^\?etag=… bytes=\d+-$/) as unknown));
    expect((await readFile(output, 'utf8')) === (await byPages(format))).toBe(true);
  });

  it('goes on where a proxy ends the answer early, as if that were its end, as long as more comes', async () => {
    const { output, through, asked, reasons, pagesAsked, byPages } = await startCopying();
    expect(await through((answer) => ended(answer, 60_000), { format })).toMatchObject({ records: COUNT });
    expect([new Set(asked).size, reasons]).toEqual([asked.length, []]);
    expect(asked.length).toBeGreaterThan(3);
    expect((await readFile(output, 'utf8')) === (await byPages(format))).toBe(true);

    const before = pagesAsked().length;
    asked.length = 0;
    const hardly: Front = (answer, _, range) => ended(answer, range === null ? 60_000 : 100);
    expect(await through(hardly, { format })).toMatchObject({ records: COUNT });
    expect([asked.length, reasons.length, pagesAsked().length - before]).toEqual([6, 3, 6]);
    expect((await readFile(output, 'utf8')) === (await byPages(format))).toBe(true);
  });

  it('goes on after it was ended, by what is left at the address of the same bytes', async () => {
    const copying = await startCopying();
    const { output, through, asked, reasons, byPages } = copying;
    await interrupt(copying, format);
    await expect(through(asItIs, { format })).rejects.toMatchObject({ code: 'usage' });
    expect(await through(asItIs, { format, resume: true })).toMatchObject({ records: COUNT });
    expect([asked, reasons]).toEqual([[expect.stringMatching(/^\?etag=… bytes=1\d{5}-$/)], []]);
    expect((await readFile(output, 'utf8')) === (await byPages(format))).toBe(true);
    expect((await readdir(join(output, '..'))).sort()).toEqual(['copy', 'copy-by-pages']);
  });

  it('begins anew where the register has changed meanwhile, and mixes nothing', async () => {
    const copying = await startCopying();
    const { service, output, through, asked, reasons, byPages } = copying;
    await interrupt(copying, format);
    const changed = statementAt(COUNT, COUNT);
    await service.store.apply('permits', [{ ...changed, title: 'Corrected' }, say('new')], {
      recordedAt: at(9),
    });
    expect(await through(asItIs, { format, resume: true })).toMatchObject({ asOf: COUNT + 1, records: COUNT + 1 });
    expect([asked.length, asked[1]]).toEqual([2, '']);
    expect(reasons).toEqual([expect.stringContaining('"register_changed"')]);
    expect((await readFile(output, 'utf8')) === (await byPages(format))).toBe(true);
  });
});

describe('a copy by the whole register', () => {
  it('is made by pages where the register changes each time that the connection breaks', async () => {
    const { service, output, through, asked, reasons, pagesAsked, byPages } = await startCopying();
    const result = await through(async (answer, number, range) => {
      if (range !== null) return answer;
      await service.store.apply('permits', [say(`new ${number}`)], { recordedAt: at(10 + number) });
      return broken(answer, 150_000);
    });
    expect(result).toMatchObject({ asOf: COUNT + 3, records: COUNT + 3 });
    expect(asked.map((one) => one.includes('bytes='))).toEqual([false, true, false, true, false, true]);
    expect(reasons.map((reason) => reason.endsWith('; pages are read now'))).toEqual([false, false, true]);
    expect(pagesAsked().length).toBe(6);
    expect((await readFile(output, 'utf8')) === (await byPages('csv'))).toBe(true);
  });

  it.each([
    ['is not there', instead(404)],
    ['is not acceptable', instead(406)],
    ['needs another key', instead(403)],
    ['is a page for people', instead(200, { 'content-type': 'text/html' }, '<html>')],
    ['has no type', (answer) => new Response(answer.body)],
    ['is on another host', instead(302, { location: 'https://example.org/' })],
  ] satisfies [string, Front][])('is made by pages where there is none: it %s', async (_, front) => {
    const { output, through, asked, reasons, pagesAsked, byPages } = await startCopying();
    expect(await through(front)).toMatchObject({ records: COUNT });
    expect([asked, reasons, pagesAsked().length]).toEqual([[''], [], 6]);
    expect((await readFile(output, 'utf8')) === (await byPages('csv'))).toBe(true);
  });

  it('waits as long as a service asks that sends as many as it may', async () => {
    const { through, asked } = await startCopying();
    const waits: number[] = [];
    const full = instead(503, { 'retry-after': '30' });
    await through((answer, number, range) => (number < 2 ? full(answer, number, range) : answer), {
      onWait: (ms) => waits.push(ms),
    });
    expect([waits, asked]).toEqual([
      [30_000, 30_000],
      ['', '', ''],
    ]);
  });

  it('keeps what came while its service is away, or its key is refused, and loses none of it', async () => {
    const copying = await startCopying();
    const { part, through, asked, reasons } = copying;
    await interrupt(copying, 'csv');
    for (const status of [401, 403, 408, 429, 500, 502, 503, 504]) {
      const refused = through(instead(status), { resume: true, attempts: 2 });
      await expect(refused).rejects.toMatchObject({ code: 'request_failed', cause: { details: { status } } });
      expect((await readFile(part)).length).toBeGreaterThan(100_000);
    }
    const moved = through(instead(302, { location: 'https://example.org/login' }), { resume: true });
    await expect(moved).rejects.toMatchObject({ code: 'request_failed', cause: { code: 'foreign_address' } });
    asked.length = 0;
    expect(await through(asItIs, { resume: true })).toMatchObject({ records: COUNT });
    expect([asked, reasons]).toEqual([[expect.stringContaining('bytes=')], []]);
  });

  it.each([
    ['does not say where the same bytes are', null],
    ['says that they are elsewhere', 'https://example.org/register.csv?etag=A'],
  ])('begins anew where its service %s, after a break and after its end', async (_, location) => {
    const copying = await startCopying();
    const { output, through, asked, reasons, byPages } = copying;
    const unnamed: Front = (answer) => {
      const headers = new Headers(answer.headers);
      headers.delete('content-location');
      if (location !== null) headers.set('content-location', location);
      return withBody(answer, answer.body!, headers);
    };
    const result = await through((answer, number) =>
      number === 0 ? broken(unnamed(answer, 0, null) as Response, 150_000) : answer,
    );
    expect([result.records, asked, reasons.length]).toEqual([COUNT, ['', ''], 1]);
    expect((await readFile(output, 'utf8')) === (await byPages('csv'))).toBe(true);
    const stop = new AbortController();
    const stopped = through(unnamed, {
      signal: stop.signal,
      onProgress: () => {
        stop.abort();
      },
    });
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
    expect(await through(asItIs)).toMatchObject({ records: COUNT });
  });

  it.each([
    ['not there', 404],
    ['of another state', 409],
    ['gone', 410],
    ['not what was asked for', 412],
    ['shorter than what came', 416],
  ])('begins anew where the rest is %s', async (_, status) => {
    const { output, through, reasons, byPages } = await startCopying();
    const refused = instead(status);
    const result = await through((answer, number, range) => {
      if (range !== null) return refused(answer, number, range);
      return number === 0 ? broken(answer, 150_000) : answer;
    });
    expect([result.records, reasons.length]).toEqual([COUNT, 1]);
    expect((await readFile(output, 'utf8')) === (await byPages('csv'))).toBe(true);
  });

  it('has what was added while it was begun, but not what was added later', async () => {
    const { service, output, copy } = await startPulling();
    let asked = 0;
    service.onRequest = async () => {
      asked++;
      // After the first answer said how many there are, before the whole is asked for; and after that.
      if (asked === 2) await service.store.apply('permits', [say('early')], { recordedAt: at(4) });
      if (asked === 3) await service.store.withdraw('permits', [`permits:${keyAt(9)}`], { recordedAt: at(5) });
      if (asked === 5) await service.store.apply('permits', [say('late')], { recordedAt: at(6) });
    };
    expect(await copy('csv')).toEqual({ asOf: COUNT + 1, records: COUNT, withdrawn: 1 });
    expect(await readFile(output, 'utf8')).toMatch(/\npermits:early,/);
  });
});

describe('a service that lies about the whole register', () => {
  /** The whole with other lines. */
  const lying =
    (change: (lines: string[]) => string[]): Front =>
    async (answer) =>
      withBody(answer, change((await answer.text()).split('\n')).join('\n'));

  it('is not believed where it leaves a record out, also the first and the last, or several', async () => {
    const { output, through, reasons, pagesAsked, byPages } = await startCopying();
    const truth = await byPages('ndjson');
    for (const left of [[0], [300], [COUNT - 1], [10, 11, 12]]) {
      const front = lying((lines) => lines.filter((_, index) => !left.includes(index)));
      const before = pagesAsked().length;
      expect(await through(front, { format: 'ndjson' })).toMatchObject({ records: COUNT });
      expect(reasons.splice(0)).toEqual([
        expect.stringMatching(`at the positions ${COUNT - left[0]!}[^;]*; pages are read now$`),
      ]);
      expect(pagesAsked().length - before).toBe(6);
      expect((await readFile(output, 'utf8')) === truth).toBe(true);
    }
  });

  it('is refused where its pages lack the record, too', async () => {
    const { output, through } = await startCopying();
    const lack = (text: string): string =>
      JSON.stringify(
        JSON.parse(text, (_, value: unknown) =>
          Array.isArray(value) ? value.filter((one: { position?: number } | null) => one?.position !== 300) : value,
        ),
      );
    const refused = through(
      lying((lines) => lines.toSpliced(COUNT - 300, 1)),
      { format: 'ndjson' },
      async (answer) => new Response(lack(await answer.text()), answer),
    );
    await expect(refused).rejects.toMatchObject({
      code: 'incomplete_copy',
      message: expect.stringMatching(
        /at the positions 300; what came lies in .*copy\.part, and a further run begins anew$/,
      ) as string,
    });
    expect(await readdir(join(output, '..'))).toEqual(['copy.part']);
  });

  it.each([
    ['twice', (lines: string[]) => lines.toSpliced(300, 0, lines[300]!)],
    ['in another order', (lines: string[]) => lines.toSpliced(300, 2, lines[301]!, lines[300]!)],
    ['that is no JSON', (lines: string[]) => lines.with(300, 'null')],
  ])('is not believed with a record %s: the copy has what the pages say', async (_, change) => {
    const { output, through, asked, reasons, pagesAsked, byPages } = await startCopying();
    expect(await through(lying(change), { format: 'ndjson' })).toMatchObject({ records: COUNT });
    expect([asked.length, reasons.length, pagesAsked().length]).toEqual([3, 3, 6]);
    expect((await readFile(output, 'utf8')) === (await byPages('ndjson'))).toBe(true);
  });

  it.each([
    ['other bytes', (bytes: Buffer) => bytes.fill('x', 5, 6)],
    ['fewer bytes than came', (bytes: Buffer) => bytes.subarray(0, 20)],
  ])('is not believed where it goes on with %s', async (_, change) => {
    const { output, through, asked, reasons, byPages } = await startCopying();
    const result = await through(async (answer, number, range) => {
      if (number === 0) return broken(answer, 150_000);
      if (range === null) return answer;
      const all = Number(answer.headers.get('content-range')!.split('/')[1]);
      const bytes = change(Buffer.from(await answer.arrayBuffer()));
      const from = Number(/\d+/.exec(range)![0]);
      const headers = { 'content-range': `bytes ${from}-${all - 1}/${all}` };
      return new Response(new Uint8Array(bytes), { status: 206, headers });
    });
    expect([result.records, asked.length]).toEqual([COUNT, 3]);
    expect(reasons).toEqual([expect.stringContaining('other bytes than those that came')]);
    expect((await readFile(output, 'utf8')) === (await byPages('csv'))).toBe(true);
  });

  it('is not believed where it leaves a record out after a break', async () => {
    const { output, through, reasons, byPages } = await startCopying();
    const result = await through(
      async (answer, number) => {
        if (number === 0) return broken(answer, 150_000);
        const lines = (await answer.text()).split('\n');
        return withBody(answer, lines.toSpliced(50, 1).join('\n'));
      },
      { format: 'ndjson' },
    );
    expect([result.records, reasons.length]).toEqual([COUNT, 1]);
    expect((await readFile(output, 'utf8')) === (await byPages('ndjson'))).toBe(true);
  });
});

it('a cache that has what the whole register was a while ago does not shorten the copy', async () => {
  const { service, output, through, reasons, pagesAsked, byPages } = await startCopying();
  let kept: Response | undefined;
  const cache: Front = (answer) => (kept ??= answer.clone()).clone();
  await through(cache);
  await service.store.apply('permits', [say('new')], { recordedAt: at(9) });
  expect(await through(cache)).toMatchObject({ asOf: COUNT + 1, records: COUNT + 1 });
  expect([reasons.length, pagesAsked().length]).toEqual([1, 6]);
  expect((await readFile(output, 'utf8')) === (await byPages('csv'))).toBe(true);
});
