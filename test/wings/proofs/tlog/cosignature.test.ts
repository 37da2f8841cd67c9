// Signatures of witnesses (C2SP tlog-cosignature), and what a log sends to get one (C2SP tlog-witness).
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leafHash, parseVerifierKey } from '../../../../src/wings/proofs/tlog/index.ts';
import { formatVerifierKey, signerOf } from '../../../../src/wings/proofs/tlog/keys.ts';
import { formatNote, parseNote, signText, verifyNote } from '../../../../src/wings/proofs/tlog/note.ts';
import { formatSubmission, parseSubmission, type Submission } from '../../../../src/wings/proofs/tlog/submission.ts';
import { RUNS } from '../../../properties/arbitraries.ts';

const invalidProof = expect.objectContaining({ code: 'invalid_proof' }) as Error;

// RFC 8032 7.1, the first test: the seed and the public key.
const SEED = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
const PUBLIC = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex');
const KEY = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), SEED]),
  ...{ format: 'der', type: 'pkcs8' },
});

// C2SP tlog-cosignature: the signed message of its example, and the example.
const TEXT = 'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n';
const MESSAGE = `cosignature/v1\ntime 1679315147\n${TEXT}`;
const EXAMPLE = `${TEXT}
— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==
`;
const TIME = 1_679_315_147;

const witness = signerOf('witness.example.com/w1', 'witness', SEED);

describe('a cosignature', () => {
  it('has the layout of the specification’s example', () => {
    const [, example] = parseNote(EXAMPLE).signatures;
    const ours = signText(TEXT, witness, TIME);
    expect(ours).toMatchObject({ name: example!.name, bytes: { length: example!.bytes.length } });
    expect(Buffer.from(ours.bytes.subarray(0, 8))).toEqual(Buffer.from(example!.bytes.subarray(0, 8)));
    expect(formatNote(parseNote(EXAMPLE))).toBe(EXAMPLE);
  });

  it('signs the message of the specification’s example', () => {
    const { bytes } = signText(TEXT, witness, TIME);
    expect(verify(null, Buffer.from(MESSAGE), createPublicKey(KEY), bytes.subarray(8))).toBe(true);
  });

  it('of somebody else’s program is accepted, and says when', () => {
    const stamp = Buffer.alloc(8);
    stamp.writeBigUInt64BE(BigInt(TIME));
    const bytes = Buffer.concat([stamp, sign(null, Buffer.from(MESSAGE), KEY)]);
    const note = { text: TEXT, signatures: [{ name: witness.name, id: witness.id, bytes }] };
    expect(verifyNote(note, [witness])).toEqual([{ key: witness, time: TIME }]);
  });

  it('is of a key of type 4, whose id differs from that of a log’s key', () => {
    const text = formatVerifierKey(witness);
    const base64 = text.slice(`${witness.name}+01234567+`.length);
    expect(Buffer.from(base64, 'base64')).toEqual(Buffer.concat([Buffer.of(4), PUBLIC]));
    expect(parseVerifierKey(text)).toEqual({
      ...{ name: witness.name, role: 'witness', id: witness.id },
      publicKey: PUBLIC,
    });
    expect(signerOf(witness.name, 'log', SEED).id).not.toBe(witness.id);
  });

  it.each([0, -1, 1.5, 2 ** 53])('is not made at the time %d', (time) => {
    expect(() => signText(TEXT, witness, time)).toThrow(expect.objectContaining({ code: 'invalid_option' }) as Error);
  });

  it('that does not say when is refused', () => {
    const message = `cosignature/v1\ntime 0\n${TEXT}`;
    const bytes = Buffer.concat([Buffer.alloc(8), sign(null, Buffer.from(message), KEY)]);
    const note = { text: TEXT, signatures: [{ name: witness.name, id: witness.id, bytes }] };
    expect(() => verifyNote(note, [witness])).toThrow(invalidProof);
  });

  it('stands beside those of ML-DSA and of unknown keys, which are kept and passed over', () => {
    // C2SP tlog-cosignature: 8 bytes of time and 2,420 of the signature.
    const pq = { name: witness.name, id: witness.id ^ 1, bytes: new Uint8Array(2428).fill(7) };
    const other = signText(TEXT, signerOf('other.example', 'witness', SEED), TIME);
    const text = formatNote({ text: TEXT, signatures: [pq, other, signText(TEXT, witness, TIME)] });
    expect(verifyNote(parseNote(text), [witness])).toEqual([{ key: witness, time: TIME }]);
    expect(formatNote(parseNote(text))).toBe(text);
    // C2SP signed-note: at least sixteen signatures must be read.
    const many = { text: TEXT, signatures: [...Array.from({ length: 15 }, () => pq), signText(TEXT, witness, TIME)] };
    expect(verifyNote(parseNote(formatNote(many)), [witness])).toHaveLength(1);
  });

  it('is of its text, its time and its key alone', () => {
    const note = formatNote({ text: TEXT, signatures: [signText(TEXT, witness, TIME)] });
    fc.assert(
      fc.property(fc.nat(), fc.nat(6), (place, bit) => {
        const bytes = Buffer.from(note);
        bytes[place % bytes.length]! ^= 2 ** bit;
        expect(() => verifyNote(parseNote(bytes.toString()), [witness])).toThrow(invalidProof);
      }),
      { numRuns: RUNS },
    );
  });
});

const HASH = leafHash(Buffer.from('x'));
const SUBMISSION: Submission = { oldSize: 20_852_014, proof: [HASH, leafHash(HASH)], checkpoint: EXAMPLE };

describe('a submission', () => {
  // C2SP tlog-witness.
  const example = `old 20852014
PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=
jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=
5+pKlUdi2LeF/BcMHBn+Ku6yhPGNCswZZD1X/6QgPd8=
/6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=

example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
— example.com/behind-the-sofa opLqBQsREYCgu6xQkYQwJr9fo45a62DN9EdmHXnZdXNqlcVGlCum2Wks+49/V6267UEjw6QUXTS5Rovnzv++qbSzm9Q=
`;

  it('of the specification is read, and written as it was', () => {
    const { oldSize, proof, checkpoint } = parseSubmission(example);
    expect([oldSize, proof.length]).toEqual([20_852_014, 4]);
    expect(parseNote(checkpoint).signatures).toHaveLength(2);
    expect(formatSubmission({ oldSize, proof, checkpoint })).toBe(example);
  });

  it('without a proof, and with the longest one, is read as it was written', () => {
    for (const count of [0, 1, 63]) {
      const made = { ...SUBMISSION, oldSize: count, proof: Array.from({ length: count }, () => HASH) };
      expect(parseSubmission(formatSubmission(made)).proof).toHaveLength(count);
      expect(formatSubmission(parseSubmission(formatSubmission(made)))).toBe(formatSubmission(made));
    }
  });

  const text = formatSubmission(SUBMISSION);
  it.each([
    ['no size', text.replace('old 20852014', 'old')],
    ['a leading zero', text.replace('old 2', 'old 02')],
    ['two spaces', text.replace('old ', 'old  ')],
    ['a sign', text.replace('old ', 'old +')],
    ['a size that no number holds', text.replace('20852014', '9007199254740992')],
    ['another word', text.replace('old', 'size')],
    ['carriage returns', text.replaceAll('\n', '\r\n')],
    ['a hash without padding', text.replace('=\n', '\n')],
    ['a hash of 31 bytes', text.replace('\n', `\n${Buffer.alloc(31).toString('base64')}\n`)],
    ['64 hashes', formatSubmission({ ...SUBMISSION, proof: Array.from({ length: 64 }, () => HASH) })],
    ['no empty line', 'old 0\n'],
    ['an empty line at the start', `\n${text}`],
    ['nothing', ''],
  ])('with %s is refused', (_what, malformed) => {
    expect(() => parseSubmission(malformed)).toThrow(invalidProof);
  });
});
