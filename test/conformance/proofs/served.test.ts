// Logs as a service serves them over HTTP, after random histories of a register, before Go's own packages.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../../src/adapters/server.ts';
import {
  consistencyRanges,
  hashesOf,
  type HashTile,
  parseCheckpoint,
  parseProof,
  tilePath,
  tilesOf,
} from '../../../src/wings/proofs/tlog/index.ts';
import { parseNote } from '../../../src/wings/proofs/tlog/note.ts';
import { tileWidth } from '../../../src/wings/proofs/tlog/tiles.ts';
import { toPublishedRecord } from '../../../src/stores/rows/published-record.ts';
import { sign } from '../../wings/proofs/signing.ts';
import { sampleRecord } from '../../contracts/sample-register.ts';
import { tried, tries } from '../../effort.ts';
import { addSamples, SAMPLES, type World, world } from '../../world.ts';
import { GoJudge, type JudgedLog, missingGo } from './judge.ts';
import { logsOf } from '../../wings/proofs/logs-of.ts';

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const chance = (below: number): number => Math.floor(Math.random() * below);
const idOf = (position: number): string => sampleRecord(position).id;

/** Does something to the register at random. @returns how many positions it has then */
async function happen({ store }: World, positions: number, minute: number): Promise<number> {
  const recordedAt = new Date(Date.UTC(2026, 9, 2, 10, minute)).toISOString();
  const position = 1 + chance(positions);
  switch (chance(4)) {
    case 0: {
      const more = 1 + chance(200);
      await addSamples(store, positions + 1, positions + more, recordedAt);
      return positions + more;
    }
    case 1:
      await store.withdraw('permits', [idOf(position)], { recordedAt });
      break;
    case 2:
      // What was redacted before stays so.
      await store.redact(idOf(position), { recordedAt }).catch(() => undefined);
      break;
    default: {
      const said = { ...sampleRecord(position), title: `At ${minute}` };
      await store.apply('permits', [toPublishedRecord(said, true)], { recordedAt });
    }
  }
  return positions;
}

/** A reader of a log over HTTP. */
class Reader {
  readonly #url: string;
  readonly #key: string;
  readonly #tiles = new Map<string, Uint8Array>();

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  async get(path: string): Promise<Response> {
    return fetch(`${this.#url}/api/v1${path}`, { headers: { authorization: `Bearer ${this.#key}` } });
  }

  /** Bytes below the log, which everybody may read. */
  async bytes(log: string, path: string): Promise<Uint8Array> {
    const response = await fetch(`${this.#url}/api/v1/feeds/permits/log/${log}/${path}`);
    expect([path, response.status]).toEqual([path, 200]);
    return new Uint8Array(await response.arrayBuffer());
  }

  /** The log as it is served, with what it had before. */
  async read(vkey: string, before: string, ids: readonly string[]): Promise<JudgedLog> {
    const origin = vkey.slice(0, vkey.indexOf('+'));
    const log = origin.slice(origin.lastIndexOf('/') + 1);
    const checkpoint = Buffer.from(await this.bytes(log, 'checkpoint')).toString();
    const { size } = parseCheckpoint(parseNote(checkpoint).text);
    const tiles: Record<string, string> = {};
    const read = async (tile: HashTile | { level: 'entries'; index: number; width: number }): Promise<void> => {
      const path = tilePath(tile);
      const bytes = await this.bytes(log, path);
      this.#tiles.set(path, bytes);
      tiles[path] = base64(bytes);
    };
    for (let level = 0; tileWidth(size, level, 0) > 0; level++)
      for (let index = 0; tileWidth(size, level, index) > 0; index++) {
        const width = tileWidth(size, level, index);
        await read({ level, index, width });
        if (level === 0) await read({ level: 'entries', index, width });
      }
    const ranges = consistencyRanges(parseCheckpoint(parseNote(before).text).size, size);
    for (const tile of tilesOf(ranges, size)) await read(tile);
    const hashes = hashesOf(ranges, size, (tile) => this.#tiles.get(tilePath(tile))!);
    const inclusion: JudgedLog['inclusion'][number][] = [];
    for (const id of ids) {
      const answer = await this.get(`/records/${encodeURIComponent(id)}/proof${chance(2) === 0 ? '' : '?version=1'}`);
      expect([id, answer.status]).toEqual([id, 200]);
      const proof = parseProof(await answer.text());
      const { entry } = JSON.parse(Buffer.from(proof.extra!).toString()) as { readonly entry: string };
      expect(proof.checkpoint).toBe(checkpoint);
      inclusion.push({ index: proof.index, entry: base64(Buffer.from(entry)), hashes: proof.hashes.map(base64) });
    }
    return { vkey, origin, checkpoint, tiles, inclusion, before: { checkpoint: before, hashes: hashes.map(base64) } };
  }
}

describe.skipIf(missingGo !== null)(`Go’s sumdb${missingGo === null ? '' : ` (${missingGo})`}`, () => {
  let go: GoJudge;
  beforeAll(async () => {
    go = await GoJudge.build();
  });
  afterAll(async () => {
    await go.close();
  });

  it('accepts what a service serves after random histories', async () => {
    const histories = tries(3, 200);
    for (let history = 0; history < histories; history++) {
      const demo = await world({ samples: SAMPLES });
      const { store } = demo;
      const server = await startServer((request) => demo.fetch(request, { remoteAddress: '127.0.0.1' }), {
        port: 0,
        host: '127.0.0.1',
      });
      onTestFinished(() => server.stop(0));
      const reader = new Reader(server.url, demo.key);
      const logs: JudgedLog[] = [];
      await sign(store, 'permits');
      let [positions, { checkpoint: before }] = [SAMPLES, await logsOf(store).of('permits')];
      for (let minute = 1; minute <= 12; minute++) {
        positions = await happen(demo, positions, minute);
        // Most signatures are of several steps, and the last one is of all there is.
        if (minute < 12 && chance(3) > 0) continue;
        await sign(store, 'permits');
        const { vkey, checkpoint } = await logsOf(store).of('permits');
        const ids = Array.from({ length: 3 }, () => idOf(1 + chance(positions)));
        logs.push(await reader.read(vkey!, before!, ids));
        before = checkpoint;
      }
      // Something was judged, and last of all everything that the register has.
      const { change } = (await store.register('permits'))!;
      expect(logs.at(-1)?.checkpoint.split('\n')[1]).toBe(String(change));
      expect(await go.judge(logs)).toEqual(logs.map(() => 'accepted'));
    }
    tried(histories);
  });
});
