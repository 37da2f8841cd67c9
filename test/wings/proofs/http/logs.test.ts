// The logs over HTTP, as somebody else's verifier reads them: everything below comes from answers alone.
import { createHmac, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson, type JsonValue } from '../../../../src/register/canonical-json.ts';
import {
  hashesOf,
  leafHash,
  openCheckpoint,
  parseProof,
  parseVerifierKey,
  splitEntries,
  tilePath,
  tilesOf,
  type VerifiedCheckpoint,
  type VerifierKey,
  verifyProof,
} from '../../../../src/wings/proofs/tlog/index.ts';
import { parseNote } from '../../../../src/wings/proofs/tlog/note.ts';
import { tileWidth } from '../../../../src/wings/proofs/tlog/tiles.ts';
import { sign, signLogOfLogs } from '../signing.ts';
import { DelegatingStore } from '../../../contracts/delegating-store.ts';
import { tries } from '../../../effort.ts';
import { sampleRecord } from '../../../contracts/sample-register.ts';
import { hex, naiveRoot } from '../tlog/naive-tree.ts';
import { addSamples, SAMPLES, type World, world } from '../../../world.ts';
import { toPublishedRecord } from '../../../../src/stores/rows/published-record.ts';
import { logsOf } from '../logs-of.ts';

const LATEST = 'permits:2026-0120';
const OLDER = 'permits:2026-0001';

interface Feed {
  readonly log?: {
    readonly origin: string;
    readonly url: string;
    readonly size: number;
    readonly vkeys: readonly string[];
  };
}

interface Extra {
  readonly entry: string;
  readonly log: string;
  readonly record_salt?: string | null;
  readonly salt?: string | null;
  readonly statement?: JsonValue;
  readonly checkpoint_proof?: string;
}

async function logOf({ get }: World): Promise<NonNullable<Feed['log']>> {
  return ((await (await get('/feeds/permits')).json()) as Feed).log!;
}

async function signedService(
  records = 700,
): Promise<World & { readonly keys: readonly VerifierKey[]; readonly checkpoint: VerifiedCheckpoint }> {
  const service = await world({ samples: SAMPLES });
  await addSamples(service.store, 121, records);
  await sign(service.store, 'permits');
  const { origin, url, vkeys } = await logOf(service);
  const keys = vkeys.map(parseVerifierKey);
  const checkpoint = openCheckpoint(await (await service.get(`${url}/checkpoint`)).text(), origin, keys);
  return { ...service, keys, checkpoint };
}

const bytesOf = async (response: Response): Promise<Uint8Array> => {
  expect(response.status).toBe(200);
  return new Uint8Array(await response.arrayBuffer());
};

describe('a log', () => {
  let whole: Awaited<ReturnType<typeof signedService>>;
  beforeAll(async () => {
    whole = await signedService();
  });

  it('says nothing of who asked in what caches give to others', async () => {
    const { url } = await logOf(whole);
    for (const path of ['checkpoint', 'tile/0/000', 'tile/entries/000']) {
      const { status, headers } = await whole.get(`${url}/${path}`);
      expect([path, status, headers.get('cache-control')?.startsWith('public')]).toEqual([path, 200, true]);
      expect([headers.get('x-request-id'), headers.get('ratelimit')]).toEqual([null, null]);
    }
  });

  it('proves all its entries by its tiles', async () => {
    const service = whole;
    const { url, size } = await logOf(service);
    const entries: Uint8Array[] = [];
    for (let index = 0; index * 256 < size; index++) {
      const path = tilePath({ level: 'entries', index, width: tileWidth(size, 0, index) });
      entries.push(...splitEntries(await bytesOf(await service.get(`${url}/${path}`)))!);
    }
    expect([entries.length, service.checkpoint.size]).toEqual([size, size]);
    expect(hex([naiveRoot(entries.map(leafHash))])).toEqual(hex([service.checkpoint.root]));
    const ranges = [{ from: 0, to: size }];
    const tiles = new Map<string, Uint8Array>();
    for (const tile of tilesOf(ranges, size))
      tiles.set(`${tile.level}/${tile.index}`, await bytesOf(await service.get(`${url}/${tilePath(tile)}`)));
    const [root] = hashesOf(ranges, size, ({ level, index }) => tiles.get(`${level}/${index}`)!);
    expect(hex([root!])).toEqual(hex([service.checkpoint.root]));
    expect(service.errors).toEqual([]);
  });

  it('is there under its own name alone', async () => {
    const { url } = await logOf(whole);
    const elsewhere = url.replace(/[^/]+$/, randomUUID());
    const status = async (path: string): Promise<number> => (await whole.get(path)).status;
    expect([await status(`${url}/checkpoint`), await status(`${elsewhere}/checkpoint`)]).toEqual([200, 404]);
    expect([await status(`${url}/tile/0/000`), await status(`${elsewhere}/tile/0/000`)]).toEqual([200, 404]);
  });

  it('may be kept: tiles without end, checkpoints for seconds', async () => {
    const service = whole;
    const { url } = await logOf(service);
    const head = async (path: string): Promise<(string | null)[]> => {
      const { headers } = await service.get(`${url}/${path}`);
      return ['content-type', 'cache-control'].map((name) => headers.get(name));
    };
    expect(await head('checkpoint')).toEqual(['text/plain; charset=utf-8', 'public, max-age=5']);
    const immutable = ['application/octet-stream', 'public, max-age=31536000, immutable'];
    expect(await head('tile/0/000')).toEqual(immutable);
    expect(await head('tile/entries/001')).toEqual(immutable);
  });

  it.each([
    'tile/0/002',
    'tile/0/002.p/255',
    'tile/0/003.p/1',
    'tile/1/000',
    'tile/9/000.p/1',
    'tile/entries/002',
    'tile/0/2',
    'tile/0/x000/000',
    'tile/entries/x001/x000/x000/000',
  ])('has no %s', async (path) => {
    const { url } = await logOf(whole);
    expect((await whole.get(`${url}/${path}`)).status).toBe(404);
  });

  it('has tiles of what is signed, and none of another log that the register has meanwhile', async () => {
    const service = await signedService(130);
    const { url, size } = await logOf(service);
    const status = async (path: string): Promise<number> => (await service.get(`${url}/${path}`)).status;
    await addSamples(service.store, 131, 140);
    for (const tile of ['tile/0/000.p', 'tile/entries/000.p']) {
      expect([await status(`${tile}/${size}`), await status(`${tile}/${size + 1}`)]).toEqual([200, 404]);
    }
    await sign(service.store, 'permits');
    expect(await status(`tile/0/000.p/${size + 10}`)).toBe(200);
    const logs = logsOf(service.store);
    const read = logs.tiles.bind(logs);
    const tiles: typeof read = async (...asked) => {
      const { definition } = (await service.store.register('permits'))!;
      await service.store.removeRegister('permits');
      await service.store.createRegister({ ...definition, uuid: null });
      await addSamples(service.store, 1, 150);
      return read(...asked);
    };
    Object.assign(logs, { tiles });
    expect(await status(`tile/0/000.p/${size}`)).toBe(404);
  });

  it('is not there under another name, and has no checkpoint before it is signed', async () => {
    const service = await world({ samples: SAMPLES });
    expect(await logOf(service)).toBeUndefined();
    const { uuid } = await logsOf(service.store).of('permits');
    const status = async (path: string): Promise<number> => (await service.get(path)).status;
    expect(await status(`/feeds/permits/log/${uuid}/checkpoint`)).toBe(404);
    expect(await status('/feeds/permits/log/0b9d3c5e-0000-4000-8000-000000000000/checkpoint')).toBe(404);
    expect(await status(`/feeds/none/log/${uuid}/checkpoint`)).toBe(404);
    expect(await status(`/records/${LATEST}/proof`)).toBe(404);
  });
});

describe('the log of logs', () => {
  it('is there once it is signed, by its own name, with every checkpoint', async () => {
    const service = await signedService(130);
    const asked = async (path: string): Promise<number> => (await service.get(path)).status;
    expect(await asked('/log')).toBe(404);
    await addSamples(service.store, 131, 140);
    await sign(service.store, 'permits');
    await signLogOfLogs(service.store);
    const response = await service.get('/log');
    expect([response.headers.get('cache-control'), response.status]).toEqual(['public, max-age=5', 200]);
    const log = (await response.json()) as NonNullable<Feed['log']>;
    const at = (path: string): string => new URL(path, log.url).href;
    const wellKnown = await service.get(at('/.well-known/gazette-log.json'));
    expect(await wellKnown.json()).toEqual(log);
    expect(await asked(at('/.well-known/gazette-logs.json'))).toBe(404);
    expect(await asked(at('/.well-known/gazette-log.json/api/v1/log'))).toBe(404);
    const { origin, url, size, vkeys } = log;
    const checkpoint = openCheckpoint(
      await (await service.get(`${url}/checkpoint`)).text(),
      origin,
      vkeys.map(parseVerifierKey),
    );
    expect(checkpoint.size).toBe(size);
    const entries = splitEntries(await bytesOf(await service.get(`${url}/tile/entries/000.p/${size}`)))!;
    expect(hex([naiveRoot(entries.map(leafHash))])).toEqual(hex([checkpoint.root]));
    const { checkpoint: signed } = await logsOf(service.store).of('permits');
    expect(Buffer.from(entries.at(-1)!).toString()).toBe(parseNote(signed!).text);
    expect(await asked(`${url}/tile/entries/000.p/${size + 1}`)).toBe(404);
    expect(await asked(`${url.replace(/[^/]+$/, randomUUID())}/checkpoint`)).toBe(404);
  });

  it('proves the checkpoint of a record’s proof', async () => {
    const { store, get, pro } = await signedService(130);
    const extra = async (ask: World['get'], id = OLDER): Promise<Extra> =>
      JSON.parse(Buffer.from(parseProof(await (await ask(`/records/${id}/proof`)).text()).extra!).toString()) as Extra;
    expect(await extra(get)).not.toHaveProperty('checkpoint_proof');
    await signLogOfLogs(store);
    const { origin, vkeys } = (await (await get('/log')).json()) as NonNullable<Feed['log']>;
    for (const ask of [get, pro]) {
      const proof = parseProof((await extra(ask)).checkpoint_proof!);
      const { checkpoint } = parseProof(await (await ask(`/records/${OLDER}/proof`)).text());
      const leaf = leafHash(Buffer.from(parseNote(checkpoint).text));
      expect(verifyProof(proof, leaf, origin, vkeys.map(parseVerifierKey)).size).toBe(1);
    }
    // What is newer than the last checkpoint in the log of logs is proved by a newer one, until that is there.
    await addSamples(store, 131, 131);
    await sign(store, 'permits');
    const newest = (await store.changes('permits', { since: 130, limit: 1 })).versions[0]!.record_id;
    expect(await extra(get)).toHaveProperty('checkpoint_proof');
    expect(await extra(get, newest)).not.toHaveProperty('checkpoint_proof');
    await logsOf(store).gather();
    expect(await extra(get, newest)).not.toHaveProperty('checkpoint_proof');
    await signLogOfLogs(store);
    expect(await extra(get, newest)).toHaveProperty('checkpoint_proof');
  });
});

describe('changes with proof=1', () => {
  it('have the entries of the log and their salts, and no filter', async () => {
    const { pro, get, store } = await signedService(130);
    const ask = (query: string): Promise<Response> => pro(`/feeds/permits/changes?limit=100${query}`);
    const response = await ask('&proof=1&since=20');
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
    expect(response.headers.get('link')).toContain('&proof=1');
    const { versions } = (await response.json()) as { readonly versions: readonly Readonly<Record<string, unknown>>[] };
    const entries = await logsOf(store).entries('permits', 20, 100);
    expect(versions.map(({ proof }) => (proof as { readonly entry: string }).entry)).toEqual(
      entries.map((entry) => Buffer.from(entry).toString()),
    );
    expect(versions[0]).toMatchObject({
      statement: { id: 'permits:2026-0021' },
      proof: {
        salt: expect.stringMatching(/^.{44}$/) as string,
        record_salt: expect.stringMatching(/^.{44}$/) as string,
      },
    });
    const plain = (await (await ask('')).json()) as { readonly versions: readonly object[] };
    expect(plain.versions.some((version) => 'proof' in version || 'statement' in version)).toBe(false);
    expect((await ask('&proof=1&document_type=draft')).status).toBe(400);
    expect((await get('/feeds/permits/changes?proof=1')).status).toBe(401);
  });
});

describe('the proof of a record', () => {
  const extraOf = (text: string): Extra => JSON.parse(Buffer.from(parseProof(text).extra!).toString()) as Extra;

  it('proves its entry, and the entry the record', async () => {
    const { pro, keys, checkpoint } = await signedService(130);
    const response = await pro(`/records/${OLDER}/proof`);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
    const text = await response.text();
    const { entry, log, record_salt, salt, statement } = extraOf(text);
    expect(verifyProof(parseProof(text), leafHash(Buffer.from(entry)), checkpoint.origin, keys)).toEqual(checkpoint);
    const made = JSON.parse(entry) as Readonly<Record<string, string | number>>;
    expect(parseProof(text).index).toBe(Number(made.change) - 1);
    const hmac = (key: string, said: string): string =>
      createHmac('sha256', Buffer.from(key, 'base64')).update(said).digest('base64');
    expect(hmac(record_salt!, OLDER)).toBe(made.record);
    const committed = { v: 1, log, id: OLDER, version: made.version!, statement: statement! };
    expect(hmac(salt!, canonicalJson(committed))).toBe(made.commitment);
    const record = (await (await pro(`/records/${OLDER}`)).json()) as { readonly title: string };
    expect(statement).toMatchObject({ title: record.title });
  });

  it('has the place that the record’s JSON says, after every kind of change', async () => {
    const { store, get, pro } = await signedService(130);
    await addSamples(store, 131, 131);
    await store.withdraw('permits', [OLDER], { recordedAt: '2026-10-02T10:00:00Z' });
    await addSamples(store, 1, 1);
    await sign(store, 'permits');
    for (const id of [OLDER, 'permits:2026-0131', 'permits:2026-0060']) {
      const { log_index: index } = (await (await pro(`/records/${id}`)).json()) as { readonly log_index: number };
      expect([id, parseProof(await (await pro(`/records/${id}/proof`)).text()).index]).toEqual([id, index]);
    }
    expect(await (await get(`/records/permits:2026-0060`)).json()).not.toHaveProperty('log_index');
  });

  it('gives salts to those alone who may read what they confirm', async () => {
    const { store, get, pro } = await signedService(130);
    const members = async (ask: World['get'], id: string): Promise<string[]> => {
      const extra = Object.keys(extraOf(await (await ask(`/records/${id}/proof`)).text()));
      return extra.filter((name) => name !== 'entry' && name !== 'log' && name !== 'record_id');
    };
    const latest = 'permits:2026-0130';
    const cachingOf = async (ask: World['get'], id: string): Promise<string | null> =>
      (await ask(`/records/${id}/proof`)).headers.get('cache-control');
    expect(await cachingOf(get, latest)).toBe('private, no-cache');
    expect(await cachingOf(get, OLDER)).toMatch(/^public/);
    expect(await members(get, OLDER)).toEqual(['record_salt']);
    expect(await members(get, latest)).toEqual(['record_salt', 'salt', 'statement']);
    expect(await members(pro, OLDER)).toEqual(['record_salt', 'salt', 'statement']);
    expect(await members(pro, latest)).toEqual(['record_salt', 'salt', 'statement']);
    // Everybody reads it whole, and it states more.
    const more = toPublishedRecord({ ...sampleRecord(131), data: { undeclared: 'hidden' } }, true);
    await store.apply('permits', [more], { recordedAt: '2026-10-02T10:00:00Z' });
    await sign(store, 'permits');
    const stated = 'permits:2026-0131';
    expect(await members(get, stated)).toEqual(['record_salt']);
    expect(await (await get(`/records/${stated}/proof`)).text()).not.toContain(
      Buffer.from('hidden').toString('base64'),
    );
    expect(await members(pro, stated)).toEqual(['record_salt', 'salt', 'statement']);
  });

  it('waits for the signature of a new version', async () => {
    const { store, pro, get, errors } = await signedService(130);
    await addSamples(store, 131, 131);
    const response = await pro('/records/permits:2026-0131/proof');
    expect([response.status, ((await response.json()) as { readonly code: string }).code]).toEqual([503, 'not_ready']);
    await sign(store, 'permits');
    expect((await pro('/records/permits:2026-0131/proof')).status).toBe(200);
    expect((await get('/records/permits:none/proof')).status).toBe(404);
    expect(errors).toEqual([]);
  });

  it('is there of every version, of a withdrawal too, and stays when the record is gone', async () => {
    const { store, pro, get, keys, errors } = await signedService(130);
    const times = { recordedAt: '2026-10-02T10:00:00Z' };
    const again = toPublishedRecord({ ...sampleRecord(1), title: 'Second' }, true);
    await store.apply('permits', [again], times);
    await store.withdraw('permits', [OLDER], times);
    await sign(store, 'permits');
    const { checkpoint: note } = await logsOf(store).of('permits');
    const checkpoint = openCheckpoint(note!, keys[0]!.name, keys);
    const hmac = (key: string, said: string): string =>
      createHmac('sha256', Buffer.from(key, 'base64')).update(said).digest('base64');
    const titles = [];
    for (const version of [1, 2, 3, null]) {
      const path = `/records/${OLDER}/proof${version === null ? '' : `?version=${version}`}`;
      for (const ask of [pro, get]) {
        const text = await (await ask(path)).text();
        const { entry, log, record_salt, salt, statement = null } = extraOf(text);
        expect(verifyProof(parseProof(text), leafHash(Buffer.from(entry)), checkpoint.origin, keys)).toEqual(
          checkpoint,
        );
        const made = JSON.parse(entry) as Readonly<Record<string, string | number>>;
        expect([made.version, made.cause]).toEqual([
          version ?? 3,
          ['first_observed', 'source_change', 'withdrawn'][(version ?? 3) - 1],
        ]);
        expect(hmac(record_salt!, OLDER)).toBe(made.record);
        if (ask === get) continue;
        const committed = { v: 1, log, id: OLDER, version: made.version!, statement };
        expect(hmac(salt!, canonicalJson(committed))).toBe(made.commitment);
        titles.push((statement as { readonly title: string } | null)?.title ?? null);
      }
    }
    expect(titles).toEqual([sampleRecord(1).title, 'Second', null, null]);
    const refused = await Promise.all(
      ['4', '0', 'newest', '99999999999999999999'].map(
        async (version) => (await pro(`/records/${OLDER}/proof?version=${version}`)).status,
      ),
    );
    expect(refused).toEqual([404, 400, 400, 400]);
    await store.redact(OLDER, times);
    await sign(store, 'permits');
    for (const version of [1, 2, 3, 4]) {
      const extra = extraOf(await (await pro(`/records/${OLDER}/proof?version=${version}`)).text());
      expect(JSON.parse(extra.entry)).toMatchObject({ version });
      expect(extra).toMatchObject({ record_salt: null, salt: null, statement: null });
    }
    expect(errors).toEqual([]);
  });

  it('has no salts of what was erased while it was made', async () => {
    const store = new (class extends DelegatingStore {
      override async history(...given: Parameters<DelegatingStore['history']>): ReturnType<DelegatingStore['history']> {
        const versions = await super.history(...given);
        await this.redact(OLDER, { recordedAt: '2026-10-02T10:00:00Z' });
        return versions;
      }
    })();
    const { pro } = await world({ samples: SAMPLES, store });
    await sign(store, 'permits');
    const { salt, record_salt } = extraOf(await (await pro(`/records/${OLDER}/proof`)).text());
    expect([salt, record_salt]).toEqual([null, null]);
  });

  it('is refused when a bit of it differs', async () => {
    const { pro, keys, checkpoint } = await signedService(300);
    const text = await (await pro(`/records/${OLDER}/proof`)).text();
    const leaf = leafHash(Buffer.from(extraOf(text).entry));
    const begin = text.indexOf('\nindex ') + 1;
    fc.assert(
      fc.property(fc.nat(text.length - begin - 1), fc.nat(6), (place, bit) => {
        const bytes = Buffer.from(text);
        bytes[begin + place]! ^= 2 ** bit;
        expect(() => verifyProof(parseProof(bytes.toString()), leaf, checkpoint.origin, keys)).toThrow();
      }),
      { numRuns: tries(100) },
    );
  });
});
