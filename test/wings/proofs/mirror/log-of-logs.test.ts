// The log of logs of a service, checked from its answers: every checkpoint in it, and every register's log against it.
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { isGazetteError } from '../../../../src/errors.ts';
import { proveLogOfLogs, type ProvedLogOfLogs } from '../../../../src/wings/proofs/mirror/log-of-logs.ts';
import { parseNote } from '../../../../src/wings/proofs/tlog/note.ts';
import { sign, signedHead, signLogOfLogs } from '../signing.ts';
import { at, permits, say } from '../../../contracts/store-register.ts';
import { tries } from '../../../effort.ts';
import { SAMPLES, type World, world } from '../../../world.ts';
import { logsOf } from '../logs-of.ts';

const ADDRESS = 'https://registers.example.org/api/v1/log';

interface Signed extends World {
  readonly vkey: string;
}

/** A service with two registers, whose logs were signed again and again. */
async function signedService(rounds = 24): Promise<Signed> {
  const service = await world({ samples: SAMPLES });
  const { store } = service;
  await store.createRegister(permits('other'));
  for (let round = 0; round < rounds; round++) {
    const batch = Array.from({ length: 31 }, (_, n) => say(`k${round}-${n}`, {}, 'other'));
    await store.apply('other', batch, { recordedAt: at(round) });
    if (round % 4 === 0) await sign(store, 'permits');
    await sign(store, 'other');
    await logsOf(store).gather();
    if (round % 5 === 0) await signLogOfLogs(store);
  }
  await signLogOfLogs(store);
  return { ...service, vkey: (await logsOf(store).ofLogs()).vkey! };
}

/** What is answered in the place of an answer; undefined: the answer itself. */
type Instead = (path: string, bytes: Uint8Array) => Uint8Array | undefined;

async function prove(
  service: Signed,
  options: { kept?: string | null; instead?: Instead } = {},
): Promise<ProvedLogOfLogs> {
  const { kept = null, instead } = options;
  return proveLogOfLogs(ADDRESS, {
    ...{ vkey: service.vkey, kept, attempts: 1 },
    async fetch(input, init) {
      const request = new Request(input, init);
      const response = await service.fetch(request, { remoteAddress: '127.0.0.1' });
      if (instead === undefined || response.status !== 200) return response;
      const bytes = new Uint8Array(await response.arrayBuffer());
      return new Response(Uint8Array.from(instead(new URL(request.url).pathname, bytes) ?? bytes));
    },
  });
}

let whole: Signed;
beforeAll(async () => {
  whole = await signedService();
});

it('proves all checkpoints, and that each log begins with what they say', async () => {
  const { size } = await logsOf(whole.store).ofLogs();
  const { checkpoint } = await logsOf(whole.store).ofLogs();
  // One of the register that did not change, and one for each round.
  expect(size).toBe(25);
  expect(await prove(whole)).toEqual({ size, kept: checkpoint, cosigned: [], logs: 2, gone: [] });
  expect(await prove(whole, { kept: checkpoint })).toMatchObject({ size });
});

it('refuses every answer of which a bit differs', async () => {
  const read = new Map<string, number>();
  await prove(whole, {
    instead: (path, bytes) => {
      read.set(path, bytes.length);
      return undefined;
    },
  });
  expect(read.size).toBeGreaterThan(8);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...read.keys()), fc.nat(), fc.nat(7), async (damaged, place, bit) => {
      const proved = prove(whole, {
        instead(path, bytes) {
          if (path !== damaged) return undefined;
          bytes[place % bytes.length]! ^= 2 ** bit;
          return bytes;
        },
      });
      const error = await proved.catch((caught: unknown) => caught);
      // What has not the form of a note or a tile any more says nothing of the log.
      const isRefused = isGazetteError(error, 'invalid_proof') || isGazetteError(error, 'request_failed');
      expect([damaged, isRefused]).toEqual([damaged, true]);
    }),
    { numRuns: tries(50, 5000) },
  );
});

it('finds a log that does not begin with what was listed', async () => {
  // Fewer would go back, which is another fault.
  for (const size of [220, 256, 260]) {
    const service = await signedService(7);
    const { uuid, origin, checkpoint: before } = await logsOf(service.store).of('other');
    const forged = signedHead(origin!, { size, root: Buffer.alloc(32, 9) });
    const batch = Array.from({ length: 50 }, (_, n) => say(`later-${n}`, {}, 'other'));
    await service.store.apply('other', batch, { recordedAt: at(100) });
    expect(await logsOf(service.store).publish('other', { uuid, origin: origin!, before, ...forged })).toBe(true);
    await logsOf(service.store).gather();
    await sign(service.store, 'other');
    await signLogOfLogs(service.store);
    const error = await prove(service).catch((caught: unknown) => caught);
    expect(isGazetteError(error, 'log_forked')).toBe(true);
  }
});

it('finds a log that shows less than was listed', async () => {
  const service = await signedService(3);
  const { uuid, origin, checkpoint: before } = await logsOf(service.store).of('other');
  const shorter = await signedService(2);
  const { checkpoint } = await logsOf(shorter.store).of('other');
  const [, size, root] = parseNote(checkpoint!).text.split('\n');
  const older = signedHead(origin!, { size: Number(size), root: Buffer.from(root!, 'base64') });
  // Entries have random salts, so the tree itself is another one: the size is looked at first.
  expect(await logsOf(service.store).publish('other', { uuid, origin: origin!, before, ...older })).toBe(true);
  await expect(prove(service)).rejects.toMatchObject({ code: 'invalid_proof' });
  const own = signedHead(origin!, {
    size: 0,
    root: Buffer.from('47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=', 'base64'),
  });
  expect(
    await logsOf(service.store).publish('other', { uuid, origin: origin!, before: older.checkpoint, ...own }),
  ).toBe(true);
  await expect(prove(service)).rejects.toMatchObject({
    code: 'log_stale',
    message: expect.stringContaining(
      'as it was at change 0: it is stale, the log of logs has 93 changes more',
    ) as string,
  });
  // That it lists it once more makes it no newer.
  await logsOf(service.store).gather();
  await signLogOfLogs(service.store);
  await expect(prove(service)).rejects.toMatchObject({ code: 'log_stale' });
});

it('names the logs that are there no more', async () => {
  const service = await signedService(3);
  const { origin } = await logsOf(service.store).of('other');
  await service.store.removeRegister('other');
  expect(await prove(service)).toMatchObject({ logs: 1, gone: [origin] });
  await service.store.createRegister(permits('other'));
  expect(await prove(service)).toMatchObject({ logs: 1, gone: [origin] });
});

it('finds a log of logs that does not begin with what it had', async () => {
  const { origin } = await logsOf(whole.store).ofLogs();
  for (const size of [25, 26, 20]) {
    const { checkpoint: kept } = signedHead(origin!, { size, root: Buffer.alloc(32, 4) });
    await expect(prove(whole, { kept })).rejects.toMatchObject({ code: size === 26 ? 'log_stale' : 'log_forked' });
  }
});

it('refuses a list of something else than checkpoints, and keys of other logs', async () => {
  const { vkey } = await logsOf(whole.store).of('permits');
  await expect(prove({ ...whole, vkey: vkey! })).rejects.toMatchObject({ code: 'invalid_option' });
  await expect(proveLogOfLogs('https://a.example/api/v1', { vkey: whole.vkey, kept: null })).rejects.toMatchObject({
    code: 'invalid_option',
  });
});
