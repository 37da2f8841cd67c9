// Logs of `gazette/proofs` before Go's own packages: at the sizes where tiles begin and end, after random growth, and tampered
// with.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  consistencyRanges,
  hashesOf,
  inclusionRanges,
  leafHash,
  tilePath,
} from '../../../src/wings/proofs/tlog/index.ts';
import { formatCheckpoint } from '../../../src/wings/proofs/tlog/checkpoint.ts';
import { formatVerifierKey, generateSignerKey, parseSignerKey } from '../../../src/wings/proofs/tlog/keys.ts';
import { formatNote, signText } from '../../../src/wings/proofs/tlog/note.ts';
import { joinEntries, tileWidth } from '../../../src/wings/proofs/tlog/tiles.ts';
import { tried, tries } from '../../effort.ts';
import { TiledLog } from '../../wings/proofs/tlog/naive-tree.ts';
import { GoJudge, type JudgedLog, missingGo } from './judge.ts';

const ORIGIN = 'registers.example/api/v1/feeds/permits/log/0b9d';
const signer = parseSignerKey(generateSignerKey(ORIGIN, 'log'));
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const entryOf = (index: number): Uint8Array => Buffer.from(`{"change":${index + 1},"v":1}`);

function checkpoint(size: number, root: Uint8Array): string {
  const text = formatCheckpoint({ origin: ORIGIN, size, root });
  return formatNote({ text, signatures: [signText(text, signer, 0)] });
}

/** A log that grew in two steps, as it is served after the second. */
function judged(before: number, size: number): JudgedLog {
  const log = new TiledLog();
  const leaves = Array.from({ length: size }, (_, index) => leafHash(entryOf(index)));
  log.grow(leaves.slice(0, before));
  const first = checkpoint(before, log.root);
  log.grow(leaves.slice(before));
  const tiles: Record<string, string> = {};
  for (let level = 0; tileWidth(size, level, 0) > 0; level++)
    for (let index = 0; tileWidth(size, level, index) > 0; index++) {
      const width = tileWidth(size, level, index);
      tiles[tilePath({ level, index, width })] = base64(log.read({ level, index }).subarray(0, width * 32));
      if (level > 0) continue;
      const entries = Array.from({ length: width }, (_, at) => entryOf(index * 256 + at));
      tiles[tilePath({ level: 'entries', index, width })] = base64(joinEntries(entries));
    }
  const indexes = new Set([0, 255, 256, Math.floor(size / 2), size - 1].filter((index) => index >= 0 && index < size));
  const hashes = before === 0 ? [] : hashesOf(consistencyRanges(before, size), size, log.read);
  return {
    vkey: formatVerifierKey(signer),
    origin: ORIGIN,
    checkpoint: checkpoint(size, log.root),
    tiles,
    inclusion: [...indexes].map((index) => ({
      index,
      entry: base64(entryOf(index)),
      hashes: hashesOf(inclusionRanges(index, size), size, log.read).map(base64),
    })),
    before: { checkpoint: first, hashes: hashes.map(base64) },
  };
}

describe.skipIf(missingGo !== null)(`Go’s sumdb${missingGo === null ? '' : ` (${missingGo})`}`, () => {
  let go: GoJudge;
  beforeAll(async () => {
    go = await GoJudge.build();
  });
  afterAll(async () => {
    await go.close();
  });

  it('accepts logs of 0, 1, 255, 256, 257, 65,536 and 65,537 entries', async () => {
    const sizes = [0, 1, 255, 256, 257, 65_536, 65_537];
    const logs = sizes.map((size, at) => judged(sizes[at - 1] ?? 0, size));
    expect(await go.judge(logs)).toEqual(sizes.map(() => 'accepted'));
  });

  it('accepts logs after random growth', async () => {
    const logs = Array.from({ length: tries(3, 200) }, () => {
      const size = Math.floor(Math.random() * 1500);
      return judged(Math.floor(Math.random() * (size + 1)), size);
    });
    expect(await go.judge(logs)).toEqual(logs.map(() => 'accepted'));
    tried(logs.length);
  });

  it('refuses what was tampered with', async () => {
    const log = judged(300, 700);
    const other = base64(leafHash(Buffer.from('another')));
    const [first, ...rest] = log.inclusion;
    const tampered: readonly JudgedLog[] = [
      { ...log, checkpoint: log.checkpoint.replace('\n700\n', '\n701\n') },
      { ...log, origin: 'registers.example/other' },
      { ...log, tiles: { ...log.tiles, 'tile/0/000': log.tiles['tile/0/001']! } },
      { ...log, tiles: { ...log.tiles, 'tile/entries/000': log.tiles['tile/entries/001']! } },
      { ...log, inclusion: [{ ...first!, hashes: [other, ...first!.hashes.slice(1)] }, ...rest] },
      { ...log, before: { ...log.before!, hashes: [other, ...log.before!.hashes.slice(1)] } },
    ];
    const said = await go.judge(tampered);
    expect(said).toHaveLength(tampered.length);
    expect(said).not.toContain('accepted');
  });

  it('refuses another root than the hash of nothing where there are no entries', async () => {
    const [empty, grown] = [judged(0, 0), judged(0, 300)];
    const wrong = checkpoint(0, leafHash(Buffer.from('another')));
    const tampered: readonly JudgedLog[] = [
      { ...empty, checkpoint: wrong },
      { ...empty, before: { ...empty.before!, checkpoint: wrong } },
      { ...grown, before: { ...grown.before!, checkpoint: wrong } },
    ];
    expect(await go.judge([empty, grown])).toEqual(['accepted', 'accepted']);
    const [now, ...before] = await go.judge(tampered);
    expect(now).toContain('the root is not that of the entries');
    expect(before).toEqual(before.map(() => 'the earlier root is not that of no entries'));
    expect(before).toHaveLength(2);
  });
});
