// Who gets the entries of a register's log: everybody, or where the definition says `log: pro`, those who read all its records.
// Who gets the salts by which they are checked: those who read by the ordinary routes what a salt confirms.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { defineRegister, type DefinitionInput } from '../../../../src/register/definition.ts';
import { parseProof } from '../../../../src/wings/proofs/tlog/index.ts';
import { writeSnapshot } from '../../../../src/snapshot/index.ts';
import { toPublishedRecord } from '../../../../src/stores/rows/published-record.ts';
import { sign } from '../signing.ts';
import { SAMPLE_DEFINITION, sampleRecord } from '../../../contracts/sample-register.ts';
import { tries } from '../../../effort.ts';
import { addSamples, API, SAMPLES, type World, world } from '../../../world.ts';
import { digests, folder } from '../../../snapshot/published.ts';
import { ledgerOf } from '../../selling/ledger-of.ts';

const [ENTRIES, ALL] = [700, 256];
const ACCESSES = ['tiered', 'open'] as const;
const LOGS = ['public', 'pro', undefined] as const;

const CALLERS = ['nobody', 'pro', 'otherFeed', 'webhooks', 'buyer'] as const;
type Caller = (typeof CALLERS)[number];

interface Case extends World {
  readonly url: string;
  readonly keys: Readonly<Record<Exclude<Caller, 'nobody'>, string>>;
}

/** A change, as far as it is looked at. */
interface Version {
  readonly record_id: string;
  readonly cause: string;
  readonly statement: unknown;
  readonly proof: unknown;
}

/** What happened to some records, by their positions, before the log was signed. */
const [BOUGHT, BOUGHT_BEFORE, CHANGED, WITHDRAWN, REDACTED] = [3, 4, 5, 6, 7];
const [BOUGHT_AND_WITHDRAWN, BOUGHT_AND_CORRECTED, BOUGHT_AND_REDACTED] = [8, 9, 10];
const ALL_BOUGHT = [BOUGHT, BOUGHT_BEFORE, BOUGHT_AND_WITHDRAWN, BOUGHT_AND_CORRECTED, BOUGHT_AND_REDACTED];

/** The positions of records with a second version. */
const SECOND: ReadonlySet<number> = new Set([...ALL_BOUGHT.slice(1), CHANGED, WITHDRAWN, REDACTED]);

const idOf = (position: number): string => sampleRecord(position).id;

/** What the definition says. */
const defined = (access: (typeof ACCESSES)[number], log: (typeof LOGS)[number]): DefinitionInput => ({
  ...SAMPLE_DEFINITION,
  access,
  ...(access === 'open' ? {} : { prices: { currency: 'EUR', per_record: 100 } }),
  ...(log === undefined ? {} : { log }),
});

async function serviceOf(...says: Parameters<typeof defined>): Promise<Case> {
  const service = await world({ samples: SAMPLES });
  const { store, accounts } = service;
  await store.createRegister(defineRegister({ ...defined(...says), id: 'other', uuid: null }));
  await store.updateRegister(defineRegister(defined(...says)), { recordedAt: '2026-10-02T10:00:00Z' });
  await addSamples(store, 121, ENTRIES);
  await accounts.add('prepaid', null);
  await ledgerOf(store).grantCredit({
    accountId: 'prepaid',
    price: { amount: 1000, currency: 'EUR' },
    reference: null,
    reason: null,
  });
  const made = async (account: string, asked?: Parameters<typeof accounts.createKey>[1]): Promise<string> =>
    (await accounts.createKey(account, asked)).key;
  const keys = {
    pro: service.key,
    otherFeed: await made('acme', { feeds: ['other'] }),
    webhooks: await made('acme', { scopes: ['webhooks'] }),
    buyer: await made('prepaid', { scopes: ['read', 'account'] }),
  };
  if (says[0] === 'tiered') {
    for (const position of ALL_BOUGHT) {
      const headers = { authorization: `Bearer ${keys.buyer}`, 'idempotency-key': String(position) };
      const body = JSON.stringify({ expected_price: '1.00 EUR' });
      const { status } = await service.fetch(
        new Request(`${API}/records/${idOf(position)}/purchase`, {
          ...{ method: 'POST', body },
          headers: { ...headers, 'content-type': 'application/json' },
        }),
        { remoteAddress: '203.0.113.7' },
      );
      expect(status).toBe(200);
    }
  }
  const times = { recordedAt: '2026-10-02T11:00:00Z' };
  const again = (position: number) => toPublishedRecord({ ...sampleRecord(position), title: 'New' }, true);
  await store.apply('permits', [again(BOUGHT_BEFORE), again(CHANGED)], times);
  await store.apply('permits', [again(BOUGHT_AND_CORRECTED)], { ...times, cause: 'extraction_correction' });
  await store.withdraw('permits', [idOf(WITHDRAWN), idOf(BOUGHT_AND_WITHDRAWN)], times);
  for (const position of [REDACTED, BOUGHT_AND_REDACTED]) await store.redact(idOf(position), times);
  await sign(store, 'permits');
  const { log } = (await (await service.get('/feeds/permits')).json()) as { readonly log: { readonly url: string } };
  return { ...service, url: log.url, keys };
}

const headersOf = ({ keys }: Case, caller: Caller): Record<string, string> =>
  caller === 'nobody' ? {} : { authorization: `Bearer ${keys[caller]}` };

/** Positions of records: those to which something happened, the latest ones, and any; the last one is of no record. */
const positions = fc.oneof(
  fc.constantFrom(...ALL_BOUGHT, CHANGED, WITHDRAWN, REDACTED),
  fc.integer({ min: ENTRIES - 3, max: ENTRIES + 1 }),
  fc.integer({ min: 1, max: ENTRIES }),
);

/** Whose records they are, how they are kept, and who asks. */
const askers = [fc.constantFrom(...ACCESSES), fc.constantFrom(...LOGS), fc.constantFrom(...CALLERS)] as const;

/** Paths of the log that there are: the level, the index, and of a partial tile its width. */
const paths = fc
  .record({ level: fc.constantFrom('0', '1', 'entries'), index: fc.nat(2), width: fc.integer({ min: 1, max: ALL }) })
  .map(({ level, index, width }) => {
    const most = level === '1' ? 2 : index < 2 ? ALL : ENTRIES - 2 * ALL;
    const held = Math.min(width, most);
    const number = level === '1' ? '000' : `00${index}`;
    return { level, path: `tile/${level}/${number}${held < ALL ? `.p/${held}` : ''}` };
  });

describe('the log of a register', () => {
  const cases = new Map<string, Case>();
  beforeAll(async () => {
    for (const access of ACCESSES) for (const log of LOGS) cases.set(`${access} ${log}`, await serviceOf(access, log));
  });

  it('gives entries by tier, checkpoint and hashes to everybody', async () => {
    await fc.assert(
      fc.asyncProperty(...([...askers, paths] as const), async (access, log, caller, { level, path }) => {
        const asked = cases.get(`${access} ${log}`)!;
        const { get, url } = asked;
        const headers = headersOf(asked, caller);
        const { status, headers: fields } = await get(`${url}/${path}`, { headers });
        const isKept = level === 'entries' && log === 'pro' && access === 'tiered';
        const refused = { nobody: 401, pro: 200, otherFeed: 403, webhooks: 403, buyer: 403 };
        const expected = isKept ? refused[caller] : 200;
        expect([access, log, caller, path, status]).toEqual([access, log, caller, path, expected]);
        const caching = fields.get('cache-control');
        if (status !== 200)
          expect([caching, fields.get('content-type')]).toEqual(['no-store', 'application/problem+json']);
        else expect(caching).toBe(isKept ? 'private, no-cache' : 'public, max-age=31536000, immutable');
        expect((await get(`${url}/checkpoint`, { headers })).status).toBe(200);
      }),
      { numRuns: tries(40, 10_000) },
    );
  });

  it('proves every version to all but who may not know of it, and gives the salts to those who read what they confirm', async () => {
    const numbers = fc.constantFrom(undefined, 1, 2, 3);
    await fc.assert(
      fc.asyncProperty(...([...askers, positions, numbers] as const), async (access, log, caller, position, number) => {
        const asked = cases.get(`${access} ${log}`)!;
        const headers = headersOf(asked, caller);
        const path = `/records/${idOf(position)}`;
        const [record, history, proof] = await Promise.all(
          ['', '/history', `/proof${number === undefined ? '' : `?version=${number}`}`].map((end) =>
            asked.get(path + end, { headers }),
          ),
        );
        const which = [access, log, caller, position, number];
        const isUnknown = ![200, 410].includes(record!.status);
        const versions = SECOND.has(position) ? 2 : 1;
        const version = number ?? versions;
        const isPro = history!.status === 200;
        const isOwned =
          caller === 'buyer' &&
          access === 'tiered' &&
          (version === 1 ? ALL_BOUGHT : [BOUGHT_AND_WITHDRAWN, BOUGHT_AND_CORRECTED]).includes(position);
        const isWhole = record!.status === 200 && !Object.hasOwn((await record!.json()) as object, 'preview');
        // What the ordinary routes answer is itself what each reader is to see.
        expect([...which, isPro]).toEqual([...which, !isUnknown && (caller === 'pro' || access === 'open')]);
        const isShown = log !== 'pro' || isPro || isOwned || (isWhole && version === versions);
        const refused = caller === 'nobody' ? 401 : 403;
        const expected = isUnknown ? record!.status : version > versions ? 404 : isShown ? 200 : refused;
        expect([...which, proof!.status]).toEqual([...which, expected]);
        if (expected !== 200) return;
        const extra = JSON.parse(Buffer.from(parseProof(await proof!.text()).extra!).toString()) as {
          readonly entry: string;
        };
        expect([...which, (JSON.parse(extra.entry) as { readonly version: number }).version]).toEqual([
          ...which,
          version,
        ]);
        const isErased = [REDACTED, BOUGHT_AND_REDACTED].includes(position);
        const isGone = version === 2 && [WITHDRAWN, BOUGHT_AND_WITHDRAWN].includes(position);
        const salt = isErased ? null : (expect.stringMatching(/^.{44}$/) as string);
        const statement = isErased || isGone ? null : (expect.objectContaining({ id: idOf(position) }) as object);
        expect([...which, extra]).toEqual([
          ...which,
          {
            ...{ entry: expect.any(String) as string, log: expect.any(String) as string, record_salt: salt },
            record_id: isErased ? null : idOf(position),
            // Of what everybody sees whole, the sample states no more.
            ...(isPro || isOwned || (isWhole && version === versions) ? { salt, statement } : {}),
          },
        ]);
        const isPrivate = caller === 'buyer' || isPro || isOwned || isWhole;
        expect([...which, proof!.headers.get('cache-control')]).toEqual([
          ...which,
          isPrivate ? 'private, no-cache' : (expect.stringMatching(/^public/) as string),
        ]);
      }),
      { numRuns: tries(80, 5000) },
    );
  });

  it('gives the salts of changes to those who read all records, and to nobody else', async () => {
    await fc.assert(
      fc.asyncProperty(...([...askers, fc.nat(ENTRIES)] as const), async (access, log, caller, since) => {
        const asked = cases.get(`${access} ${log}`)!;
        const headers = headersOf(asked, caller);
        const path = `/feeds/permits/changes?limit=5&since=${since}`;
        const [plain, proved] = await Promise.all(['', '&proof=1'].map((end) => asked.get(path + end, { headers })));
        const which = [access, log, caller, since];
        expect([...which, proved!.status]).toEqual([...which, plain!.status]);
        expect(await plain!.text()).not.toContain('salt');
        const body = await proved!.text();
        if (proved!.status !== 200) {
          expect(body).not.toMatch(/salt|statement/);
          return;
        }
        const { versions } = JSON.parse(body) as { readonly versions: readonly Version[] };
        expect(versions.length).toBeGreaterThan(0);
        for (const { record_id: id, cause, statement, proof } of versions) {
          const salt = expect.stringMatching(/^.{44}$/) as string;
          const isOfRedacted = [REDACTED, BOUGHT_AND_REDACTED].some((position) => id === idOf(position));
          expect(proof).toMatchObject({
            salt: isOfRedacted && cause !== 'redacted' ? null : salt,
            record_salt: isOfRedacted ? null : salt,
          });
          const record = await asked.get(`/records/${id}`, { headers });
          if (record.status === 410) continue;
          expect([...which, id, record.status]).toEqual([...which, id, 200]);
          expect([...which, id, statement]).toEqual([...which, id, expect.objectContaining({ id })]);
          expect(await record.json()).not.toHaveProperty('preview');
        }
      }),
      { numRuns: tries(10, 2000) },
    );
  });

  it('has no other address for entries', async () => {
    const { get, url } = cases.get('tiered pro')!;
    for (const path of ['tile/%65ntries/000', 'tile//entries/000', 'tile/entries/000/', 'tile/Entries/000'])
      expect([path, (await get(`${url}/${path}`)).ok]).toEqual([path, false]);
  });

  it.each(
    ACCESSES.flatMap((access) =>
      LOGS.flatMap((log) => (['public', 'pro'] as const).map((tier) => [access, log, tier] as const)),
    ),
  )('has entries in snapshots by tier: access %s, log %s, a snapshot of the tier %s', async (access, log, tier) => {
    const { store } = cases.get(`${access} ${log}`)!;
    const out = await folder();
    await writeSnapshot({ store, out, baseUrl: 'https://static.example.org', tier, feeds: ['permits'] });
    const names = [...(await digests(out)).keys()].filter((name) => name.startsWith('permits/log/'));
    const hasEntries = names.some((name) => name.includes('/tile/entries/'));
    expect(hasEntries).toBe(log !== 'pro' || access === 'open' || tier === 'pro');
    expect(names.filter((name) => /checkpoint$|tile\/0\/000$/.test(name))).toHaveLength(2);
  });

  it('loses its entries in a snapshot whose register keeps them to payers from now on', async () => {
    const { store } = await serviceOf('tiered', 'public');
    const out = await folder();
    const entries = async (): Promise<number> => {
      await writeSnapshot({ store, out, baseUrl: 'https://static.example.org' });
      return [...(await digests(out)).keys()].filter((name) => name.includes('/tile/entries/')).length;
    };
    expect(await entries()).toBe(3);
    const { definition } = (await store.register('permits'))!;
    await store.updateRegister({ ...definition, log: 'pro' }, { recordedAt: '2026-10-03T10:00:00Z' });
    expect(await entries()).toBe(0);
  });
});
