import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ErrorDetails, isGazetteError } from '../../../src/errors.ts';
import {
  checkDestination,
  DEVELOPMENT_DESTINATIONS,
  guardedLookup,
  resolveDestination,
  toRequestOptions,
} from '../../../src/webhooks/send/destination.ts';
import type { ResolveHost } from '../../../src/webhooks/send/name-resolver.ts';
import { HOSTS, resolver } from './private-hosts.ts';

const PUBLIC = [
  '8.8.8.8',
  '172.15.255.255',
  '172.32.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '[2606:4700:4700::1111]',
  '[2a00:1450::1]',
];

function refusal(call: () => unknown): ErrorDetails {
  try {
    call();
  } catch (error) {
    if (isGazetteError(error, 'destination_refused')) return error.details;
    throw error;
  }
  throw new Error('it was allowed');
}

const bare = (host: string): string => URL.parse(`https://${host}`)!.hostname.replace(/^\[(.*)\]$/, '$1');

describe('a destination', () => {
  it.each(HOSTS)('that names %s (%s) is refused', async (_, host) => {
    expect(refusal(() => checkDestination(`https://${host}/hook`))).toEqual({ reason: 'address' });
    expect(refusal(() => toRequestOptions(`https://${host}:8443/hook`))).toEqual({ reason: 'address' });
    await expect(resolveDestination(`https://${host}/hook`)).rejects.toMatchObject({ details: { reason: 'address' } });
  });

  it.each(HOSTS)('whose name resolves to %s (%s) is refused, also among good ones', async (_, host) => {
    const expected = { code: 'destination_refused', details: { reason: 'address' } };
    const url = 'https://hooks.example.org/';
    await expect(resolveDestination(url, {}, resolver([bare(host)]))).rejects.toMatchObject(expected);
    await expect(resolveDestination(url, {}, resolver(['8.8.8.8', bare(host)]))).rejects.toMatchObject(expected);
  });

  it.each(PUBLIC)('at the public address %s is allowed', async (host) => {
    expect(checkDestination(`https://${host}/hook`).href).toBe(`https://${host}/hook`);
    const url = await resolveDestination('https://hooks.example.org/a', {}, resolver([bare(host)]));
    expect(url.href).toBe('https://hooks.example.org/a');
  });

  it.each([
    ['http://hooks.example.org/', 'scheme'],
    ['ftp://hooks.example.org/', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['javascript:alert(1)', 'scheme'],
    ['https://user@hooks.example.org/', 'user_info'],
    ['https://:password@hooks.example.org/', 'user_info'],
    ['https://8.8.8.8@127.0.0.1/', 'user_info'],
    ['hooks.example.org', 'url'],
    ['', 'url'],
    ['https://', 'url'],
    ['https://1.2.3.4.5/', 'url'],
    ['https://256.0.0.1/', 'url'],
  ])('%s is refused for its %s', (destination, reason) => {
    expect(refusal(() => checkDestination(destination))).toEqual({ reason });
  });

  it('of development may be plain and on this machine, and nowhere else', () => {
    const check = (url: string): URL => checkDestination(url, DEVELOPMENT_DESTINATIONS);
    expect(check('http://127.0.0.1:3000/hook').port).toBe('3000');
    expect(check('http://[::1]:3000/hook').port).toBe('3000');
    for (const host of ['10.0.0.1', '169.254.169.254', '[::ffff:7f00:1]', '[fe80::1]']) {
      expect(refusal(() => check(`http://${host}/`))).toEqual({ reason: 'address' });
    }
    expect(refusal(() => check('http://u:p@127.0.0.1/'))).toEqual({ reason: 'user_info' });
    expect(() => checkDestination('https://example.org', { allowNetworks: ['10.0.0.0'] })).toThrow(/CIDR/);
  });

  it.each(['8.8.8.8', '134744072', '[2606:4700:4700::1111]'])(
    'that the operator denies is refused: %s',
    async (host) => {
      const rules = { denyNetworks: ['8.8.8.0/24', '2606:4700::/32'] };
      const expected = { details: { reason: 'address' } };
      expect(refusal(() => checkDestination(`https://${host}/`, rules))).toEqual({ reason: 'address' });
      expect(refusal(() => toRequestOptions(`https://${host}/`, rules))).toEqual({ reason: 'address' });
      const resolve = resolver(['1.1.1.1', bare(host)]);
      await expect(resolveDestination('https://a.example/', rules, resolve)).rejects.toMatchObject(expected);
      expect(checkDestination('https://8.8.4.4/', rules).host).toBe('8.8.4.4');
    },
  );

  it('within allowed networks is refused if it is denied, mapped too, or has the metadata of a cloud', () => {
    const rules = { allowNetworks: ['0.0.0.0/0', '::/0'], denyNetworks: ['10.1.0.0/16'] };
    expect(checkDestination('https://10.2.0.1/', rules).host).toBe('10.2.0.1');
    const clouds = ['169.254.169.254', '169.254.170.2', '168.63.129.16', '100.100.100.200', '192.0.0.192'];
    for (const host of ['10.1.2.3', '[::ffff:a01:203]', '[fd00:ec2::254]', '[fd20:ce::254]', ...clouds]) {
      expect(
        refusal(() => checkDestination(`https://${host}/`, rules)),
        host,
      ).toEqual({ reason: 'address' });
    }
  });

  it.each([
    '10.0.0.0',
    '010.0.0.0/8',
    '0x7f.1/8',
    '10/8',
    '10.0.0.0/33',
    '::/129',
    'fe80::1%eth0/64',
    '10.0.0.0/ 8',
    '',
  ])('is compared with networks in CIDR notation only, not with %j', (network) => {
    for (const option of ['allowNetworks', 'denyNetworks']) {
      expect(() => checkDestination('https://example.org', { [option]: [network] })).toThrow(
        expect.objectContaining({ code: 'invalid_option', details: { option } }),
      );
    }
  });

  it('that cannot be resolved, or to nothing, is refused', async () => {
    const expected = { code: 'destination_refused', details: { reason: 'unresolvable' } };
    const failing: ResolveHost = (_hostname, _options, callback) => {
      callback(Object.assign(new Error('none'), { code: 'ENOTFOUND' }), []);
    };
    await expect(resolveDestination('https://nowhere.example/', {}, failing)).rejects.toMatchObject(expected);
    await expect(resolveDestination('https://nowhere.example/', {}, resolver([]))).rejects.toMatchObject(expected);
  });

  it('is not told what it resolves to when it is refused', async () => {
    const refused = resolveDestination('https://hooks.example.org/', {}, resolver(['10.1.2.3']));
    const error: unknown = await refused.catch((thrown: unknown) => thrown);
    expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('10.1.2.3');
  });
});

describe('a connection', () => {
  let server: Server;
  let port = 0;
  let connections = 0;
  const sockets = new Set<Socket>();
  beforeAll(async () => {
    server = createServer((socket) => {
      connections++;
      sockets.add(socket);
      socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n'));
      socket.on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  const rules = { allowHttp: true };
  /** The status of a request to the server's port, or the code of the error. */
  async function call(
    host: string,
    resolve?: ResolveHost,
    given: typeof DEVELOPMENT_DESTINATIONS = rules,
  ): Promise<unknown> {
    const outgoing = request({
      ...toRequestOptions(`http://${host}:${port}/`, given, resolve),
      method: 'POST',
      agent: false,
    });
    outgoing.end('{}');
    try {
      const [response] = (await once(outgoing, 'response')) as [{ statusCode: number; resume: () => void }];
      response.resume();
      return response.statusCode;
    } catch (error) {
      return isGazetteError(error) ? error.code : error;
    }
  }

  it('is made where the rules allow it, which shows that the server counts', async () => {
    connections = 0;
    expect(await call('127.0.0.1', undefined, DEVELOPMENT_DESTINATIONS)).toBe(204);
    expect(await call('hooks.example.org', resolver(['127.0.0.1']), DEVELOPMENT_DESTINATIONS)).toBe(204);
    expect(connections).toBe(2);
  });

  it('is never made to a name that resolves to a public address first and to this machine second', async () => {
    connections = 0;
    const rebinding = resolver(['8.8.8.8'], ['127.0.0.1']);
    await resolveDestination('https://hooks.example.org/', {}, rebinding);
    expect(await call('hooks.example.org', rebinding)).toBe('destination_refused');
    // And in one answer, where the dialler would fall back to the second.
    expect(await call('hooks.example.org', resolver(['8.8.8.8', '127.0.0.1']))).toBe('destination_refused');
    expect(await call('hooks.example.org', resolver(['127.0.0.1', '8.8.8.8']))).toBe('destination_refused');
    expect(connections).toBe(0);
  });

  it('is never made to an address that was denied after it was registered, by its name or as an address', async () => {
    connections = 0;
    const denied = { ...DEVELOPMENT_DESTINATIONS, denyNetworks: ['127.0.0.0/8'] };
    expect(await call('hooks.example.org', resolver(['127.0.0.1']), denied)).toBe('destination_refused');
    await expect(call('127.0.0.1', undefined, denied)).rejects.toMatchObject({ code: 'destination_refused' });
    expect(connections).toBe(0);
  });

  it('is never made to this machine by its own name', async () => {
    connections = 0;
    expect(await call('localhost')).toBe('destination_refused');
    expect(connections).toBe(0);
  });

  it.each(['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:7f00:1]', '①②⑦.⓪.⓪.①'])('is never made to %s', (host) => {
    connections = 0;
    // The lookup alone would let it through: Node does not ask it about an address.
    expect(() => toRequestOptions(`http://${host}:${port}/`, rules)).toThrow(
      expect.objectContaining({ code: 'destination_refused' }),
    );
    expect(connections).toBe(0);
  });

  it.each([{ all: true }, { all: false }, {}, { family: 4 }, { family: 'IPv4' as const }])(
    'is guarded however a socket asks (%j)',
    async (options) => {
      const lookup = guardedLookup({ allowNetworks: ['127.0.0.0/8'] }, resolver(['127.0.0.1']));
      const socket = connect({
        port,
        host: 'hooks.example.org',
        lookup: (host, asked, done) => {
          lookup(host, { ...asked, all: false, ...options }, (error, address, family) => {
            // As autoSelectFamily asks for all, the answer has to be turned into what it expects.
            if (Array.isArray(address)) done(error, address);
            else done(error, [{ address, family: family! }]);
          });
        },
      });
      await once(socket, 'connect');
      socket.destroy();
    },
  );
});
