// The page of a proof: it is enough to check the proof by hand, and gives salts to those alone who may have them.
import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { isIncluded, leafHash, openCheckpoint, parseVerifierKey } from '../../../../src/wings/proofs/tlog/index.ts';
import { SAMPLE_DEFINITION } from '../../../contracts/sample-register.ts';
import { sign } from '../signing.ts';
import { addSamples, API, BASE_URL, type World } from '../../../world.ts';
import { type OwnersService, ownersService } from '../../../pages/account/signed-in.ts';
import { elementsOf, find } from '../../../pages/documents.ts';

const [OLDER, LATEST] = ['permits:2026-0001', 'permits:2026-0130'];
const REFUSED = 'may read this version';
const HTML = { accept: 'text/html', 'accept-language': 'en' };

interface Extra {
  readonly entry: string;
  readonly record_salt: string;
  readonly salt: string;
}

/** What a paying reader gets of the API. */
async function extraOf({ pro }: Pick<World, 'pro'>, id: string): Promise<Extra> {
  const [, extra] = /^extra (.*)$/m.exec(await (await pro(`/records/${id}/proof`)).text())!;
  return JSON.parse(Buffer.from(extra!, 'base64').toString()) as Extra;
}

/** What stands beside each name of a page's lists: the code in it, or its text. */
function valuesOf(page: string): ReadonlyMap<string, string> {
  const elements = elementsOf(page);
  return new Map(
    elements.flatMap((element, index) => {
      if (element.name !== 'dt') return [];
      const [value, inner] = elements.slice(index + 1);
      return [[element.text, (inner?.name === 'code' ? inner : value)!.text] as const];
    }),
  );
}

/** The record's page and its proof. */
const pageOf = (id: string): string => `${BASE_URL}/records/${id}`;
const proofOf = (id: string): string => `${pageOf(id)}/proof`;

describe('the page of a proof', () => {
  let service: OwnersService;
  beforeAll(async () => {
    service = await ownersService();
    await addSamples(service.store, 121, 130);
    await sign(service.store, 'permits');
  });

  const ask = async (url: string, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
    const response = await service.get(url, { headers: { ...HTML, ...headers } });
    expect([url, response.status]).toEqual([url, 200]);
    return response.text();
  };

  it('has all that is needed to check the proof by hand', async () => {
    const { browser } = await service.signedIn();
    const { html } = await browser.open(proofOf(OLDER), { headers: { 'accept-language': 'en' } });
    const values = valuesOf(html);
    const [entry, checkpoint] = find(html, 'pre').map(({ text }) => text);
    const leaf = leafHash(Buffer.from(entry!));
    expect(values.get('Its hash')).toBe(Buffer.from(leaf).toString('base64'));
    const key = parseVerifierKey(values.get('Key that checks the signature')!);
    const origin = values.get('Name of the log')!;
    // The last line break of the note is not shown.
    const opened = openCheckpoint(`${checkpoint}\n`, origin, [key]);
    expect([origin, Number(values.get('Entries that are signed'))]).toEqual([opened.origin, opened.size]);
    expect(values.get('Signed root')).toBe(Buffer.from(opened.root).toString('base64'));
    const after = elementsOf(html.slice(html.indexOf('id="path"'))).filter(({ name }) => name === 'code');
    const isHash = ({ text }: { readonly text: string }): boolean => /^[\w+/]{43}=$/.test(text);
    const path = after.filter(isHash).map(({ text }) => Buffer.from(text, 'base64'));
    const index = Number.parseInt(values.get('Place of the entry')!, 10);
    expect(isIncluded(index, leaf, path, opened)).toBe(true);
    const said = JSON.parse(entry!) as Readonly<Record<string, string>>;
    expect(values.get('Commitment')).toBe(said.commitment);
    const hmac = createHmac('sha256', Buffer.from(values.get('Salt of the id')!, 'base64')).update(OLDER);
    expect(hmac.digest('base64')).toBe(said.record);
    expect(values.get('Salt of the content')).toBe((await extraOf(service, OLDER)).salt);
    expect(find(html, 'time')[0]!.attributes.get('datetime')).toBe(said.recorded_at);
    const { vkeys } = ((await (await service.get('/feeds/permits')).json()) as { log: { vkeys: string[] } }).log;
    expect(html).toContain(`gazette verify ${API}/feeds/permits --vkey ${vkeys[0]} --state permits.note`);
    expect(find(html, 'a', { href: `${API}/records/${OLDER}/proof?version=1` })).toHaveLength(1);
    expect(Buffer.byteLength(html)).toBeLessThan(50_000);
    expect(service.errors).toEqual([]);
  });

  it('gives salts to those alone who may read what they confirm, and to no shared cache', async () => {
    const seen = async (id: string, text: string): Promise<readonly unknown[]> => {
      const { record_salt, salt } = await extraOf(service, id);
      const values = valuesOf(text);
      const one = (name: string, value: string): string | undefined => {
        expect(values.get(name) === value).toBe(text.includes(value));
        const shown = values.get(name)!;
        return shown === value ? 'shown' : /^You may not have it: it is for those who (.*?)\./.exec(shown)?.[1];
      };
      return [one('Salt of the id', record_salt), one('Salt of the content', salt)];
    };
    const caching = async (id: string): Promise<string | null> =>
      (await service.get(proofOf(id), { headers: HTML })).headers.get('cache-control');
    expect(await seen(OLDER, await ask(proofOf(OLDER)))).toEqual(['shown', REFUSED]);
    // What everybody reads whole, and what says no more than that.
    expect(await seen(LATEST, await ask(proofOf(LATEST)))).toEqual(['shown', 'shown']);
    expect([await caching(OLDER), await caching(LATEST)]).toEqual(['public, max-age=60', 'private, no-cache']);
    // A page knows its reader by the session alone.
    const withKey = await ask(proofOf(OLDER), { authorization: `Bearer ${service.key}` });
    expect(await seen(OLDER, withKey)).toEqual(['shown', REFUSED]);
    const { browser } = await service.signedIn();
    for (const id of [OLDER, LATEST]) {
      const own = await browser.open(proofOf(id), { headers: { 'accept-language': 'en' } });
      expect(await seen(id, own.html)).toEqual(['shown', 'shown']);
      expect(own.headers.get('cache-control')).toBe('private, no-store');
    }
  });

  it('gives everybody the salts of an open register', async () => {
    const open = await ownersService();
    await open.store.updateRegister({ ...SAMPLE_DEFINITION, access: 'open' }, { recordedAt: '2026-10-02T10:00:00Z' });
    await sign(open.store, 'permits');
    const { record_salt, salt } = await extraOf(open, OLDER);
    const values = valuesOf(await (await open.get(proofOf(OLDER), { headers: HTML })).text());
    expect([values.get('Salt of the id'), values.get('Salt of the content')]).toEqual([record_salt, salt]);
  });

  it('is in the reader’s language', async () => {
    const german = await ask(`${proofOf(LATEST)}?lang=de`);
    expect(find(german, 'html')[0]!.language).toBe('de');
    expect(find(german, 'h1')[0]!.text).toBe('Nachweis, dass dieser Eintrag festgehalten wurde');
    expect(find(german, 'a', { href: `/records/${LATEST}?lang=de` })).toHaveLength(1);
  });

  it('is linked from the page of the record once the log is signed, and there only then', async () => {
    const other = await ownersService();
    const page = async (id: string): Promise<Response> => other.get(pageOf(id), { headers: HTML });
    const isLinked = async (id: string): Promise<boolean> =>
      find(await (await page(id)).text(), 'a', { href: `/records/${id}/proof` }).length === 1;
    const latest = 'permits:2026-0120';
    expect([await isLinked(OLDER), await isLinked(latest)]).toEqual([false, false]);
    const { headers } = await page(latest);
    expect((await other.get(proofOf(OLDER), { headers: HTML })).status).toBe(404);
    await sign(other.store, 'permits');
    expect([await isLinked(OLDER), await isLinked(latest)]).toEqual([true, true]);
    const again = await other.get(pageOf(latest), { headers: { ...HTML, 'if-none-match': headers.get('etag')! } });
    expect(again.status).toBe(200);
  });

  it('waits for the signature of a new version, and is there of every one, also of a withdrawn record', async () => {
    const other = await ownersService();
    await sign(other.store, 'permits');
    await addSamples(other.store, 121, 121);
    const id = 'permits:2026-0121';
    const status = async (path: string): Promise<unknown[]> => {
      const response = await other.get(path, { headers: HTML });
      return [response.status, response.headers.get('content-type')];
    };
    const html = 'text/html; charset=utf-8';
    expect(await status(proofOf(id))).toEqual([503, html]);
    await sign(other.store, 'permits');
    expect(await status(proofOf(id))).toEqual([200, html]);
    await other.store.withdraw('permits', [id], { recordedAt: '2026-10-02T10:00:00Z' });
    await sign(other.store, 'permits');
    const why = async (path: string): Promise<string | undefined> =>
      valuesOf(await (await other.get(path, { headers: HTML })).text()).get('Why');
    expect(await why(proofOf(id))).toBe('withdrawn by the publisher');
    expect(await why(`${proofOf(id)}?version=1`)).toBe('first seen');
    expect(await status(`${proofOf(id)}?version=3`)).toEqual([404, html]);
    expect(await status(proofOf('permits:none'))).toEqual([404, html]);
    const { browser } = await other.signedIn();
    const gone = await browser.open(pageOf(id));
    const links = find(gone.html, 'a').flatMap(({ attributes }) => {
      const href = attributes.get('href') ?? '';
      return href.includes('/proof') ? [href] : [];
    });
    const path = `/records/${id}/proof`;
    expect([gone.status, links]).toEqual([410, [`${path}?version=2`, `${path}?version=1`, path]]);
    expect(other.errors).toEqual([]);
  });
});
