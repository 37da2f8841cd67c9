// Signed notes, checkpoints and proofs: the examples of their specifications and of Go's own tests, and tampering.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  hashesOf,
  inclusionRanges,
  leafHash,
  openCheckpoint,
  parseCheckpoint,
  parseProof,
  parseVerifierKey,
  verifyProof,
} from '../../../../src/wings/proofs/tlog/index.ts';
import { formatCheckpoint } from '../../../../src/wings/proofs/tlog/checkpoint.ts';
import {
  formatVerifierKey,
  generateSignerKey,
  parseSignerKey,
  type SignerKey,
} from '../../../../src/wings/proofs/tlog/keys.ts';
import { formatNote, parseNote, signText, verifyNote } from '../../../../src/wings/proofs/tlog/note.ts';
import { formatProof } from '../../../../src/wings/proofs/tlog/record-proof.ts';
import { RUNS } from '../../../properties/arbitraries.ts';
import { TiledLog } from './naive-tree.ts';

const invalidProof = expect.objectContaining({ code: 'invalid_proof' }) as Error;
const invalidKey = expect.objectContaining({ code: 'invalid_log_key' }) as Error;

// C2SP signed-note.
const EXAMPLE_KEY = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
const EXAMPLE = `This is an example message.

— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
`;
// golang.org/x/mod/sumdb/note.
const GO_SIGNER = 'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz';
const GO_KEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const GO_NOTE =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n" +
  '\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';

describe('keys', () => {
  it.each([EXAMPLE_KEY, GO_KEY])('%s is read and written', (text) => {
    expect(formatVerifierKey(parseVerifierKey(text))).toBe(text);
  });

  it('a signing key has the verifier key of Go’s', () => {
    expect(formatVerifierKey(parseSignerKey(GO_SIGNER))).toBe(GO_KEY);
  });

  it.each(['log', 'witness'] as const)('a new one of a %s signs what its verifier key checks', (role) => {
    const signer = parseSignerKey(generateSignerKey('example.com/log', role));
    const key = parseVerifierKey(formatVerifierKey(signer));
    const note = formatNote({ text: 'said\n', signatures: [signText('said\n', signer, 1_679_315_147)] });
    expect(verifyNote(parseNote(note), [key])).toEqual([{ key, time: role === 'log' ? null : 1_679_315_147 }]);
  });

  it.each([
    ['a key of another length', 'PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY=='],
    ['another type', 'PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'],
    ['the id of another', GO_KEY.replace('c74f20a3', 'c74f20a4')],
    ['another name', GO_KEY.replace('PeterN', 'PaulaN')],
    ['a space', GO_KEY.replace('rN', 'r N')],
    ['no name', GO_KEY.slice('PeterNeumann'.length)],
    ['a second spelling', `${GO_KEY}=`],
    ['nothing', ''],
  ])('with %s is refused', (_what, text) => {
    expect(() => parseVerifierKey(text)).toThrow(invalidKey);
    expect(() => parseSignerKey(`PRIVATE+KEY+${text}`)).toThrow(invalidKey);
  });

  it('no message shows a signing key', () => {
    const wrong = GO_SIGNER.replace('c74f20a3', 'c74f20a4');
    expect(() => parseSignerKey(wrong)).toThrow(/^(?!.*(?:Peter|AYEK)).*$/);
  });
});

describe('a signed note', () => {
  it.each([
    ['of the specification', EXAMPLE, EXAMPLE_KEY],
    ['of Go', GO_NOTE, GO_KEY],
  ])('%s is verified, and written as it was', (_what, note, vkey) => {
    const key = parseVerifierKey(vkey);
    expect(verifyNote(parseNote(note), [key])).toEqual([{ key, time: null }]);
    expect(formatNote(parseNote(note))).toBe(note);
  });

  it('is signed as Go signs it', () => {
    const { text } = parseNote(GO_NOTE);
    expect(formatNote({ text, signatures: [signText(text, parseSignerKey(GO_SIGNER), 0)] })).toBe(GO_NOTE);
  });

  it('may carry signatures of keys that nobody here knows', () => {
    const { text, signatures } = parseNote(EXAMPLE);
    const unknown = { name: 'pq.example', id: 7, bytes: new Uint8Array(2428) };
    const note = formatNote({ text, signatures: [unknown, ...signatures] });
    expect(verifyNote(parseNote(note), [parseVerifierKey(EXAMPLE_KEY)])).toHaveLength(1);
    expect(() => verifyNote(parseNote(note), [parseVerifierKey(GO_KEY)])).toThrow(invalidProof);
  });

  it.each([
    ['no signature', 'text\n\n'],
    ['no empty line', EXAMPLE.replace('\n\n', '\n')],
    ['no end of its line', EXAMPLE.slice(0, -1)],
    ['a tab', EXAMPLE.replace('This ', 'This\t')],
    ['a carriage return', EXAMPLE.replaceAll('\n', '\r\n')],
    ['a hyphen', EXAMPLE.replace('—', '-')],
    ['a signature without padding', EXAMPLE.replace('=\n', '\n')],
    ['half a character', EXAMPLE.replace('This', '\ud800')],
    ['something behind it', `${EXAMPLE}more\n`],
    ['too many signatures', EXAMPLE + EXAMPLE.slice(EXAMPLE.indexOf('—')).repeat(100)],
  ])('with %s is refused', (_what, note) => {
    expect(() => parseNote(note)).toThrow(invalidProof);
  });
});

const HEAD = { origin: 'example.com/log', size: 3, root: leafHash(Buffer.from('x')) };
const signer = parseSignerKey(generateSignerKey(HEAD.origin, 'log'));
const witness = parseSignerKey(generateSignerKey('witness.example', 'witness'));

function signed(text: string, ...keys: readonly SignerKey[]): string {
  return formatNote({ text, signatures: keys.map((key) => signText(text, key, 1_700_000_000)) });
}

/** Signed by the log, and by a witness at a time in seconds, which need not be one that it may say. */
function signedAt(time: number, { name, id, sign }: SignerKey): string {
  const text = formatCheckpoint(HEAD);
  const stamp = Buffer.alloc(8);
  stamp.writeBigUInt64BE(BigInt(time));
  const bytes = Buffer.concat([stamp, sign(Buffer.from(`cosignature/v1\ntime ${BigInt(time)}\n${text}`))]);
  return formatNote({ text, signatures: [signText(text, signer, 0), { name, id, bytes }] });
}

describe('a checkpoint', () => {
  it('of the specification is read', () => {
    const text = 'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n';
    expect(parseCheckpoint(text)).toMatchObject({ origin: 'example.com/behind-the-sofa', size: 20_852_163 });
    expect(formatCheckpoint(parseCheckpoint(text))).toBe(text);
    expect(parseCheckpoint(`${text}an extension\n`).size).toBe(20_852_163);
  });

  it('is opened with the log’s key, and says which witnesses signed', () => {
    const opened = openCheckpoint(signed(formatCheckpoint(HEAD), signer, witness), HEAD.origin, [signer, witness]);
    expect(opened).toMatchObject(HEAD);
    expect(opened.signatures.map(({ time }) => time)).toEqual([null, 1_700_000_000]);
  });

  it.each([
    ['signed by a witness alone', signed(formatCheckpoint(HEAD), witness)],
    ['of another log', signed(formatCheckpoint({ ...HEAD, origin: 'example.com/other' }), signer)],
    ['changed', signed(formatCheckpoint(HEAD), signer).replace('\n3\n', '\n4\n')],
    ['whose witness says a time that no number holds', signedAt(2 ** 53, witness)],
    ['whose witness says a time beyond 2^63', signedAt(2 ** 63, witness)],
    ['whose witness signed something else', signed(formatCheckpoint(HEAD), signer, { ...witness, sign: signer.sign })],
  ])('%s is refused', (_what, note) => {
    expect(() => openCheckpoint(note, HEAD.origin, [signer, witness])).toThrow(invalidProof);
  });

  const text = formatCheckpoint(HEAD);
  it.each([
    text.replace('3', '03'),
    text.replace('3', '-1'),
    text.replace('3', '9007199254740992'),
    text.replace('3', ''),
    text.replace('=', ''),
    text.slice(0, -1),
    `${text}\n`,
    `\n${text}`,
    'example.com/log\n0\n',
  ])('%j is malformed', (malformed) => {
    expect(() => parseCheckpoint(malformed)).toThrow(invalidProof);
  });
});

describe('a proof of a record', () => {
  const log = new TiledLog();
  const entries = Array.from({ length: 300 }, (_, at) => Buffer.from(`{"change":${at + 1}}`));
  log.grow(entries.map(leafHash));
  const { size, root } = log;
  const checkpoint = signed(formatCheckpoint({ origin: HEAD.origin, size, root }), signer);
  const proofOf = (index: number, extra: Uint8Array | null = null): string =>
    formatProof({ extra, index, hashes: hashesOf(inclusionRanges(index, size), size, log.read), checkpoint });

  it('is read as it was written, and proves its entry', () => {
    for (const index of [0, 1, 255, 256, 299]) {
      const text = proofOf(index, Buffer.from('{"entry":1}'));
      const proof = parseProof(text);
      expect(formatProof(proof)).toBe(text);
      expect(verifyProof(proof, leafHash(entries[index]!), HEAD.origin, [signer]).size).toBe(300);
    }
  });

  it('proves no other entry, and nothing when any bit of it differs', () => {
    const at = fc.record({ index: fc.nat(299), place: fc.nat(), bit: fc.nat(6) });
    fc.assert(
      fc.property(at, ({ index, place, bit }) => {
        const bytes = Buffer.from(proofOf(index));
        bytes[place % bytes.length]! ^= 2 ** bit;
        const verify = (): unknown =>
          verifyProof(parseProof(bytes.toString()), leafHash(entries[index]!), HEAD.origin, [signer]);
        expect(verify).toThrow(invalidProof);
      }),
      { numRuns: RUNS },
    );
    const proof = parseProof(proofOf(7));
    expect(() => verifyProof(proof, leafHash(entries[8]!), HEAD.origin, [signer])).toThrow(invalidProof);
    expect(() => verifyProof(proof, leafHash(entries[7]!), HEAD.origin, [witness])).toThrow(invalidProof);
  });

  const text = proofOf(5);
  it.each([
    ['another head', text.replace('@v1', '@v2')],
    ['no index', text.replace('index 5\n', '')],
    ['two indexes', text.replace('index 5\n', 'index 5\nindex 5\n')],
    ['a sign', text.replace('index 5', 'index -5')],
    ['a leading zero', text.replace('index 5', 'index 05')],
    ['an extra that is no base 64', text.replace('index 5', 'extra %\nindex 5')],
    ['no checkpoint', text.slice(0, text.indexOf('\n\n'))],
    ['nothing', ''],
  ])('with %s is refused', (_what, malformed) => {
    expect(() => parseProof(malformed)).toThrow(invalidProof);
  });
});
