// The requests of the recording: a store with everything in it, and services over it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addCommitments } from './vectors.ts';
import type { Area } from './area.ts';
import { agents } from './agent-questions.ts';
import { type Ask, askAccount, askPurchases } from './account-questions.ts';
import { Asker, type Question } from './ask.ts';
import { askAsOwner, pages } from './people-questions.ts';
import { serve } from './processes.ts';
import { callers, conditions, formats, methods, parameters, reading, ROUTES } from './questions.ts';
import type { Begin } from './record.ts';
import { type Keys, makeWorld, NOW, SECRETS } from './world.ts';

const HOST = 'gazette.example';

const NO_LIMITS = ['key', 'address', 'previews', 'failures'].flatMap((name) => [`--limit-${name}`, 'none']);

const SETTINGS = [
  ...['--base-url', `https://${HOST}`, '--title', 'Registers of Example', '--contact', 'office@gazette.example'],
  ...['--terms-url', 'https://gazette.example/terms', '--licence-url', 'https://gazette.example/licence'],
  ...['--keys-url', 'https://gazette.example/keys', '--allow-basic', '--allow-private-destinations'],
  ...['--mcp-allow-origin', 'https://agents.example', '--log-state', 'log.json', ...NO_LIMITS],
];

/** Asks all of them. */
export async function recordRequests(begin: Begin): Promise<void> {
  const keys = await makeWorld();
  const receiver = createServer((request, response) => {
    const status = { '/ok': 204, '/bad': 500, '/gone': 410 }[request.url!] ?? 404;
    request.resume().on('end', () => response.writeHead(status).end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const receiverPort = (receiver.address() as AddressInfo).port;
  try {
    await askService(begin, keys, receiverPort, async (area, asker) => {
      await askReaders(begin, area, asker, keys);
    });
    // Another process, because one says how often keys were used only when it ends.
    await askService(begin, keys, receiverPort, async (area, asker) => {
      await askOwners(area, asker, keys, receiverPort);
    });
    await askBareService(begin, keys, receiverPort);
  } finally {
    receiver.close();
  }
}

/** The texts that differ from run to run, and their names. */
function knownOf(keys: Keys, receiverPort: number): readonly (readonly [text: string, name: string])[] {
  return [
    [`127.0.0.1:${receiverPort}`, '127.0.0.1:<receiver>'],
    ...Object.entries(keys).map(([name, key]) => [key, `<key ${name}>`] as const),
  ];
}

/** Asks a service with everything. @param act is given what begins an area, and the service */
async function askService(
  begin: Begin,
  keys: Keys,
  receiverPort: number,
  act: (area: (name: string) => Ask, asker: Asker) => Promise<void>,
): Promise<void> {
  const service = await serve(NOW, SETTINGS, SECRETS);
  const asker = new Asker(service.port, HOST);
  let ticks = 0;
  const area = (name: string): Ask => {
    const made = begin(`http/${name}`, knownOf(keys, receiverPort));
    return async (question) => {
      // Too little for anything to fall due, and enough to tell what came first.
      if (question.method === 'POST') await service.setClock(new Date(Date.parse(NOW) + ++ticks).toISOString());
      return asker.ask(made, question);
    };
  };
  try {
    for (const feed of ['permits', 'notices', 'hostile', 'shop', 'minutes'])
      await asker.until({ path: `/api/v1/feeds/${feed}` }, ({ text }) => text.includes('"vkeys"'));
    // And until the log of logs lists all of them, the one without records too.
    await asker.until({ path: '/api/v1/log' }, ({ text }) => text.includes('"size":6'));
    await act(area, asker);
  } finally {
    asker.close();
    await service.stop();
  }
}

/** What changes nothing, but for what is bought at the end. */
async function askReaders(begin: Begin, area: (name: string) => Ask, asker: Asker, keys: Keys): Promise<void> {
  const { pro } = callers(keys);
  const all = async (name: string, questions: Iterable<Question>): Promise<void> => {
    const ask = area(name);
    for (const question of questions) await ask(question);
  };
  await all('reading', reading(keys));
  await all('parameters', parameters(keys));
  await all('formats', formats(keys));
  await all('methods', methods(keys));
  const ask = area('conditions');
  for (const path of ROUTES) {
    const { headers } = await ask({ path, note: 'pro', headers: pro! });
    const { etag = '"none"', 'last-modified': modified = 'Thu, 01 Oct 2026 10:00:00 GMT' } = headers;
    for (const question of conditions(path, etag, modified, pro!)) await ask(question);
  }
  await askLogs(area('logs'), asker);
  await askProofs(area('proofs'), begin('vectors/commitments'), keys);
  await all('pages', pages());
  await all('agents', agents(keys));
  await askPurchases(area('purchases'), keys);
}

/** The files of logs, of a register and of all registers. */
async function askLogs(ask: Ask, asker: Asker): Promise<void> {
  const places: string[] = [];
  for (const path of ['/api/v1/feeds/permits', '/api/v1/feeds/minutes', '/api/v1/log']) {
    const { text } = await asker.until({ path }, () => true);
    places.push(new URL(/"url":"([^"]+\/log\/[^"]+)"/.exec(text)![1]!).pathname);
  }
  const files = [
    '',
    '/checkpoint',
    '/tile/0/000',
    '/tile/0/001',
    '/tile/0/000.p/2',
    '/tile/0/001.p/135',
    '/tile/entries/000.p/2',
    '/tile/1/000.p/1',
    '/tile/9/000',
    '/tile/x/000',
    '/none',
  ];
  for (const place of places) for (const file of files) await ask({ path: place + file });
}

/** Every version of some registers, each with its proof, and what it commits to. */
async function askProofs(ask: Ask, commitments: Area, keys: Keys): Promise<void> {
  for (const feed of ['notices', 'shop', 'minutes', 'hostile', 'permits'])
    for (let since = 0, isEnd = false; !isEnd; since += 100) {
      const path = `/api/v1/feeds/${feed}/changes?proof=1&limit=100&since=${since}`;
      const answer = await ask({ path, note: 'pro', headers: callers(keys).pro! });
      addCommitments(commitments, feed, answer);
      isEnd = !(answer.headers.link ?? '').includes('rel="next"');
    }
}

/** What owners do. */
async function askOwners(area: (name: string) => Ask, asker: Asker, keys: Keys, receiverPort: number): Promise<void> {
  const { webhooks } = callers(keys);
  const settled = async (): Promise<void> => {
    const listed = { path: '/api/v1/account/deliveries?limit=100', headers: webhooks! };
    await asker.until(listed, ({ text }) => !/"state":"pending"[^{]*?"attempts":0/.test(text));
  };
  await askAccount(area('account'), keys, receiverPort, settled);
  const owner = area('owner');
  for (const account of ['acme', 'buyer', 'lapsed', 'suspended']) await askAsOwner(owner, account);
}

/** A service without settings, whose limits are soon reached. */
async function askBareService(begin: Begin, keys: Keys, receiverPort: number): Promise<void> {
  const limits = [
    '--limit-key',
    '5/60',
    '--limit-address',
    '40/3600',
    '--limit-previews',
    '3/60',
    '--limit-failures',
    '2/60',
  ];
  const service = await serve(NOW, ['--no-pages', ...limits]);
  const asker = new Asker(service.port, HOST);
  const area = begin('http/limits', knownOf(keys, receiverPort));
  let number = 0;
  const ask = (path: string, note: string, headers: Readonly<Record<string, string>> = {}): Promise<unknown> =>
    asker.ask(area, { path, note: `${note} ${++number}`, headers });
  const who = callers(keys);
  const before = await asker.ask(area, { path: '/api/v1/feeds/permits', note: 'pro', headers: who.pro! });
  try {
    for (let i = 0; i < 3; i++) await ask('/api/v1/feeds/permits', 'pro', who.pro);
    for (let i = 0; i < 3; i++)
      await ask('/api/v1/feeds/permits', 'pro fresh', { ...who.pro!, 'if-none-match': before.headers.etag! });
    for (let i = 0; i < 3; i++) await ask('/api/v1/feeds/permits/records?limit=1', 'pro', who.pro);
    for (let i = 0; i < 4; i++) await ask('/api/v1/records/permits:2025-0154', 'nobody');
    await ask('/api/v1/records/permits:none', 'nobody');
    for (let i = 0; i < 4; i++) await ask('/api/v1/feeds', 'unknown', who.unknown);
    for (const path of [
      '/',
      '/permits',
      '/guide',
      '/account',
      '/sign-in',
      '/robots.txt',
      '/healthz',
      '/readyz',
      '/log',
    ])
      await ask(path, 'nobody', { accept: 'text/html' });
    await ask('/api/v1/account/endpoints', 'webhooks', who.webhooks);
    await ask('/api/v1/log', 'nobody');
    await ask('/api/v1/records/minutes:3/proof', 'credit', who.credit);
    for (let i = 0; i < 40; i++) await ask('/api/v1/feeds', 'nobody');
    await ask('/healthz', 'nobody');
  } finally {
    asker.close();
    await service.stop();
  }
}
