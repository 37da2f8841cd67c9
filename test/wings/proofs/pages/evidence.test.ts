// Pages of records carry what proves them, as far as their readers may have it: what the API answers to the same reader.
import { describe, expect, it } from 'vitest';
import { signedStates } from '../../../../src/wings/proofs/operate/signed-states.ts';
import { proofsIn } from '../../../../src/wings/proofs/mirror/evidence/saved-page.ts';
import { SAMPLE_DEFINITION } from '../../../contracts/sample-register.ts';
import { find } from '../../../pages/documents.ts';
import { DANGERS } from '../../../pages/dangers.ts';
import { type OwnersService, ownersService } from '../../../pages/account/signed-in.ts';
import { addSamples, BASE_URL } from '../../../world.ts';
import { cosignLogOfLogs, sign, signLogOfLogs } from '../signing.ts';
import { signerOf } from '../../../../src/wings/proofs/tlog/keys.ts';

const [OLDER, LATEST] = ['permits:2026-0001', 'permits:2026-0120'];
const OPEN = { ...SAMPLE_DEFINITION, access: 'open' } as const;
const HTML = { accept: 'text/html', 'accept-language': 'en' };

const pageOf = (id: string, version?: number): string =>
  `${BASE_URL}/records/${id}${version === undefined ? '' : `?version=${version}`}`;

/** The proofs in a page, as `gazette verify` reads them. */
async function carried(response: Response): Promise<readonly string[]> {
  return proofsIn(Buffer.from(await response.arrayBuffer()));
}

/** What the API answers. */
const answered = async (response: Promise<Response>): Promise<string> => (await response).text();

async function signedService(access: 'open' | 'tiered'): Promise<OwnersService> {
  const service = await ownersService();
  if (access === 'open') await service.store.updateRegister(OPEN, { recordedAt: '2026-10-02T10:00:00Z' });
  await sign(service.store, 'permits');
  await signLogOfLogs(service.store);
  return service;
}

const page = (service: OwnersService, id: string, version?: number): Promise<Response> =>
  service.get(pageOf(id, version), { headers: HTML });

describe('the page of a record', () => {
  it('carries the proof that the API gives to the same reader', async () => {
    const open = await signedService('open');
    for (const id of [OLDER, LATEST]) {
      const own = [await answered(open.get(`/records/${id}/proof`))];
      expect(own[0]).toContain('\nextra ');
      expect(await carried(await page(open, id))).toEqual(own);
      expect(await carried(await page(open, `${id}/proof`))).toEqual(own);
    }
    const tiered = await signedService('tiered');
    for (const id of [OLDER, LATEST]) {
      const [forAll, forPayers] = [tiered.get, tiered.pro].map((ask) => answered(ask(`/records/${id}/proof`)));
      expect(await carried(await page(tiered, id))).toEqual([await forAll]);
      const { browser } = await tiered.signedIn();
      const { html } = await browser.open(pageOf(id), { headers: { 'accept-language': 'en' } });
      expect(proofsIn(Buffer.from(html))).toEqual([await forPayers]);
      // Everybody reads the latest one whole.
      expect((await forPayers) === (await forAll)).toBe(id === LATEST);
    }
    expect([...open.errors, ...tiered.errors]).toEqual([]);
  });

  it('carries the proof of the version that it shows', async () => {
    const service = await signedService('open');
    await addSamples(service.store, 1, 1, '2026-10-02T10:00:00Z', { title: 'Changed' });
    await sign(service.store, 'permits');
    for (const version of [1, 2]) {
      const own = await answered(service.get(`/records/${OLDER}/proof?version=${version}`));
      expect(await carried(await page(service, OLDER, version))).toEqual([own]);
    }
  });

  it('carries of a withdrawn record what it said last, and the withdrawal; of an erased one the erasure', async () => {
    const service = await signedService('open');
    await service.store.withdraw('permits', [OLDER], { recordedAt: '2026-10-02T10:00:00Z' });
    await sign(service.store, 'permits');
    const own = await Promise.all(
      [1, 2].map((version) => answered(service.get(`/records/${OLDER}/proof?version=${version}`))),
    );
    expect(await carried(await page(service, OLDER))).toEqual(own);
    await service.store.redact(LATEST, { recordedAt: '2026-10-02T11:00:00Z' });
    await sign(service.store, 'permits');
    const erased = await page(service, LATEST);
    expect(erased.status).toBe(410);
    expect(await carried(erased)).toEqual([await answered(service.get(`/records/${LATEST}/proof`))]);
  });

  it('is as it was while nothing of it is signed', async () => {
    const service = await ownersService();
    await service.store.updateRegister(OPEN, { recordedAt: '2026-10-02T10:00:00Z' });
    const html = async (id: string): Promise<string> => (await page(service, id)).text();
    expect(await html(OLDER)).not.toContain('data-proof');
    await sign(service.store, 'permits');
    await addSamples(service.store, 121, 121);
    expect(find(await html('permits:2026-0121'), 'details').filter(({ text }) => text.includes('proof'))).toEqual([]);
    expect(await html(OLDER)).toContain('data-proof');
  });

  it('gives nothing of a log for payers to the public, but for what everybody sees whole', async () => {
    const service = await ownersService();
    await service.store.updateRegister({ ...SAMPLE_DEFINITION, log: 'pro' }, { recordedAt: '2026-10-02T10:00:00Z' });
    await sign(service.store, 'permits');
    expect(await carried(await page(service, OLDER))).toEqual([]);
    expect(await carried(await page(service, LATEST))).toHaveLength(1);
  });

  it('has another entity tag as soon as its proof is another one, and else the same', async () => {
    const service = await signedService('open');
    const witness = signerOf('witness.example.org', 'witness', Buffer.alloc(32, 9));
    const tags = new Set<string>();
    const changes: readonly (() => Promise<void>)[] = [
      () => Promise.resolve(),
      () => cosignLogOfLogs(service.store, witness, Date.parse('2026-10-02T10:00:00Z')),
      async () => {
        await addSamples(service.store, 121, 121);
        await sign(service.store, 'permits');
      },
      () => signLogOfLogs(service.store),
    ];
    for (const [at, change] of changes.entries()) {
      await change();
      const first = await page(service, OLDER);
      const tag = first.headers.get('etag')!;
      tags.add(tag);
      expect([at, await carried(first)]).toEqual([at, [await answered(service.get(`/records/${OLDER}/proof`))]]);
      const again = await service.get(pageOf(OLDER), { headers: { ...HTML, 'if-none-match': tag } });
      expect([again.status, tags.size]).toEqual([304, at + 1]);
    }
  });

  it('proves by the state that its tag names, whatever is signed meanwhile', async () => {
    const service = await signedService('open');
    const views = {
      history: (id: string, range: Parameters<typeof service.store.history>[1]) =>
        service.store.history(id, range).then((found) => found!),
    };
    const { definition } = (await service.store.register('permits'))!;
    const asked = {
      registers: views,
      version: null,
      sight: { view: { entry: { definition } }, tier: 'pro', isWhole: true },
      owned: () => Promise.resolve([]),
    } as const;
    const proving = async (): Promise<NonNullable<Awaited<ReturnType<ReturnType<typeof signedStates>['proving']>>>> =>
      (await signedStates(service.store).proving('permits'))!;
    const before = await proving();
    const proof = await before.of(OLDER, asked as never);
    await addSamples(service.store, 121, 121);
    await sign(service.store, 'permits');
    await signLogOfLogs(service.store);
    expect(await before.of(OLDER, asked as never)).toEqual(proof);
    expect(await (await proving()).of(OLDER, asked as never)).not.toEqual(proof);
    expect(await before.of('permits:2026-0121', asked as never)).toBeNull();
  });

  it('is for its reader alone where it has the salt of what it says', async () => {
    const [open, tiered] = [await signedService('open'), await signedService('tiered')];
    const caching = async (service: OwnersService, id: string): Promise<string | null> =>
      (await page(service, id)).headers.get('cache-control');
    expect([await caching(open, OLDER), await caching(tiered, OLDER), await caching(tiered, LATEST)]).toEqual([
      'private, no-cache',
      'public, max-age=60',
      'private, no-cache',
    ]);
  });

  it('says whether it proves what the record says', async () => {
    const service = await signedService('tiered');
    const told = async (id: string): Promise<boolean> =>
      (await (await page(service, id)).text()).includes('not what it says');
    expect([await told(OLDER), await told(LATEST)]).toEqual([true, false]);
  });

  it('carries one proof and no other, whatever its publisher writes, and says where a long one is', async () => {
    const service = await signedService('open');
    const fake = '<pre data-proof>c2sp.org/tlog-proof@v1\nindex 0\n\nfake</pre>';
    for (const [at, danger] of [...DANGERS, fake, `<b title='${fake}'>x</b>`, `-->${fake}`].entries()) {
      const text = `${danger} ${at}`;
      const change = { title: text.slice(0, 900), summary: text, content: text, content_type: 'html' } as const;
      await addSamples(service.store, 1, 1, `2026-10-02T10:00:${String(at).padStart(2, '0')}Z`, change);
      await sign(service.store, 'permits');
      const response = await page(service, OLDER);
      const html = await response.text();
      const file = `/api/v1/records/${OLDER}/proof?version=${at + 2}`;
      const own = await answered(service.get(BASE_URL + file));
      if (own.length <= 14_000) expect(proofsIn(Buffer.from(html))).toEqual([own]);
      else {
        expect(proofsIn(Buffer.from(html))).toEqual([]);
        expect(find(html, 'a', { href: BASE_URL + file })).toHaveLength(1);
      }
      expect(Buffer.byteLength(html)).toBeLessThan(60_000);
    }
    expect(service.errors).toEqual([]);
  });
});
