// Whole registers while they are sent, over any store, in the formats that are written from its bytes: who may not have them any
// more, or goes away, gets no further page, and what is erased is in none.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GazetteError, isGazetteError } from '../../src/errors.ts';
import { until } from '../until.ts';
import { addSamples, API, type OpenServiceStore, SAMPLES, type World, world } from '../world.ts';
import { SAMPLE_DEFINITION, sampleRecord } from './sample-register.ts';
import { at } from './store-register.ts';
import { WatchedWalks } from './watched-walks.ts';

/** More than a store reads at once and asks for meanwhile. */
const RECORDS = 3000;

/** Runs the suite on a store. @param open opens an empty one */
export function wholeRegistersContract(name: string, open: OpenServiceStore): void {
  describe.each(['csv', 'ndjson', 'xml'])(`a whole register of ${name} as %s`, (format) => {
    const path = `/feeds/permits/register.${format}`;
    let service: World;
    let walks: WatchedWalks;
    let dispose: () => Promise<void>;

    beforeEach(async () => {
      const opened = await open();
      ({ dispose } = opened);
      walks = new WatchedWalks(opened.store);
      service = await world({ samples: SAMPLES, store: opened.store });
      await addSamples(opened.store, SAMPLES + 1, RECORDS);
    });
    afterEach(async () => {
      // However it ended, all of it was read as rows.
      expect(walks.rows).toBe(walks.read);
      await service.close();
      await dispose();
    });

    const setOpen = (isOpen: boolean): Promise<unknown> =>
      service.store.updateRegister(
        { ...SAMPLE_DEFINITION, ...(isOpen ? { access: 'open' } : {}) },
        { recordedAt: at(0) },
      );

    /** Reads an answer, of which the group of that number waits for what happens meanwhile. */
    async function readDuring(
      response: Response,
      group: number,
      meanwhile: () => Promise<unknown>,
    ): Promise<string | GazetteError> {
      const held = Promise.withResolvers<undefined>();
      walks.before = (pages) => (pages === group ? held.promise : undefined);
      const read = response.text().catch((error: unknown) => error as GazetteError);
      await until('the groups before', () => walks.read === group);
      await meanwhile();
      held.resolve(undefined);
      return read;
    }

    // Of a register that is removed, what a store has asked for at once is still sent: 2,000 records at most.
    it.each<[string, string, number, (service: World) => Promise<unknown>]>([
      ['its key is revoked', 'revoked_key', 2, ({ accounts }) => accounts.revokeKey('acme', null)],
      ['its account is suspended', 'account_suspended', 2, ({ accounts }) => accounts.suspend('acme')],
      ['the register is removed', 'unknown_feed', 16, ({ store }) => store.removeRegister('permits')],
      ['the register is closed to them', 'credentials_required', 2, () => setOpen(false)],
    ])('has no further page for its reader once %s', async (_, code, most, change) => {
      if (code === 'credentials_required') await setOpen(true);
      const response = await (code === 'credentials_required' ? service.get(path) : service.pro(path));
      const failure = await readDuring(response, 1, () => change(service));
      expect(isGazetteError(failure, 'aborted') && failure.cause).toMatchObject({ code });
      expect(walks).toMatchObject({ walking: 0 });
      expect(walks.read).toBeLessThanOrEqual(most);
      expect(service.errors).toEqual([]);
      expect(service.lines.at(-1)).toMatchObject({ status: 200, broken_off: true });
    });

    it('says nothing of what was erased or withdrawn before its page was read, and all else as it is then', async () => {
      const { store } = service;
      const text = await readDuring(await service.pro(path), 1, async () => {
        await store.redact(idOf(1), { recordedAt: at(1) });
        await store.withdraw('permits', [idOf(2), idOf(3)], { recordedAt: at(2) });
        await addSamples(store, 3, 3, at(3));
        await addSamples(store, 4, 4, at(4), { title: 'Permit 4: changed' });
        await addSamples(store, RECORDS + 1, RECORDS + 1, at(5));
      });
      const titles = (text as string).match(/Permit (?:[1-5]|3001): \p{L}+/gu);
      expect(titles).toEqual(['Permit 5: Müller', 'Permit 4: changed', 'Permit 3: Müller']);
    });

    it('is for nobody of the public, who has nothing read', async () => {
      expect((await service.get(path)).status).toBe(401);
      expect(walks.read).toBe(0);
    });

    it('is read no faster than its reader reads', async () => {
      const reader = (await service.pro(path)).body!.getReader();
      await reader.read();
      const before = walks.read;
      for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
      expect(walks.read).toBe(before);
      await reader.cancel();
      expect(walks.walking).toBe(0);
    });

    it.each(['in the middle of a read', 'between two reads'])(
      'ends at once if its reader goes away %s',
      async (when) => {
        const held = Promise.withResolvers<undefined>();
        walks.before = (pages) => (pages === 5 ? held.promise : undefined);
        const reader = (await service.pro(path)).body!.getReader();
        await reader.read();
        if (when === 'in the middle of a read') {
          void readOn(reader);
          await until('five pages', () => walks.read === 5);
        }
        await reader.cancel();
        held.resolve(undefined);
        await until('the end of the walk', () => walks.walking === 0);
        expect(walks.read).toBeLessThanOrEqual(6);
        expect(service.errors).toEqual([]);
        expect(service.lines.at(-1)).toMatchObject({ status: 200, broken_off: true });
      },
    );

    it('ends if the request is aborted before anybody reads', async () => {
      for (let i = 0; i < 6; i++) {
        const hangUp = new AbortController();
        const headers = { authorization: `Bearer ${service.key}` };
        const response = await service.fetch(new Request(API + path, { headers, signal: hangUp.signal }));
        expect(response.status).toBe(200);
        hangUp.abort();
      }
      await until('the end of the walks', () => walks.walking === 0);
    });

    it('breaks off if a page cannot be read, and says so to the operator', async () => {
      const failure = new Error('the disk is gone');
      walks.before = (pages) => {
        if (pages === 10) throw failure;
      };
      const response = await service.pro(path);
      expect(response.status).toBe(200);
      await expect(response.text()).rejects.toMatchObject({ code: 'aborted' });
      expect(service.errors).toEqual([failure]);
      const { bytes } = service.lines.at(-1) as { readonly bytes: number };
      expect(service.lines.at(-1)).toMatchObject({ status: 200, broken_off: true });
      expect(bytes).toBeGreaterThan(0);
      expect(await service.metrics.registry.metrics()).toContain(
        `gazette_http_response_bytes_total{route="/feeds/{feed_id}/register.{format}"} ${bytes}`,
      );
      expect(walks.walking).toBe(0);
    });
  });
}

const idOf = (position: number): string => sampleRecord(position).id;

async function readOn(reader: ReadableStreamDefaultReader<unknown>): Promise<void> {
  while (!(await reader.read()).done);
}
