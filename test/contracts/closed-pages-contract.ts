// Closed pages as the service answers with them, over any store: the bytes of a snapshot, at addresses that never change.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeSnapshot } from '../../src/snapshot/run.ts';
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import { tries } from '../effort.ts';
import { BASE_URL, world, type World, keyAt, type OpenServiceStore, SECRET, statementAt } from '../world.ts';
import { at, permits } from './store-register.ts';

const COUNT = 250;
const ENDINGS = ['json', 'csv', 'xlsx', 'xml', 'rss', 'atom'] as const;
const PAGE = '/feeds/permits/pages/000001.csv';
const SECOND = '/feeds/permits/pages/000002.csv';
const API = `${BASE_URL}/api/v1`;
const FOR_ONE = 'private, max-age=31536000, immutable';
const FOR_ALL = 'public, max-age=31536000, immutable';

/** Runs the suite on a store. @param open opens an empty one */
export function closedPagesContract(name: string, open: OpenServiceStore): void {
  describe(`closed pages on ${name}`, () => {
    let service: World;
    let dispose: () => Promise<void>;

    async function begin(count = COUNT): Promise<void> {
      const opened = await open();
      service = await world({ store: opened.store, records: count });
      dispose = async () => {
        dispose = () => Promise.resolve();
        await service.close();
        await opened.dispose();
      };
    }
    beforeEach(() => begin());
    afterEach(() => dispose());

    /** Where a page says that exactly its bytes are: the path below the API. */
    const addressOf = async (path: string, key: string | undefined = service.key): Promise<string> => {
      const response = await service.get(path, key === '' ? {} : { key });
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe(key === '' ? 'public, max-age=60' : 'private, no-cache');
      const location = response.headers.get('content-location')!;
      expect(location.startsWith(`${API}${path}?etag=`)).toBe(true);
      return location.slice(API.length);
    };
    const pro = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
      service.get(path, { key: service.key, headers, method });
    const correct = (id: string, title: string, feedId = 'permits'): Promise<unknown> =>
      service.store.apply(feedId, [{ ...statementAt(Number(id), COUNT, feedId), title }], {
        recordedAt: at(9),
        cause: 'extraction_correction',
      });
    const code = async (path: string, key?: string): Promise<readonly unknown[]> => {
      const response = await service.get(path, key === undefined ? {} : { key });
      return [response.status, ((await response.json()) as { code: string }).code];
    };

    it('name the address that has the tag, which is the SHA-256 of the bytes', async () => {
      service.clock.now += 3_600_000;
      const path = await addressOf(PAGE);
      const response = await pro(path);
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(response.status).toBe(200);
      const digest = Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex');
      expect(response.headers.get('etag')).toBe(`"${digest}"`);
      expect(path).toBe(`${PAGE}?etag=${digest.slice(0, 16)}`);
      expect(response.headers.get('cache-control')).toBe(FOR_ONE);
      expect(response.headers.get('vary')).toContain('Authorization');
      expect(response.headers.get('last-modified')).toBeNull();
      expect(response.headers.get('content-location')).toBeNull();
      const plain = await pro(PAGE, { 'if-none-match': `"${digest}"` });
      expect([plain.status, plain.headers.get('content-location')]).toEqual([304, API + path]);
      expect(response.headers.get('content-type')).toContain('text/csv');
    });

    it('answer HEAD, conditions and codings as all routes do', async () => {
      const path = await addressOf('/feeds/permits/pages/000002.json');
      const whole = await pro(path);
      const etag = whole.headers.get('etag')!;
      const head = await pro(path, {}, 'HEAD');
      expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, '']);
      expect(head.headers.get('content-length')).toBe(String((await whole.arrayBuffer()).byteLength));
      const fresh = await pro(path, { 'if-none-match': etag });
      expect([fresh.status, fresh.headers.get('cache-control')]).toEqual([304, FOR_ONE]);
      expect((await pro(path, { 'if-match': '"another"' })).status).toBe(412);
      const coded = await pro(path, { 'accept-encoding': 'gzip' });
      expect(coded.headers.get('content-encoding')).toBe('gzip');
      expect(coded.headers.get('etag')).not.toBe(etag);
    });

    it('move when a record of the page is corrected, withdrawn or redacted, and only then', async () => {
      const before = await addressOf(SECOND);
      const other = await addressOf(PAGE);
      await service.store.apply('permits', [statementAt(COUNT + 1, 0)], { recordedAt: at(8) });
      expect((await pro(before)).status).toBe(200);
      const addresses = [before];
      const changes = [
        () => correct('107', 'Corrected'),
        () => service.store.withdraw('permits', [`permits:${keyAt(108)}`], { recordedAt: at(10) }),
        () => service.store.redact(`permits:${keyAt(109)}`, { recordedAt: at(11) }),
      ];
      for (const change of changes) {
        await change();
        const present = await addressOf(SECOND);
        expect(addresses).not.toContain(present);
        for (const address of addresses) {
          const old = await pro(address);
          expect([old.status, old.headers.get('location')]).toEqual([308, API + present]);
          expect(old.headers.get('cache-control')).toBe('no-store');
          // Who has the old bytes must not be told that they are still there.
          expect((await pro(address, { 'if-none-match': '*' })).status).toBe(308);
        }
        addresses.push(present);
        expect((await pro(other)).status).toBe(200);
      }
      const { length } = (await (await pro(addresses.at(-1)!)).text()).split('\r\n');
      expect(length).toBe(1 + 98 + 1);
      expect(await (await pro(addresses.at(-1)!)).text()).not.toContain(`permits:${keyAt(109)}`);
    });

    it('need a key, as exports do, and are kept by nobody else', async () => {
      const path = await addressOf(PAGE);
      for (const asked of [PAGE, path]) {
        const refused = await service.get(asked);
        expect(refused.status).toBe(401);
        expect(refused.headers.get('cache-control')).toBe('no-store');
        expect(await refused.text()).not.toContain(SECRET);
      }
    });

    it('are for everybody to keep where the register is open to all', async () => {
      await service.store.createRegister({ ...permits('open'), access: 'open' });
      const records = Array.from({ length: 120 }, (_, index) => statementAt(index + 1, 120, 'open'));
      await service.store.apply('open', records, { recordedAt: at(1) });
      const path = await addressOf('/feeds/open/pages/000001.csv', '');
      const shared = await service.get(path);
      expect([shared.status, shared.headers.get('cache-control')]).toEqual([200, FOR_ALL]);
      const keyed = await pro(path);
      expect([keyed.status, keyed.headers.get('cache-control')]).toEqual([200, FOR_ONE]);
      expect(await keyed.text()).toBe(await shared.text());
      // The register is closed to the public: so are its addresses.
      await service.store.updateRegister(permits('open'), { recordedAt: at(12) });
      expect(await code(path)).toEqual([401, 'credentials_required']);
      expect((await pro(path)).headers.get('cache-control')).toBe(FOR_ONE);
    });

    it('refuse what names no page and no tag', async () => {
      const { key } = service;
      for (const page of ['000003.csv', '000000.csv', '1.csv', '0000001.csv', '000001', 'index.csv', '000001.']) {
        expect(await code(`/feeds/permits/pages/${page}`, key), page).toEqual([404, 'not_found']);
      }
      expect(await code('/feeds/permits/pages/000001.pdf', key)).toEqual([404, 'unknown_format']);
      expect(await code('/feeds/nobody/pages/000001.csv', key)).toEqual([404, 'unknown_feed']);
      const tag = (await addressOf(PAGE)).slice(-16);
      for (const wrong of [
        '',
        'x',
        tag.slice(1),
        `${tag}0`,
        `%22${tag}%22`,
        'ABCDEF0123456789',
        `${tag}&etag=${tag}`,
      ]) {
        expect(await code(`${PAGE}?etag=${wrong}`, key), wrong).toEqual([400, 'invalid_parameter']);
      }
      expect(await code(`${PAGE}?limit=5`, key)).toEqual([400, 'unknown_parameter']);
    });

    it('have the bytes of a snapshot after whatever happened, in every format', async () => {
      await dispose();
      const number = fc.integer({ min: 1, max: 320 });
      const act = fc.oneof(
        fc.record({ kind: fc.constant('import' as const), from: number, count: fc.integer({ min: 1, max: 120 }) }),
        fc.record({ kind: fc.constantFrom('correct' as const, 'withdraw' as const, 'redact' as const), number }),
      );
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 100, max: 230 }),
          fc.array(act, { maxLength: 8 }),
          fc.boolean(),
          async (count, acts, isOpen) => {
            await begin(count);
            const out = await mkdtemp(join(tmpdir(), 'gazette-pages-'));
            try {
              const { store } = service;
              if (isOpen) await store.updateRegister({ ...permits(), access: 'open' }, { recordedAt: at(1) });
              const seen = new Map<string, string>();
              await agrees(service, out, seen);
              for (const [index, one] of acts.entries()) await carryOut(store, one, index);
              await agrees(service, out, seen);
            } finally {
              await rm(out, { recursive: true });
              await dispose();
            }
          },
        ),
        { numRuns: tries(2) },
      );
    });

    /** Compares every page with the file of a snapshot, and every address seen before with what it gave then. */
    async function agrees({ store, key }: World, out: string, seen: Map<string, string>): Promise<void> {
      await writeSnapshot({ store, out, baseUrl: `${API}/feeds`, tier: 'pro', threads: 1 });
      const { top } = (await store.register('permits'))!;
      for (const [path, text] of seen) {
        const again = await pro(path);
        if (again.status !== 308) expect(await textOf(again)).toBe(text);
      }
      for (let page = 1; page <= Math.floor(top / 100); page++) {
        for (const ending of ENDINGS) {
          const file = `permits/pages/${String(page).padStart(6, '0')}.${ending}`;
          const address = await addressOf(`/feeds/${file}`, key);
          const text = await textOf(await pro(address));
          expect(text === (await readFile(join(out, file))).toString('latin1'), file).toBe(true);
          seen.set(address, text);
        }
      }
    }
  });
}

const textOf = async (response: Response): Promise<string> =>
  Buffer.from(await response.arrayBuffer()).toString('latin1');

type Act =
  | { readonly kind: 'import'; readonly from: number; readonly count: number }
  | { readonly kind: 'correct' | 'withdraw' | 'redact'; readonly number: number };

/** What happens to a register. Records that there are not are left alone. */
async function carryOut(store: ServiceStore, act: Act, index: number): Promise<void> {
  const recordedAt = at(20 + index);
  if (act.kind === 'import') {
    const batch = Array.from({ length: act.count }, (_, offset) => statementAt(act.from + offset, 0));
    await store.apply('permits', batch, { recordedAt });
    return;
  }
  const id = `permits:${keyAt(act.number)}`;
  if ((await store.record(id)) === null) return;
  if (act.kind === 'withdraw') await store.withdraw('permits', [id], { recordedAt });
  if (act.kind === 'redact') await store.redact(id, { recordedAt });
  if (act.kind === 'correct') {
    const corrected = { ...statementAt(act.number, 0), title: `Corrected at ${index}`, published_at: null };
    await store.apply('permits', [corrected], { recordedAt, cause: 'extraction_correction' });
  }
}
