// Who gets the entries of a register's log: everybody, or where the definition says `log: pro`, those who read all its records.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { defineRegister, type DefinitionInput } from '../../src/register/definition.ts';
import { writeSnapshot } from '../../src/snapshot/index.ts';
import { sign } from '../contracts/full-store.ts';
import { SAMPLE_DEFINITION } from '../contracts/sample-register.ts';
import { tries } from '../effort.ts';
import { type DemoService, demoService, takeIn } from '../service/demo-service.ts';
import { digests, folder } from '../snapshot/published.ts';

const [ENTRIES, ALL] = [700, 256];
const ACCESSES = ['tiered', 'open'] as const;
const LOGS = ['public', 'pro', undefined] as const;

const CALLERS = ['nobody', 'pro', 'otherFeed', 'webhooks', 'buyer'] as const;
type Caller = (typeof CALLERS)[number];

interface Case extends DemoService {
  readonly url: string;
  readonly keys: Readonly<Record<Exclude<Caller, 'nobody'>, string>>;
}

/** What the definition says. */
const defined = (access: (typeof ACCESSES)[number], log: (typeof LOGS)[number]): DefinitionInput => ({
  ...SAMPLE_DEFINITION,
  access,
  ...(log === undefined ? {} : { log }),
});

async function serviceOf(...says: Parameters<typeof defined>): Promise<Case> {
  const service = await demoService();
  const { store, accounts } = service;
  await store.createRegister(defineRegister({ ...defined(...says), id: 'other', uuid: null }));
  await store.updateRegister(defineRegister(defined(...says)), { recordedAt: '2026-10-02T10:00:00Z' });
  await takeIn(store, 121, ENTRIES);
  await sign(store, 'permits');
  await accounts.add('prepaid', null);
  await store.ledger.grantCredit({
    accountId: 'prepaid',
    price: { amount: 500, currency: 'EUR' },
    reference: null,
    reason: null,
  });
  const made = async (account: string, asked?: Parameters<typeof accounts.createKey>[1]): Promise<string> =>
    (await accounts.createKey(account, asked)).key;
  const keys = {
    pro: service.key,
    otherFeed: await made('demo', { feeds: ['other'] }),
    webhooks: await made('demo', { scopes: ['webhooks'] }),
    buyer: await made('prepaid'),
  };
  const { log } = (await (await service.get('/feeds/permits')).json()) as { readonly log: { readonly url: string } };
  return { ...service, url: log.url, keys };
}

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
      fc.asyncProperty(
        ...([fc.constantFrom(...ACCESSES), fc.constantFrom(...LOGS), fc.constantFrom(...CALLERS), paths] as const),
        async (access, log, caller, { level, path }) => {
          const { get, url, keys } = cases.get(`${access} ${log}`)!;
          const headers = caller === 'nobody' ? {} : { authorization: `Bearer ${keys[caller]}` };
          const { status, headers: fields } = await get(`${url}/${path}`, headers);
          const isKept = level === 'entries' && log === 'pro' && access === 'tiered';
          const refused = { nobody: 401, pro: 200, otherFeed: 403, webhooks: 403, buyer: 403 };
          const expected = isKept ? refused[caller] : 200;
          expect([access, log, caller, path, status]).toEqual([access, log, caller, path, expected]);
          const caching = fields.get('cache-control');
          if (status !== 200)
            expect([caching, fields.get('content-type')]).toEqual(['no-store', 'application/problem+json']);
          else expect(caching).toBe(isKept ? 'private, no-cache' : 'public, max-age=31536000, immutable');
          expect((await get(`${url}/checkpoint`, headers)).status).toBe(200);
        },
      ),
      { numRuns: tries(200) },
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
