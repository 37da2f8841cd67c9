import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fastify from 'fastify';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Access, Authenticate } from '../../src/access/access.ts';
import { Accounts } from '../../src/operate/accounts.ts';
import { createApiKey, digestApiKey } from '../../src/access/api-key.ts';
import { type AuthenticatorOptions, createAuthenticator } from '../../src/access/authenticate.ts';
import { CREDENTIAL_PARAMETERS } from '../../src/access/misplaced-credentials.ts';
import { toFastifyHandler } from '../../src/adapters/fastify.ts';
import { toNodeListener, type WebHandler } from '../../src/adapters/node.ts';
import { GazetteError, isGazetteError } from '../../src/errors.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { at } from '../contracts/store-register.ts';
import { tries } from '../effort.ts';
import { texts } from '../properties/arbitraries.ts';

const URL_BASE = 'https://example.org/api/v1/feeds/permits/records';

let accounts: Accounts;
let store: SqliteStore;
let nowMs: number;
let key: string;
let keyId: string;
let lookUps: number;
let authenticate: Authenticate;

beforeEach(async () => {
  store = SqliteStore.open(':memory:');
  nowMs = Date.parse(at(0));
  accounts = new Accounts(store, { product: 'gazette', now: () => nowMs });
  await accounts.add('acme', at(60));
  ({
    key,
    entry: { id: keyId },
  } = await accounts.createKey('acme'));
  lookUps = 0;
  authenticate = authenticator();
});
afterEach(() => store.close());

function authenticator(options: Partial<AuthenticatorOptions> = {}): Authenticate {
  const counting = Object.create(store.accounts, {
    findKey: {
      value: (digest: Uint8Array) => {
        lookUps++;
        return store.accounts.findKey(digest);
      },
    },
  }) as SqliteStore['accounts'];
  return createAuthenticator({ accounts: counting, product: 'gazette', now: () => nowMs, ...options });
}

function ask(authorization: string | null, url = URL_BASE, authenticated = authenticate): Promise<Access> {
  return authenticated(new Request(url, { headers: authorization === null ? {} : { authorization } }));
}

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

describe('a request', () => {
  it('without credentials is public', async () => {
    expect(await ask(null)).toEqual({ tier: 'public' });
    expect(lookUps).toBe(0);
  });

  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('with %s and a key is pro', async (scheme) => {
    expect(await ask(`${scheme} ${key}`)).toMatchObject({ tier: 'pro', account: { id: 'acme' }, key: { id: keyId } });
    expect(await ask(`${scheme}   ${key}`)).toMatchObject({ tier: 'pro' });
    expect(lookUps).toBe(2);
  });

  it.each([
    ['an empty header', ''],
    ['a scheme alone', 'Bearer'],
    ['no scheme', '{key}'],
    ['another scheme', 'Digest {key}'],
    ['a parameter', 'Bearer key={key}'],
    ['something behind the key', 'Bearer {key} x'],
    ['a mistyped key', 'Bearer x{key}'],
    ['a cut-off key', 'Bearer gz_0000'],
    ['a key with its case changed', 'Bearer {KEY}'],
    ['quotes', 'Bearer "{key}"'],
    ['another scheme with parameters', 'Digest username="a", realm="b", response="c"'],
    ['HTTP Basic, which is not allowed here', basic('reader', 'x')],
    ['not even ASCII', 'Bearer clé'],
  ])('is refused as malformed_key, without a look-up, for %s', async (_, template) => {
    const authorization = template.replace('{key}', key).replace('{KEY}', key.toUpperCase());
    await expect(ask(authorization)).rejects.toMatchObject({ code: 'malformed_key' });
    expect(lookUps).toBe(0);
  });

  it.each([
    ['Bearer {key}, Bearer {key}'],
    ['Bearer {key}, Bearer x'],
    ['Bearer x, Bearer {key}'],
    [', Bearer {key}'],
    ['Bearer {key}, '],
    ['Bearer {key}, gz_x'],
    ['gz_x, Bearer {key}'],
    ['gz_x, gz_x'],
    [', '],
    ['Digest username="a", Bearer {key}'],
    ['Bearer {key}, Basic eDp5'],
  ])('is refused as repeated_credentials for two headers that make %j', async (template) => {
    const authorization = template.replaceAll('{key}', key);
    for (const allowBasic of [false, true]) {
      const refused = ask(authorization, URL_BASE, authenticator({ allowBasic }));
      await expect(refused).rejects.toMatchObject({ code: 'repeated_credentials' });
    }
    expect(lookUps).toBe(0);
  });

  it('with a key nobody was given is refused as unknown_key', async () => {
    await expect(ask(`Bearer ${createApiKey()}`)).rejects.toMatchObject({ code: 'unknown_key' });
    expect(lookUps).toBe(1);
  });

  it('is looked up anew every time: what changes counts at once', async () => {
    await ask(`Bearer ${key}`);
    await store.accounts.revokeKey(keyId, { revokedAt: at(0) });
    await expect(ask(`Bearer ${key}`)).rejects.toMatchObject({ code: 'revoked_key' });
  });
});

describe('a key that was found before the store changed', () => {
  it('is looked up again, also when another key was found since', async () => {
    const accounts = new Accounts(store, { product: 'gazette', now: () => nowMs });
    const { key: other } = await accounts.createKey('acme');
    const send = (sent: string, stamp: number): Promise<Access> =>
      authenticate(new Request(URL_BASE, { headers: { authorization: `Bearer ${sent}` } }), stamp);
    await send(key, 1);
    await send(key, 1);
    expect(lookUps).toBe(1);
    await store.accounts.revokeKey(keyId, { revokedAt: at(0) });
    await send(other, 2);
    await expect(send(key, 2)).rejects.toMatchObject({ code: 'revoked_key' });
  });
});

describe('a look-up that ends after a newer one', () => {
  it('is not kept, and takes nothing from those that are', async () => {
    const accounts = new Accounts(store, { product: 'gazette', now: () => nowMs });
    const { key: other } = await accounts.createKey('acme');
    const held = Promise.withResolvers<undefined>();
    let isHeld = true;
    const slow = Object.create(store.accounts, {
      findKey: {
        value: async (digest: Uint8Array) => {
          lookUps++;
          const found = await store.accounts.findKey(digest);
          if (isHeld && Buffer.from(digest).equals(digestApiKey(key))) await held.promise;
          return found;
        },
      },
    }) as SqliteStore['accounts'];
    const authenticate = authenticator({ accounts: slow });
    const send = (sent: string, stamp: number): Promise<Access> =>
      authenticate(new Request(URL_BASE, { headers: { authorization: `Bearer ${sent}` } }), stamp);
    const early = send(key, 1);
    await send(other, 2);
    isHeld = false;
    held.resolve(undefined);
    await early;
    expect(lookUps).toBe(2);
    // Found under stamp 2, and still known.
    await send(other, 2);
    expect(lookUps).toBe(2);
    // What was found under stamp 1 does not count under stamp 2: the key may have been revoked between both.
    await store.accounts.revokeKey(keyId, { revokedAt: at(0) });
    await expect(send(key, 2)).rejects.toMatchObject({ code: 'revoked_key' });
    expect(lookUps).toBe(3);
  });
});

describe('HTTP Basic, where it is allowed', () => {
  it.each(['', 'reader', 'acme@example.org'])('takes the key as password of %j', async (user) => {
    const allowed = authenticator({ allowBasic: true });
    expect(await ask(basic(user, key), URL_BASE, allowed)).toMatchObject({ tier: 'pro', key: { id: keyId } });
    expect(await ask(basic(user, key).replace('Basic', 'bAsIc'), URL_BASE, allowed)).toMatchObject({ tier: 'pro' });
    expect(await ask(`Bearer ${key}`, URL_BASE, allowed)).toMatchObject({ tier: 'pro' });
  });

  it('takes nothing else', async () => {
    const allowed = authenticator({ allowBasic: true });
    const encoded = Buffer.from(key).toString('base64');
    for (const given of [
      basic(key, ''),
      basic('a', `${key}:`),
      `Basic ${encoded}`,
      `Basic ${key}`,
      'Basic',
      'Basic %',
    ]) {
      await expect(ask(given, URL_BASE, allowed)).rejects.toMatchObject({ code: 'malformed_key' });
    }
    await expect(ask(basic('a', key))).rejects.toMatchObject({ code: 'malformed_key' });
    expect(lookUps).toBe(0);
  });
});

describe('a known key is refused', () => {
  // Each row spoils one thing more, from the last check to the first.
  const spoiled = [
    ['access_lapsed', () => (nowMs = Date.parse(at(60)))],
    ['account_suspended', () => store.accounts.updateAccount('acme', { isSuspended: true })],
    ['wrong_product', () => (authenticate = authenticator({ product: 'Gazette' }))],
    ['rotated_key', () => rotate(at(60))],
    ['revoked_key', () => store.accounts.revokeKey(keyId, { revokedAt: at(0) })],
  ] as const;
  const rotate = async (endsAt: string): Promise<void> => {
    const about = { accountId: 'acme', product: 'gazette', createdAt: at(0) };
    const successor = { ...about, id: 'key_next', digest: digestApiKey('next'), lastFour: 'next' };
    await store.accounts.rotateKey(keyId, successor, { endsAt });
  };

  it('for the first reason in this order: revoked, rotated, product, suspended, lapsed', async () => {
    for (const [code, spoil] of spoiled) {
      await spoil();
      await expect(ask(`Bearer ${key}`)).rejects.toMatchObject({ code, details: { key: keyId } });
    }
  });

  it('from the very moment access ends, and not before', async () => {
    nowMs = Date.parse(at(60)) - 1;
    expect(await ask(`Bearer ${key}`)).toMatchObject({ tier: 'pro' });
    nowMs++;
    await expect(ask(`Bearer ${key}`)).rejects.toMatchObject({ code: 'access_lapsed' });
    await store.accounts.updateAccount('acme', { accessUntil: at(61) });
    expect(await ask(`Bearer ${key}`)).toMatchObject({ tier: 'pro' });
    await store.accounts.updateAccount('acme', { accessUntil: null });
    await expect(ask(`Bearer ${key}`)).rejects.toMatchObject({ code: 'access_lapsed' });
  });

  it('from the very moment its grace ends, and not before', async () => {
    await rotate(at(30));
    nowMs = Date.parse(at(30)) - 1;
    expect(await ask(`Bearer ${key}`)).toMatchObject({ tier: 'pro', key: { endsAt: at(30) } });
    nowMs++;
    await expect(ask(`Bearer ${key}`)).rejects.toMatchObject({ code: 'rotated_key' });
  });

  it('from the very moment until which it was made, and not before', async () => {
    const made = await accounts.createKey('acme', { expiresAt: at(30) });
    nowMs = Date.parse(at(30)) - 1;
    expect(await ask(`Bearer ${made.key}`)).toMatchObject({ tier: 'pro' });
    nowMs++;
    const details = { key: made.entry.id };
    await expect(ask(`Bearer ${made.key}`)).rejects.toMatchObject({ code: 'expired_key', details });
  });

  it('for another product, however alike', async () => {
    for (const product of ['Gazette', 'gazett', 'gazette2']) {
      await expect(ask(`Bearer ${key}`, URL_BASE, authenticator({ product }))).rejects.toMatchObject({
        code: 'wrong_product',
      });
    }
  });
});

describe('a key in a URL', () => {
  it.each([...CREDENTIAL_PARAMETERS, 'API_KEY', 'Token', 'api%5Fkey', 'access%5ftoken', 'api-key'])(
    'is refused under the name %s, even beside a valid header',
    async (name) => {
      for (const query of [`?${name}=${key}`, `?limit=1&${name}=`, `?${name}`, `?a=b&&${name}=x&limit=2`]) {
        for (const header of [null, `Bearer ${key}`]) {
          await expect(ask(header, URL_BASE + query)).rejects.toMatchObject({
            code: 'credentials_in_url',
            details: { parameter: decodeURIComponent(name).toLowerCase().replace('-', '_') },
          });
        }
      }
      expect(lookUps).toBe(0);
    },
  );

  it.each(['key', 'KEY', '%6B%65%79', 'q', 'offset'])(
    'is refused as the value of %s, whole or mistyped',
    async (name) => {
      for (const sent of [key, `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`]) {
        const asked = ask(`Bearer ${key}`, `${URL_BASE}?a=b&${name}=${sent}`);
        await expect(asked).rejects.toMatchObject({ code: 'credentials_in_url' });
        await expect(asked).rejects.not.toThrow(sent);
      }
      expect(lookUps).toBe(0);
    },
  );

  it.each([
    ['in the path', (sent: string) => `/records/permits:${sent}/history`],
    ['inside a segment', (sent: string) => `/records/permits:x${sent}.csv`],
    ['in the path, encoded', (sent: string) => `/records/${sent.replaceAll('_', '%5f').replace('g', '%67')}`],
    ['encoded twice', (sent: string) => `/feeds?a=${encodeURIComponent(sent.replaceAll('_', '%5F'))}`],
    ['as the name of a parameter', (sent: string) => `/feeds?${sent}=1`],
    ['inside a value', (sent: string) => `/feeds?document_type=Bearer+${sent},x`],
    ['behind the beginning of another', (sent: string) => `/feeds?q=gz_${'a'.repeat(30)}${sent}`],
  ])('is refused %s, and one that only looks like a key is not', async (_, pathOf) => {
    const other = `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`;
    const asked = ask(`Bearer ${key}`, `https://example.org/api/v1${pathOf(key)}`);
    await expect(asked).rejects.toMatchObject({ code: 'credentials_in_url' });
    await expect(asked).rejects.not.toThrow(key);
    expect(await ask(`Bearer ${key}`, `https://example.org/api/v1${pathOf(other)}`)).toMatchObject({ tier: 'pro' });
  });

  it.each(['?key=2026%2F0417', '?keys=1', '?limit=key', '?q=a%26key=1', '', '?monkey=1'])(
    'is not seen in %j',
    async (query) => {
      expect(await ask(`Bearer ${key}`, URL_BASE + query)).toMatchObject({ tier: 'pro' });
    },
  );
});

describe('a key in another header', () => {
  const askWith = (headers: Record<string, string>): Promise<Access> =>
    authenticate(new Request(URL_BASE, { headers }));

  it.each(['X-API-Key', 'api-key', 'X-Auth-Token', 'Cookie', 'Proxy-Authorization'])(
    '%s is refused, and the error names the header to use',
    async (name) => {
      for (const authorization of [{}, { Authorization: `Bearer ${key}` }]) {
        const asked = askWith({ [name]: `session=${key}`, ...authorization });
        await expect(asked).rejects.toMatchObject({
          code: 'misplaced_credentials',
          message: expect.stringContaining('Authorization: Bearer') as string,
        });
        await expect(asked).rejects.not.toThrow(key);
      }
      expect(lookUps).toBe(0);
    },
  );

  it('is refused whatever it is, unless a key came in the right one', async () => {
    await expect(askWith({ 'X-API-Key': 'mistyped' })).rejects.toMatchObject({ code: 'misplaced_credentials' });
    expect(await askWith({ 'X-API-Key': 'of a gateway', Authorization: `Bearer ${key}` })).toMatchObject({
      tier: 'pro',
    });
    expect(await askWith({ Cookie: 'theme=dark' })).toEqual({ tier: 'public' });
  });
});

describe('whatever is sent', () => {
  const CODES = ['malformed_key', 'repeated_credentials', 'unknown_key', 'credentials_in_url'] as const;

  it('never ends in anything but access or a coded error that shows nothing of it', async () => {
    const allowed = authenticator({ allowBasic: true });
    const pieces = fc.constantFrom(...'Bearer|basic|Digest| |,|, |=|"|:|\t|gz_|é|ÿ'.split('|'), key, basic('a', key));
    const values = fc.oneof(
      fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join('')),
      fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) }),
      fc.string({ unit: 'binary-ascii', maxLength: 40 }).map((text) => `Bearer ${text.replace(/[^\x20-\x7e]/g, '')}`),
    );
    const queries = fc
      .array(fc.tuple(texts(2), texts(2)), { maxLength: 3 })
      .map((pairs) => (pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`));
    await fc.assert(
      fc.asyncProperty(values, queries, async (value, query) => {
        fc.pre(!value.includes('\x7f'));
        try {
          const access = await ask(value, URL_BASE + query, allowed);
          expect(access.tier).toBe('pro');
          expect(value.includes(key) || value.toLowerCase().includes('basic')).toBe(true);
        } catch (error) {
          if (!(error instanceof GazetteError)) throw error;
          expect(CODES).toContain(error.code);
          expect(JSON.stringify([error.message, error.details])).not.toContain(key.slice(3, 35));
        }
      }),
      { numRuns: tries(200) },
    );
  });

  it('of a valid-looking key nothing stands in the error', async () => {
    const secret = createApiKey();
    const errors = await Promise.all(
      [`Bearer ${secret}`, `Basic ${secret}`, `Bearer ${secret}x`, `Bearer ${secret}, Bearer ${secret}`, secret]
        .map((value) => ask(value))
        .concat(ask(null, `${URL_BASE}?token=${secret}`))
        .map((refused) => refused.catch((error: unknown) => error)),
    );
    for (const error of errors) {
      expect(isGazetteError(error)).toBe(true);
      const { message, details, cause, stack } = error as GazetteError;
      expect(JSON.stringify([message, details, cause, stack])).not.toContain(secret.slice(3, 35));
    }
  });
});

describe('a use', () => {
  it('is told of when it opened something, and only then', async () => {
    const uses: unknown[] = [];
    const telling = authenticator({ onUse: (...use) => uses.push(use) });
    await ask(`Bearer ${key}`, URL_BASE, telling);
    expect(uses).toEqual([[keyId, nowMs]]);
    await ask(null, URL_BASE, telling);
    await ask(`Bearer ${createApiKey()}`, URL_BASE, telling).catch(() => undefined);
    nowMs = Date.parse(at(60));
    await ask(`Bearer ${key}`, URL_BASE, telling).catch(() => undefined);
    expect(uses).toHaveLength(1);
  });
});

describe('two Authorization headers over a real socket', () => {
  const answerOf = async (port: number, headers: readonly string[]): Promise<string> => {
    const socket = connect(port, '127.0.0.1');
    socket.write(['GET /x HTTP/1.1', 'Host: h', 'Connection: close', ...headers, '', ''].join('\r\n'));
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    return answer.slice(answer.indexOf('\r\n\r\n') + 4);
  };
  const handler: WebHandler = async (request) => {
    const said = await authenticate(request).then(
      ({ tier }) => tier,
      (error: unknown) => (isGazetteError(error) ? error.code : 'uncoded'),
    );
    return new Response(said, { headers: { 'content-length': String(said.length) } });
  };
  const servers = {
    'node:http': async () => {
      const server = createServer(toNodeListener(handler)).listen(0, '127.0.0.1');
      onTestFinished(() => {
        server.close();
        server.closeAllConnections();
      });
      await once(server, 'listening');
      return server.address() as AddressInfo;
    },
    Fastify: async () => {
      const app = fastify();
      onTestFinished(() => app.close());
      app.get('/*', toFastifyHandler(handler));
      await app.listen({ port: 0, host: '127.0.0.1' });
      return app.server.address() as AddressInfo;
    },
  };

  it.each(Object.entries(servers))('are two in %s, whichever is valid', async (_, listen) => {
    const { port } = await listen();
    const valid = `Authorization: Bearer ${key}`;
    expect(await answerOf(port, [valid])).toBe('pro');
    expect(await answerOf(port, [])).toBe('public');
    for (const headers of [
      [valid, valid],
      [valid, 'authorization: Bearer x'],
      ['AUTHORIZATION: Digest x', valid],
      ['Authorization:', valid],
      [valid, 'X-Between: 1', 'Authorization:'],
    ]) {
      expect(await answerOf(port, headers), headers.join()).toBe('repeated_credentials');
    }
  });
});

it('an authenticator is not made for a malformed product', () => {
  expect(() => authenticator({ product: 'a"b' })).toThrow(expect.objectContaining({ code: 'invalid_option' }) as Error);
});
