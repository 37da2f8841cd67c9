// What an editor uploads becomes a proposal; what she may not upload leaves nothing.
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import { parse } from 'parse5';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../../src/adapters/server.ts';
import { stageUpload } from '../../../src/operate/desk/stage-upload.ts';
import type { UploadReading } from '../../../src/operate/desk/upload-work.ts';
import { WorkByHand } from '../../../src/operate/registers/hand.ts';
import { Imports } from '../../../src/operate/registers/imports.ts';
import { accountSignIns } from '../../../src/operate/sign-in.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { text as cell, workbook } from '../../import/readers/workbook-by-hand.ts';
import { BASE_URL } from '../../world.ts';
import { type Browser, elements, type Page } from '../account/browser.ts';
import { actionOf, ended, type Otherwise, send, text, until, UPLOAD, uploading } from './uploading.ts';

/** Two new records, and one that is published otherwise. */
const FILE = `id,title,published_at,source_url,observed_at
901,Permit 901,2026-05-01,https://example.org/901,2026-05-02T00:00:00Z
902,Permit 902,2026-05-02,https://example.org/902,2026-05-02T00:00:00Z
001,Another title,2026-04-01,https://example.org/001,2026-05-02T00:00:00Z
`;

/** A workbook whose parts that are read have so many bytes. */
function sheetOf(bytes: number): Uint8Array {
  const rows = ['id', 'title', 'published_at', 'source_url'].map(cell).join('');
  const row = ['901', 'Permit 901', '2026-05-01', 'https://example.org/901'].map(cell).join('');
  const made = (comment: number): Uint8Array => workbook(`<row>${rows}</row><row>${row}</row>${' '.repeat(comment)}`);
  const read = Object.values(unzipSync(made(0))).reduce((sum, part) => sum + part.length, 0);
  return made(bytes - read);
}

describe('a file that an editor uploads', () => {
  it('becomes a proposal in her name, is noted, and goes when that is decided', async () => {
    const service = await uploading();
    const { browser } = await service.signedIn('anna');
    const page = await ended(browser, await send(service, browser, FILE));
    expect(page.headers.get('location')).toBe(`${BASE_URL}/desk/feeds/permits/imports/1`);
    const entry = await service.store.imports.find('permits', 1);
    expect(entry).toMatchObject({ file: 'week 17.csv', who: 'anna', state: 'proposed', kind: 'file' });
    expect(entry.counts).toMatchObject({ added: 2, changed: 1, withdrawn: 0 });
    expect(await service.store.imports.proposals.find('permits', 1)).toMatchObject({ number: 1 });
    const [noted] = await service.editors.log({ limit: 1 });
    expect(noted).toMatchObject({
      who: 'anna',
      role: 'edit',
      action: 'uploaded',
      feed: 'permits',
      subject: 'week 17.csv',
    });
    const files = async (): Promise<number> => (await service.left()).filter((name) => name.endsWith('file')).length;
    expect(await files()).toBe(1);
    expect((await service.store.register('permits'))!.total).toBe(5);
    const proposal = await browser.open(page.headers.get('location')!);
    expect(text(proposal)).toContain('week 17.csv');
    await browser.submit(proposal, 'discard');
    expect(await files()).toBe(0);
  });

  it('is sent from a page that the register leads to, which alone runs a script, for those who may change it', async () => {
    const service = await uploading();
    const { browser } = await service.signedIn();
    const register = await browser.open(`${BASE_URL}/desk/feeds/permits`);
    expect(register.links).toContain(UPLOAD);
    const page = await browser.open(UPLOAD);
    const [script, ...others] = elements(parse(page.html), 'script').map(({ attrs }) => attrs[0]!.value);
    expect([script, others]).toEqual([expect.stringMatching(/^\/assets\/gazette-[0-9a-f]{12}\.js$/), []]);
    expect(page.headers.get('content-security-policy')).toMatch(
      /default-src 'none';.*script-src 'self'; connect-src 'self'$/,
    );
    const loaded = await browser.open(BASE_URL + script!);
    expect([loaded.status, loaded.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(register.headers.get('content-security-policy')).not.toContain('script-src');
    const { browser: ben } = await service.signedIn('ben');
    expect((await ben.open(`${BASE_URL}/desk/feeds/permits`)).links).not.toContain(UPLOAD);
    expect((await ben.open(UPLOAD)).status).toBe(403);
    expect(text(page)).toContain('at most 200 MB, and 1,000 MB unpacked');
    expect(text(await browser.open(`${UPLOAD}?lang=de`))).toContain('höchstens 200 MB, entpackt höchstens 1.000 MB');
  });

  it('lies, as long as it is needed, where its owner alone may read it', async () => {
    const modes: number[] = [];
    const service = await uploading({
      async stage({ path }) {
        for (const each of [path, join(path, '..'), join(path, '../..'), join(path, '../state.json')]) {
          modes.push((await stat(each)).mode & 0o777);
        }
        return 1;
      },
    });
    const { browser } = await service.signedIn();
    await ended(browser, await send(service, browser, FILE));
    expect(modes.map((mode) => mode.toString(8))).toEqual(['600', '700', '700', '600']);
  });

  it('shows how far it is, to editors of its register alone, and may be left', async () => {
    const reading = Promise.withResolvers<undefined>();
    const service = await uploading({
      stage(_, { onProgress }) {
        onProgress(1234);
        return reading.promise.then(() => 7);
      },
    });
    const { browser } = await service.signedIn();
    const url = (await send(service, browser, FILE)).headers.get('location')!;
    const seen = async (by: Browser): Promise<Page> => by.open(url, { isFollowing: false });
    const page = await until(
      () => seen(browser),
      (one) => text(one).includes('1,234'),
    );
    expect([page.status, page.headers.get('refresh')]).toEqual([200, '2']);
    expect(text(page)).toMatch(/The file is being read week 17\.csv 1,234 records read so far\./);
    expect((await seen((await service.signedIn('carla')).browser)).status).toBe(404);
    expect((await seen((await service.signedIn('ben')).browser)).status).toBe(403);
    expect((await seen(service.browser())).headers.get('location')).toBe(`${BASE_URL}/desk/sign-in`);
    const elsewhere = await browser.open(url.replace('/permits/', '/notices/'), { isFollowing: false });
    expect(elsewhere.headers.get('location')).toBe(`${BASE_URL}/desk/feeds/notices`);
    reading.resolve(undefined);
    const done = await until(
      () => seen(browser),
      ({ status }) => status === 303,
    );
    expect(done.headers.get('location')).toMatch(/\/imports\/7$/);
    for (const id of ['0'.repeat(32), '..%2fstate', '%2e%2e%2f', 'x']) {
      const other = await browser.open(`${BASE_URL}/desk/feeds/permits/uploads/${id}`, { isFollowing: false });
      expect(other.headers.get('location'), id).toBe(`${BASE_URL}/desk/feeds/permits`);
    }
  });

  it('is read as is guessed: semicolons, a decimal comma, days before months, an encoding of the last century', async () => {
    const service = await uploading();
    const { browser } = await service.signedIn();
    const file = 'Aktenzeichen;Datum;Betrag;Firma\nA-1;01.05.2026;1.234,50;Müller\nA-2;02.05.2026;99,00;Meier\n';
    await ended(browser, await send(service, browser, new Blob([Buffer.from(file, 'latin1')]), { feed: 'notices' }));
    expect((await service.store.imports.find('notices', 1)).counts).toMatchObject({ added: 2, refused: 0 });
    await service.store.imports.proposals.find('notices', 1);
  });

  it.each([
    ['without a row', FILE.split('\n').slice(0, 1).join('\n'), 'a.csv', /no records/],
    ['a document', '%PDF-1.7\n%\n', 'a.pdf', /a\.pdf is a PDF/],
    ['a workbook that is none', 'PK\u0003\u0004xxxx', 'a.xlsx', /a\.xlsx/],
    ['markup', '<html><script>alert(1)</script></html>', 'a.html', /a\.html/],
    ['empty', '', 'a.csv', /a\.csv The file is empty/],
    ['empty, as is usual here', '', 'usual.csv', /usual\.csv The file is empty/],
    ['markup under another name', '<html><p>Not found</p></html>', 'usual.csv', /expected is a text with columns/],
    ['a list without records', '[]', 'usual.json', /no records/],
  ])('is refused in a sentence where it is %s', async (_, file, name, sentence) => {
    const usual = name.startsWith('usual') ? { map: ['id=id', 'title=title'], type: [] } : null;
    const store = SqliteStore.open(':memory:');
    const stage: UploadReading['stage'] = (upload, work) => stageUpload(store, upload, { usual, ...work });
    const service = await uploading({ stage }, { store });
    const { browser } = await service.signedIn();
    const page = await ended(browser, await send(service, browser, file, { name }));
    expect(page.status).toBe(200);
    expect(text(page)).toContain('The file could not be taken in');
    for (const { links } of [page, await browser.open(UPLOAD)])
      expect(links).toContain(`${BASE_URL}/desk/feeds/permits`);
    expect(text(page)).toMatch(sentence);
    expect(text(page)).not.toContain(service.folder);
    expect((await service.left()).filter((one) => one.endsWith('file'))).toEqual([]);
    // It is no import: what an editor uploaded stands in the log of the desk.
    expect(await service.store.imports.list('permits', { limit: 9 })).toEqual([]);
  });

  it('says so where it has nothing new, names what stays as it was set by hand, and leaves no proposal', async () => {
    const service = await uploading();
    const { browser } = await service.signedIn();
    const { store } = service;
    const sent = async (file: string) => ended(browser, await send(service, browser, file, { feed: 'notices' }));
    await sent(FILE);
    const { digest } = await store.imports.proposals.find('notices', 1);
    await new Imports(store).approve('notices', 1, { who: 'anna', digest });
    const page = async () => browser.open((await sent(FILE)).headers.get('location')!);
    const shown = await page();
    expect(text(shown)).toContain('The file has nothing new');
    expect(await store.imports.find('notices', 2)).toMatchObject({ state: 'completed', counts: { unchanged: 3 } });
    await new WorkByHand(store).correct('notices:901', new Map([['title', 'By hand']]), { who: 'anna' });
    expect(text(await page())).toContain('keep what was set by hand, because their source says what it said before: 1');
    // Half of it is nothing new either, and can be said to be all that there is.
    const half = text(
      await browser.open((await sent(FILE.split('\n').slice(0, 2).join('\n'))).headers.get('location')!),
    );
    expect(half).toContain('The file has nothing new');
    expect(half).toContain('2 records of the register are not in the file, and stay published');
    expect(await store.imports.proposals.waiting()).toMatchObject([{ feedId: 'notices' }]);
  });

  it('is shown as text, whatever its name and its contents are', async () => {
    const service = await uploading();
    const { browser } = await service.signedIn();
    const evil = `<img src=x onerror=alert(1)>"'&\u202e.csv`;
    const page = await ended(browser, await send(service, browser, '<script>alert(1)</script>\n1\n', { name: evil }));
    const root = parse((await browser.open(`${BASE_URL}/desk/log`)).html + page.html);
    expect([elements(root, 'script'), elements(root, 'img')]).toEqual([[], []]);
    const path = await send(service, browser, FILE, { name: '../../etc/passwd\u0000\r\nx: y.csv' });
    await ended(browser, path);
    const [noted] = await service.editors.log({ limit: 1 });
    expect(noted!.subject).not.toMatch(/[/\\\r\n\0]/);
  });

  it('ends in a sentence where it unpacks to a thousand times as much', async () => {
    const service = await uploading();
    const { browser } = await service.signedIn();
    const bomb = gzipSync(Buffer.alloc(50_000_000, 'a,b\n'));
    const page = await ended(browser, await send(service, browser, new Blob([bomb]), { name: 'a.csv.gz' }));
    expect(text(page)).toMatch(/a\.csv\.gz would unpack to more than 250 times its size/);
  });

  it.each([
    ['gzip', 'a.csv.gz', (bytes: number) => gzipSync(FILE.padEnd(bytes, '\n'))],
    ['zstd', 'a.csv.zst', (bytes: number) => zstdCompressSync(FILE.padEnd(bytes, '\n'))],
    ['a workbook', 'a.xlsx', sheetOf],
    ['a workbook that is called otherwise', 'a.dat', sheetOf],
  ])('may unpack to five times what may be sent, and is refused in a sentence beyond: %s', async (_, name, packed) => {
    const maxBytes = 10_000;
    const service = await uploading({ maxBytes });
    const { browser } = await service.signedIn();
    const upload = async (bytes: number, at: string): Promise<Page> => {
      const file = new Blob([Buffer.from(packed(bytes))]);
      expect(file.size).toBeLessThan(maxBytes);
      return ended(browser, await send(service, browser, file, { name, at }));
    };
    for (const at of [UPLOAD, `${BASE_URL}/desk/new`]) {
      const page = await upload(5 * maxBytes + 1, at);
      expect(text(page)).toContain('The file would unpack to more than is taken.');
      expect(text(await browser.open(`${page.url}?lang=de`))).toContain('Entpackt wäre die Datei größer als erlaubt.');
    }
    expect((await service.left()).filter((one) => one.endsWith('file'))).toEqual([]);
    expect((await service.store.imports.list('permits', { limit: 9 })).map(({ state }) => state)).not.toContain(
      'proposed',
    );
    expect((await upload(5 * maxBytes, UPLOAD)).headers.get('location')).toMatch(/\/imports\/\d+$/);
  });
});

describe('what is no upload', () => {
  it('is refused before a byte is kept: other sites, no token, an old one, other sessions, other rights', async () => {
    const service = await uploading();
    const { browser } = await service.signedIn();
    const token = new URL(await actionOf(browser)).searchParams.get('form')!;
    const theirs = (await service.signedIn('anna')).browser;
    const account = service.browser();
    const link = await accountSignIns(service.store, { now: () => service.clock.now }).createLink('acme');
    await account.submit(await account.open(`${BASE_URL}/sign-in/${link}`), 'sign-in');
    const [ben, carla] = [(await service.signedIn('ben')).browser, (await service.signedIn('carla')).browser];
    const own = async (of: Browser): Promise<string> => {
      const page = await of.open(`${BASE_URL}/desk`);
      return page.forms[0]!.fields.get('token')!;
    };
    const refused: readonly (readonly [string, Browser, Otherwise, number])[] = [
      ['another site', browser, { form: token, headers: { origin: 'https://evil.example' } }, 403],
      ['no origin', browser, { form: token, headers: { origin: null } }, 403],
      ['a form of another site', browser, { form: token, headers: { 'sec-fetch-site': 'cross-site' } }, 403],
      ['no token', browser, { form: null }, 403],
      ['a token of another session', browser, { form: await own(theirs) }, 403],
      ['a wrong token', browser, { form: token.replace(/.$/, '') }, 403],
      ['a reviewer', ben, { form: await own(ben) }, 403],
      ['an editor of another register', carla, { form: await own(carla) }, 404],
      ['no register', browser, { form: token, feed: 'none' }, 404],
      ['a session of an account', account, { form: token }, 303],
      ['nobody', service.browser(), { form: token }, 303],
    ];
    for (const [what, by, other, status] of refused) {
      const kept = await service.left();
      let isRead = false;
      const body = new ReadableStream(
        {
          pull(controller) {
            isRead = true;
            controller.close();
          },
        },
        { highWaterMark: 0 },
      );
      const headers = { 'content-type': 'multipart/form-data; boundary=x', ...other.headers };
      const answer = await send(service, by, FILE, { ...other, body, headers });
      expect([answer.status, isRead], what).toEqual([status, false]);
      if (status === 303)
        expect(answer.headers.get('location'), what).toBe(`${BASE_URL}/desk/sign-in?done=sessionEnded`);
      expect(await service.left(), what).toEqual(kept);
    }
    service.clock.now += 13 * 3_600_000;
    expect((await send(service, browser, FILE, { form: token })).headers.get('location')).toBe(
      `${BASE_URL}/desk/sign-in?done=sessionEnded`,
    );
    expect(await service.store.imports.list('permits', { limit: 9 })).toEqual([]);
  });

  it('is 413 at once where its length is said, and as soon as it has come where it is not', async () => {
    const service = await uploading({ maxBytes: 1000 });
    const { browser } = await service.signedIn();
    const said = await send(service, browser, FILE, { headers: { 'content-length': '1000000' } });
    expect([said.status, (await said.text()).includes('at most 1000 bytes')]).toEqual([413, true]);
    const unsaid = await send(service, browser, 'a'.repeat(1001));
    expect(unsaid.status).toBe(413);
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        const head = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n';
        controller.enqueue(Buffer.from(sent === 0 ? head : 'a'.repeat(10_000)));
        sent += 10_000;
      },
    });
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    expect((await send(service, browser, FILE, { body: endless, headers })).status).toBe(413);
    expect(sent).toBeLessThan(1_000_000);
    const around = new ReadableStream({
      pull(controller) {
        controller.enqueue(Buffer.from('preamble\r\n'.repeat(1000)));
      },
    });
    expect((await send(service, browser, FILE, { body: around, headers })).status).toBe(413);
    expect(await service.left()).toEqual([]);
    expect((await send(service, browser, 'a'.repeat(1000))).status).toBe(303);
  });

  it('leaves nothing where it is broken off, cut, or no form', async () => {
    const service = await uploading();
    const { browser } = await service.signedIn();
    const head = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\nid,title\r\n';
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const broken = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(head));
      },
      pull(controller) {
        controller.error(new Error('the client went away'));
      },
    });
    const bodies: readonly (readonly [string | ReadableStream, string, number])[] = [
      [broken, 'multipart/form-data; boundary=x', 400],
      [head, 'multipart/form-data; boundary=x', 400],
      ['', 'multipart/form-data; boundary=x', 400],
      ['nothing of that kind', 'multipart/form-data; boundary=x', 400],
      [`${head}--y--\r\n`, 'multipart/form-data; boundary=x', 400],
      [FILE, 'multipart/form-data', 400],
      [FILE, 'text/csv', 415],
      ['token=x', 'application/x-www-form-urlencoded', 415],
    ];
    for (const [body, type, status] of bodies) {
      const answer = await send(service, browser, FILE, { body, headers: { ...headers, 'content-type': type } });
      expect(answer.status, `${type} ${typeof body === 'string' ? body : ''}`).toBe(status);
      expect(await service.left()).toEqual([]);
    }
    const none = await send(service, browser, '', { name: '' });
    expect([none.status, (await none.text()).includes('Choose a file.')]).toEqual([422, true]);
    expect(await service.left()).toEqual([]);
    expect(await service.store.imports.list('permits', { limit: 9 })).toEqual([]);
  });

  it('waits outside where a hundred come at once: a few are taken, the others come again', async () => {
    const staging = Promise.withResolvers<undefined>();
    let [now, most] = [0, 0];
    const service = await uploading({
      async stage() {
        most = Math.max(most, ++now);
        await staging.promise;
        now--;
        return 1;
      },
    });
    const { browser } = await service.signedIn();
    const form = new URL(await actionOf(browser)).searchParams.get('form')!;
    const answers = await Promise.all(Array.from({ length: 100 }, () => send(service, browser, FILE, { form })));
    const counts = Map.groupBy(answers, ({ status }) => status);
    expect([...counts].map(([status, { length }]) => [status, length]).sort()).toEqual([
      [303, 8],
      [503, 92],
    ]);
    expect(counts.get(503)![0]!.headers.get('retry-after')).toBe('30');
    expect((await service.left()).filter((name) => name.endsWith('file'))).toHaveLength(8);
    staging.resolve(undefined);
    await Promise.all(counts.get(303)!.map((answer) => ended(browser, answer)));
    expect(most).toBe(2);
    expect((await send(service, browser, FILE)).status).toBe(303);
  });

  it('leaves nothing where a client goes away in the middle, and is answered 413 before it has sent all', async () => {
    const service = await uploading({ maxBytes: 100_000 });
    const { browser } = await service.signedIn();
    const form = new URL(await actionOf(browser)).searchParams.get('form')!;
    const server = await startServer(service.fetch, { port: 0, host: '127.0.0.1' });
    onTestFinished(() => server.stop(0));
    const begin = async (length: number): Promise<Socket> => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
      await once(socket, 'connect');
      const head = [
        `POST /desk/feeds/permits/upload?form=${form} HTTP/1.1`,
        ...[`host: x`, `origin: ${BASE_URL}`, `cookie: ${browser.cookie}`, `content-length: ${length}`],
        ...['content-type: multipart/form-data; boundary=x', '', '--x'],
        ...['content-disposition: form-data; name="file"; filename="a.csv"', '', 'id,title'],
      ];
      socket.write(head.join('\r\n'));
      return socket;
    };
    const hanging = await begin(50_000);
    while (!(await service.left()).some((name) => name.endsWith('file'))) await new Promise(setImmediate);
    hanging.destroy();
    while ((await service.left()).length > 0) await new Promise(setImmediate);
    const large = await begin(1_000_000);
    const [answer] = (await once(large, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /);
    large.destroy();
    expect(await service.left()).toEqual([]);
    expect(await service.store.imports.list('permits', { limit: 9 })).toEqual([]);
  });

  it('ends with the service: what was being staged is left out, and its file goes', async () => {
    const service = await uploading({
      stage: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(new Error('stopped'));
          });
        }),
    });
    const { browser } = await service.signedIn();
    for (let n = 0; n < 3; n++) await send(service, browser, FILE);
    await service.close();
    expect((await service.left()).filter((name) => name.endsWith('file'))).toEqual([]);
  });
});
