// The store that is asked: registers of every kind, accounts in every state and keys of every sort, made by the command
// line in the current folder, each step at its time.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Correction } from '../../fixtures/permits/corrections.ts';
import { must } from './processes.ts';
import { setClock } from './still.ts';

const FIXTURES = resolve(import.meta.dirname, '../../fixtures');

/** When everything is ready. */
export const NOW = '2026-10-01T12:00:00Z';

/** A key for the secrets of endpoints, and one that signs logs: what they make is random all the same. */
export const SECRETS: Readonly<Record<string, string>> = {
  GAZETTE_SECRETS_KEY: '11'.repeat(32),
  GAZETTE_LOG_KEY: '22'.repeat(32),
};

/** The keys by what they are for. */
export type Keys = Readonly<Record<string, string>>;

/** Sold one by one, to those with credit. */
const SHOP = {
  id: 'shop',
  title: 'Reports that are sold',
  description: 'Each costs two euros.',
  language: 'de',
  rights: 'All rights reserved',
  created_at: '2026-01-01T00:00:00Z',
  authority: 'shop.example',
  year: 2026,
  prices: { currency: 'EUR', per_record: 200 },
  fields: [
    { name: 'pages', label: 'Seiten', type: 'integer' },
    { name: 'area', label: 'Fläche', type: 'decimal' },
    { name: 'sent', type: 'date' },
  ],
};

/** Its log is for payers, and it has no authority and no language. */
const MINUTES = {
  id: 'minutes',
  title: 'Minutes · 会議録 · محاضر',
  created_at: '2026-01-01T00:00:00Z',
  log: 'pro',
  fields: [
    { name: 'present', type: 'json' },
    { name: 'at', type: 'datetime' },
    { name: 'public', type: 'boolean' },
    { name: 'minutes_url', type: 'url' },
    { name: 'length', type: 'number' },
  ],
};

const LANGUAGES = [
  'Sitzung',
  'séance',
  '会議',
  'اجتماع',
  'ישיבה',
  'заседание',
  'συνεδρίαση',
  'การประชุม',
  '👩🏽‍⚖️',
  'réunion',
];

/** Some records of a register. @param change what its third record says from then on */
function records(id: string, count: number, change = ''): string {
  return JSON.stringify(
    Array.from({ length: count }, (_, index) => ({
      id: `${index + 1}`,
      title: `${LANGUAGES[index % LANGUAGES.length]} ${index + 1}${index === 2 ? change : ''}`,
      summary: index % 4 === 3 ? null : `Summary ${index + 1} <b>&amp;</b> ${'word '.repeat(index * 8)}`,
      content: index % 3 === 0 ? null : `<p>Content of ${index + 1}, with <em>markup</em> and = signs.</p>`,
      content_type: index % 3 === 0 ? 'text' : 'html',
      author: index % 2 === 0 ? 'Office, "North"' : null,
      document_type: ['draft', 'adopted', 'refused'][index % 3],
      facility_id: index % 5 === 0 ? null : `F${index % 5}`,
      source_url: `https://${id}.example/records/${index + 1}?a=1&b=ü`,
      published_at: index % 6 === 5 ? null : `2026-03-${String(index + 1).padStart(2, '0')}`,
      observed_at: `2026-04-${String(index + 1).padStart(2, '0')}T08:00:00Z`,
      data:
        id === 'shop'
          ? { pages: index * 3, area: `${index}.50`, sent: index % 2 === 0 ? null : '2026-05-01' }
          : {
              present: index % 2 === 0 ? ['a', { b: null }] : null,
              at: '2026-03-01T10:00:00+02:00',
              public: index % 2 === 0,
              minutes_url: 'https://minutes.example/ü',
              length: index / 8,
            },
    })),
  );
}

/** Makes the store. @returns its keys */
export async function makeWorld(): Promise<Keys> {
  setClock('2026-07-01T09:00:00Z');
  await must('register', 'add', 'permits', '--definition', join(FIXTURES, 'permits/definition.json'));
  await must('import', 'permits', join(FIXTURES, 'permits/records.ndjson'), '--order', 'oldest-first');
  const corrections = readFileSync(join(FIXTURES, 'permits/corrections.ndjson'), 'utf8').trimEnd().split('\n');
  for (const line of corrections) {
    const { recorded_at, cause, record } = JSON.parse(line) as Correction;
    setClock(recorded_at);
    // The publisher states neither.
    writeFileSync('correction.json', JSON.stringify([{ ...record, version: undefined, updated_at: undefined }]));
    await must('import', 'permits', 'correction.json', '--order', 'oldest-first', '--cause', cause);
  }
  setClock('2026-08-01T09:00:00Z');
  const notices = join(FIXTURES, 'notices/notices.json');
  await must('register', 'add', 'notices', '--title', 'Notices', '--access', 'open', '--language', 'en');
  const map = [
    'id=noticeID',
    'title=noticeName',
    'source_url=https://notices.example/{noticeID}',
    'published_at=dateAdded',
  ];
  await must('import', 'notices', notices, '--pick', 'notices', ...map.flatMap((rule) => ['--map', rule]));
  await must('register', 'add', 'hostile', '--definition', join(FIXTURES, 'hostile/definition.json'));
  const hostile = join(FIXTURES, 'hostile/records.ndjson');
  await must('import', 'hostile', hostile, '--order', 'oldest-first', '--skip-invalid', '--rejects', 'rejects.ndjson');
  await must('register', 'add', 'void', '--title', 'No records yet');
  for (const definition of [SHOP, MINUTES]) {
    const { id } = definition;
    writeFileSync(`${id}.json`, JSON.stringify(definition));
    await must('register', 'add', id, '--definition', `${id}.json`);
    for (const [hour, count, change] of [
      ['10', 12, ''],
      ['11', 12, ' (changed)'],
      ['12', 14, ' (changed)'],
    ] as const) {
      setClock(`2026-08-01T${hour}:00:00Z`);
      writeFileSync('records.json', records(id, count, change));
      await must('import', id, 'records.json', '--order', 'oldest-first');
    }
    // The newest is withdrawn, comes back, and is withdrawn again.
    for (const [hour, count] of [
      ['13', 13],
      ['14', 14],
      ['15', 13],
    ] as const) {
      setClock(`2026-08-01T${hour}:00:00Z`);
      writeFileSync('records.json', records(id, count, ' (changed)'));
      await must('import', id, 'records.json', '--order', 'oldest-first', '--withdraw-missing');
    }
    setClock('2026-08-02T09:00:00Z');
    await must('record', 'redact', `${id}:5`, '--yes');
  }
  return makeKeys();
}

async function makeKeys(): Promise<Keys> {
  setClock('2026-09-01T09:00:00Z');
  await must('account', 'add', 'acme', '--until', '2030-01-01', '--email', 'owner@acme.example');
  await must('account', 'add', 'lapsed', '--until', '2026-09-15');
  await must('account', 'add', 'suspended', '--until', '2030-01-01');
  await must('account', 'add', 'buyer');
  await must('account', 'credit', 'buyer', '5000', '--currency', 'EUR', '--reference', 'invoice-1');
  await must('account', 'add', 'poor');
  await must('account', 'credit', 'poor', '100', '--currency', 'EUR');
  let made = 0;
  // One after the other, or their order would be drawn.
  const key = (account: string, ...options: readonly string[]): Promise<string> => {
    setClock(`2026-09-01T10:${String(++made).padStart(2, '0')}:00Z`);
    return must('key', 'create', account, ...options);
  };
  const keys = {
    pro: await key('acme', '--name', 'reader'),
    notices: await key('acme', '--feed', 'notices', '--name', 'one register'),
    account: await key('acme', '--scope', 'account', '--scope', 'read', '--name', 'manager'),
    webhooks: await key('acme', '--scope', 'webhooks'),
    expired: await key('acme', '--until', '2026-09-20'),
    revoked: await key('acme', '--name', 'revoked'),
    other: await key('acme', '--product', 'other'),
    lapsed: await key('lapsed'),
    suspended: await key('suspended'),
    buyer: await key('buyer', '--budget', '1000', '--per-day', '600', '--max-price', '2.00 EUR'),
    credit: await key('buyer', '--scope', 'read', '--scope', 'account'),
    poor: await key('poor', '--budget', '100'),
    frugal: await key('buyer', '--budget', '1000', '--max-price', '1.00 EUR'),
  };
  const revoked = JSON.parse(await must('key', 'list', 'acme', '--json')) as readonly { id: string; name: string }[];
  await must('key', 'revoke', 'acme', revoked.find(({ name }) => name === 'revoked')!.id);
  await must('account', 'suspend', 'suspended');
  setClock(NOW);
  return keys;
}
