// What remains of an erased record for somebody who has every byte of a store and guesses right: the text itself, any
// digest of it, and any HMAC of it under any 32 bytes that stand anywhere in the store.
import { createHmac, hash } from 'node:crypto';
import { canonicalJson, type JsonValue } from '../../src/register/canonical-json.ts';
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import type { LoggedVersion } from '../../src/stores/contract/deliveries.ts';
import { accountNamed } from './accounts.ts';
import { at, permits, say } from './store-register.ts';

/** A store whose bytes can be read. */
export interface OpenBytes {
  readonly store: ServiceStore;
  /** Erases a record and rewrites what the database would keep of it. */
  readonly erase: (recordId: string) => Promise<void>;
  /** Every byte of the store; `keys` are those parts of it that contain rows. */
  readonly bytes: () => Promise<{ readonly all: readonly Buffer[]; readonly keys: readonly Buffer[] }>;
  /** The UUID of the register's log. */
  readonly log: () => Promise<string>;
  /** The bytes of a hash of a text that the database itself makes for an index. */
  readonly hash?: (text: string) => Promise<Buffer>;
  /** Begins what holds up a purge, by its name. @returns what ends it */
  readonly hold: (holder: string) => Promise<() => Promise<void>>;
}

const KEY_LENGTH = 32;

/** Enough to know a digest or a text by. */
const PREFIX = 16;

const titles = ['Erased title one', 'Erased title two', 'Erased title three'] as const;
const said = titles.map((title) =>
  say('a', { title, document_type: 'erased-type', facility_id: 'ERASED-FACILITY', data: { 'erased-name': title } }),
);
const FILE = JSON.stringify(said);

/** A record that was changed, withdrawn and restored, imported from a file, and told to a receiver that repeats it. */
export async function makeErasable(store: ServiceStore): Promise<void> {
  const { imports, deliveries } = store;
  await store.createRegister(permits());
  await store.accounts.createAccount(accountNamed('acme'));
  await deliveries.createEndpoint({
    ...{
      id: 'ep_1',
      accountId: 'acme',
      url: 'https://example.org/hook',
      feeds: null,
      types: null,
      filter: null,
      createdAt: at(0),
    },
    secret: Uint8Array.from([1, 2, 3]),
  });
  const { number, key } = await imports.begin(
    'permits',
    { file: 'permits.json', cause: 'source_change', who: null, begunAt: at(0) },
    { key: Buffer.from('a key of a store with 32 bytes..') },
  );
  const counts = { added: 1, changed: 1, unchanged: 0, restored: 1, redacted: 0, withdrawn: 0, refused: 0 };
  await store.apply('permits', [said[0]!, say('b')], { recordedAt: at(1) });
  await store.apply('permits', [said[1]!], { recordedAt: at(2) });
  await store.withdraw('permits', ['permits:a'], { recordedAt: at(3) });
  await store.apply('permits', [said[2]!], { recordedAt: at(4) });
  const digest = createHmac('sha256', key).update(FILE).digest();
  await imports.end(number, { counts, endedAt: at(5), error: null, digest });
  const toEvent = ({ recordId, version }: LoggedVersion) => ({
    id: `evt_${recordId}_${version}`,
    type: 'record.updated',
  });
  while (await deliveries.fanOut({ at: at(5), baseUrl: 'https://example.org', toEvent }));
  const room = { limit: 2, room: new Map<string, number>(), limitPerEndpoint: 2, accountRoom: new Map() };
  const claimed = await deliveries.claim({ now: at(6), until: at(7), lease: 'lease', ...room });
  const outcomes = claimed.map(({ id, version }) => ({
    ...{ id, lease: 'lease', state: 'pending' as const, reason: null, isGone: false, nextAttemptAt: at(8) },
    attempt: { at: at(6), durationMs: 1, status: 500, error: null, response: `cannot store ${version!.title}` },
  }));
  await deliveries.settle(outcomes, { at: at(6), failingBefore: at(-1000) });
}

/** Everything that a right guess can be compared with. */
function guesses(log: string): { readonly texts: readonly string[]; readonly messages: readonly string[] } {
  const statements = said.map((statement) => {
    const members = Object.entries<JsonValue>({ ...statement }).filter(
      ([name, value]) => name !== 'feed_id' && value !== null,
    );
    return Object.fromEntries(members);
  });
  const versions = [1, 2, 4];
  const committed = statements.map((statement, index) =>
    canonicalJson({ v: 1, log, id: 'permits:a', version: versions[index]!, statement }),
  );
  const texts = [...titles, 'erased-type', 'ERASED-FACILITY', 'erased-name'];
  return { texts: [...texts, ...statements.map((one) => canonicalJson(one))], messages: [...committed, FILE] };
}

/** Every run of this many bytes that is not of one byte alone, as latin1. */
function windows(parts: readonly Buffer[], length: number): Set<string> {
  const found = new Set<string>();
  for (const bytes of parts) {
    const text = bytes.toString('latin1');
    for (let from = 0, run = 0; from + length <= text.length; from++) {
      run = from > 0 && bytes[from] === bytes[from - 1] ? run + 1 : 0;
      // Empty pages are long.
      if (run > length && bytes[from + length - 1] === bytes[from]) continue;
      found.add(text.slice(from, from + length));
    }
  }
  return found;
}

/** The guesses that the store confirms, each named by how. @param also guesses besides those of what the record said */
export async function confirmed(
  { bytes, log, hash: hashOf }: Pick<OpenBytes, 'bytes' | 'log' | 'hash'>,
  also: readonly string[] = [],
): Promise<string[]> {
  const { all, keys } = await bytes();
  const { texts, messages: said } = guesses(await log());
  const messages = [...said, ...also];
  const found = new Set<string>();
  for (const text of texts) if (all.some((part) => part.includes(text))) found.add(`text ${text}`);
  for (const text of texts) {
    const hashed = await hashOf?.(text);
    if (hashed !== undefined && all.some((part) => part.includes(hashed))) found.add(`hash of ${text}`);
  }
  for (const message of [...messages, ...texts]) {
    const digest = hash('sha256', message, 'buffer');
    const forms = [digest, digest.toString('hex'), digest.toString('base64'), digest.toString('base64url')];
    if (forms.some((form) => all.some((part) => part.includes(form)))) found.add(`SHA-256 of ${message.slice(0, 30)}`);
  }
  const known = windows(keys, PREFIX);
  const inner = messages.map((message) => Buffer.concat([Buffer.alloc(64), Buffer.from(message)]));
  const outer = Buffer.alloc(96);
  for (const window of windows(keys, KEY_LENGTH)) {
    const key = Buffer.from(window, 'latin1');
    outer.fill(0x5c, KEY_LENGTH, 64);
    for (let at = 0; at < KEY_LENGTH; at++) outer[at] = key[at]! ^ 0x5c;
    for (const [index, text] of inner.entries()) {
      text.fill(0x36, KEY_LENGTH, 64);
      for (let at = 0; at < KEY_LENGTH; at++) text[at] = key[at]! ^ 0x36;
      // RFC 2104.
      hash('sha256', text, 'buffer').copy(outer, 64);
      const code = hash('sha256', outer, 'buffer').toString('latin1');
      if (known.has(code.slice(0, PREFIX))) found.add(`HMAC of ${index}: ${messages[index]!.slice(0, 30)}`);
    }
  }
  return [...found].sort();
}

/** The texts of the record that are left, whatever they are in. */
export async function textsLeft({ bytes, log }: OpenBytes): Promise<string[]> {
  const { all } = await bytes();
  return guesses(await log()).texts.filter((text) => all.some((part) => part.includes(text)));
}
