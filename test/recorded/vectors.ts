// Golden vectors: the bytes of every format for the fixtures, the trees and signatures of logs, and what versions commit to,
// with salts and keys that are not drawn. commitmentsOf() checks besides what a service drew against them.
import { createHash, createHmac } from 'node:crypto';
import { join, resolve } from 'node:path';
import { consistencyRanges, inclusionRanges, leafHash } from '../../src/wings/proofs/tlog/index.ts';
import { formatCheckpoint } from '../../src/wings/proofs/tlog/checkpoint.ts';
import { nodeHash } from '../../src/wings/proofs/tlog/hashes.ts';
import { formatVerifierKey, signerOf } from '../../src/wings/proofs/tlog/keys.ts';
import { formatNote, signText } from '../../src/wings/proofs/tlog/note.ts';
import { joinEntries } from '../../src/wings/proofs/tlog/tiles.ts';
import type { Area } from './area.ts';
import { type Answer, workbookText } from './ask.ts';
import { command } from './processes.ts';
import type { Begin } from './record.ts';

const FIXTURES = resolve(import.meta.dirname, '../../fixtures');

/** How each format is written. */
const FORMATS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  csv: [[], ['--formulas', 'raw'], ['--fields', 'id,title,published_at']],
  xlsx: [[], ['--level', '9']],
  xml: [[], ['--schema-location', 'register.xsd']],
  rss: [[], ['--self', 'https://registers.example/feed.rss']],
  atom: [[], ['--self', 'https://registers.example/feed.atom']],
  ndjson: [[], ['--filter', 'document_type=adopted']],
};

/** In place of what a version drew. */
const SALT = Buffer.alloc(32);
const LOG = '00000000-0000-4000-8000-000000000000';

/** Makes those that need no service. */
export async function recordVectors(begin: Begin): Promise<void> {
  await recordFormats(begin('vectors/formats'));
  recordTrees(begin('vectors/trees'));
}

async function recordFormats(area: Area): Promise<void> {
  for (const name of ['permits', 'hostile'])
    for (const [format, variants] of Object.entries(FORMATS))
      for (const options of variants)
        for (const writer of ['native', 'reference']) {
          const args = ['export', '-', '--format', format, ...options, '--writer', writer, '--order', 'oldest-first'];
          const files = [
            '--input',
            join(FIXTURES, name, 'records.ndjson'),
            '--definition',
            join(FIXTURES, name, 'definition.json'),
          ];
          const { code, stdout, stderr } = await command([...args, ...files]);
          const text = format === 'xlsx' && stdout.length > 0 ? workbookText(stdout) : stdout.toString();
          area.add(
            `${name}: gazette ${args.join(' ')}`,
            [`ends with ${code}`, `digest ${digestOf(text)}`],
            [stderr, text],
          );
        }
}

function recordTrees(area: Area): void {
  const entries = Array.from({ length: 20 }, (_, index) => Buffer.from(`entry ${index}`));
  const rootOf = (from: number, to: number): Uint8Array => {
    if (to - from === 1) return leafHash(entries[from]!);
    const middle = from + 2 ** Math.floor(Math.log2(to - from - 1));
    return nodeHash(rootOf(from, middle), rootOf(middle, to));
  };
  const signer = signerOf('log.example', 'log', Buffer.alloc(32, 7));
  area.add('key', [], [hexOf(Buffer.from(formatVerifierKey(signer)))]);
  area.add('entries', [], [hexOf(joinEntries(entries))]);
  for (let size = 1; size <= entries.length; size++) {
    const root = rootOf(0, size);
    const text = formatCheckpoint({ origin: 'log.example', size, root });
    const note = formatNote({ text, signatures: [signText(text, signer, 0)] });
    area.add(
      `size ${size}`,
      [`root ${hexOf(root)}`, `note ${digestOf(note)}`],
      [
        JSON.stringify(Array.from({ length: size }, (_, index) => inclusionRanges(index, size))),
        JSON.stringify(Array.from({ length: size }, (_, index) => consistencyRanges(index + 1, size))),
      ],
    );
  }
}

/** A version with its proof, as `/changes?proof=1` has it. */
interface ProvedVersion {
  readonly change: number;
  readonly version: number;
  readonly cause: string;
  readonly record_id: string;
  readonly statement: unknown;
  readonly proof: {
    readonly entry: string;
    readonly log: string;
    readonly record_salt: string | null;
    readonly salt: string | null;
  };
}

/** Adds what each version of a page of changes commits to, and whether what the service drew for it fits. */
export function addCommitments(area: Area, feedId: string, { text }: Answer): void {
  const { versions } = JSON.parse(text) as { readonly versions: readonly ProvedVersion[] };
  for (const { change, version, cause, record_id: id, statement, proof } of versions) {
    const entry = JSON.parse(proof.entry) as { readonly commitment: string; readonly record: string };
    const committed = (log: string): string => canonical({ v: 1, log, id, version, statement });
    const fits = (salt: string | null, message: string, hash: string): string =>
      salt === null ? 'erased' : String(hmac(Buffer.from(salt, 'base64'), message).toString('base64') === hash);
    area.add(
      `${feedId} ${change}: version ${version} of ${id}, ${cause}`,
      [
        `commitment ${hexOf(hmac(SALT, committed(LOG)))} ${fits(proof.salt, committed(proof.log), entry.commitment)}`,
        `record ${hexOf(hmac(SALT, id))} ${fits(proof.record_salt, id, entry.record)}`,
      ],
      [],
    );
  }
}

function hmac(key: Uint8Array, message: string): Buffer {
  return createHmac('sha256', key).update(message).digest();
}

/** RFC 8785, of what a register states: no number of it needs another form than JSON.stringify gives. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}

/** In pieces, so that it passes for nothing that was drawn. */
function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('hex')
    .replace(/.{8}(?=.)/g, '$&:');
}

function digestOf(text: string): string {
  return hexOf(createHash('sha256').update(text).digest());
}
