// Proved copies of a register with which somebody does something at random: the file is what was signed, or there is none.
import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { isGazetteError } from '../../../../src/errors.ts';
import { canonicalJson } from '../../../../src/register/canonical-json.ts';
import { tries } from '../../../effort.ts';
import { by, copyOf, type Listed, outputFile, WAYS } from './copying.ts';
import { type Answered, type Answers, forged, pageOf, type Watched, watchedService } from './tampered.ts';

let watched: Watched;
let truth: string;
let latest: string;
beforeAll(async () => {
  watched = await watchedService();
  const output = await outputFile();
  await copyOf(watched, watched.answers, output);
  truth = await readFile(output, 'utf8');
  latest = await readFile(`${output}.note`, 'utf8');
});

/** What a service shows, to be changed. */
interface Shown {
  /** The records, newest first. */
  records: Listed[];
  versions: Answered[];
  /** Positions that are withdrawn where no proof is asked for. */
  withdrawn: number[];
  /** The checkpoint and the tiles; null: the true ones. */
  log: Answers | null;
  asOf: number;
}

/** Shows what was done as the records and the changes both have it. */
function restate(version: Answered, records: readonly Listed[], title: string): void {
  if (version.statement === null || version.proof.salt === null) return;
  version.statement = { ...version.statement, title };
  const { log, salt, entry } = version.proof;
  const committed = { v: 1, log, id: version.record_id, version: version.version, statement: version.statement };
  const commitment = createHmac('sha256', Buffer.from(salt, 'base64'))
    .update(canonicalJson(committed))
    .digest('base64');
  version.proof.entry = entry.replace(/"commitment":"[^"]*"/, `"commitment":"${commitment}"`);
  for (const record of records) if (record.position === version.position) record.title = title;
}

const origin = (): string => watched.vkey.slice(0, watched.vkey.indexOf('+'));
const at = <T>(list: readonly T[], place: number): T => list[place % list.length]!;

const KINDS: Readonly<Record<string, (shown: Shown, place: number) => void>> = {
  'other content': ({ records }, place) => void (at(records, place).title = 'Forged'),
  'other content, which the changes have too': ({ records, versions }, place) => {
    restate(at(versions, place), records, 'Forged');
  },
  'another time': ({ records }, place) => void (at(records, place).updated_at = '2020-01-01T00:00:00Z'),
  'another version': ({ records }, place) => void (at(records, place).version += (place % 3) - 1),
  'another place': ({ records }, place) => void (at(records, place).position += (place % 3) - 1),
  'a record that is left out': ({ records }, place) => void records.splice(place % records.length, 1),
  'a record that is left out, as if it was withdrawn': ({ records, withdrawn }, place) => {
    for (const { position } of records.splice(place % records.length, 1)) withdrawn.push(position);
  },
  'two records in another order': ({ records }, place) => {
    const index = place % (records.length - 1);
    records.splice(index, 2, records[index + 1]!, records[index]!);
  },
  'two records with each other’s content': ({ records }, place) => {
    const [a, b] = [at(records, place), at(records, place + 1)];
    [a.title, b.title] = [b.title, a.title];
  },
  'a record twice': ({ records }, place) => void records.splice(place % records.length, 0, at(records, place)),
  'an earlier end': (shown, place) => {
    shown.asOf -= place % 40;
    shown.records = shown.records.filter(({ position }) => position <= shown.asOf);
  },
  'a change that is left out': ({ versions }, place) => void versions.splice(place % versions.length, 1),
  'two changes in another order': ({ versions }, place) => {
    const index = place % (versions.length - 1);
    versions.splice(index, 2, versions[index + 1]!, versions[index]!);
  },
  'an old backup': (shown) => {
    shown.log = (path) =>
      path.endsWith('/checkpoint')
        ? Promise.resolve({ status: 200, body: Buffer.from(watched.oldCheckpoint) })
        : watched.answers(path);
  },
  'another history, signed for this consumer': (shown, place) => {
    restate(at(shown.versions, place), shown.records, 'Forked');
    shown.log = forged(shown.versions, origin());
  },
  'the beginning of the history alone': (shown, place) => {
    shown.log = forged(watched.versions.slice(0, place % watched.versions.length), origin());
  },
};

function answersOf({ records, versions, withdrawn, log, asOf }: Shown): Answers {
  return async (path) => {
    const query = new URLSearchParams(path.slice(path.indexOf('?')));
    if (path.startsWith('/changes')) {
      if (query.has('proof')) return pageOf(versions, path);
      const answer = await watched.answers(path);
      const page = JSON.parse(String(answer.body)) as { versions: object[] };
      page.versions = [...page.versions, ...withdrawn.map((position) => ({ position, cause: 'withdrawn' }))];
      return { ...answer, body: Buffer.from(JSON.stringify(page)) };
    }
    if (path.startsWith('/records?')) {
      const from = Number(query.get('offset') ?? 0);
      const next = from + 100 < records.length ? from + 100 : null;
      const page = { records: records.slice(from, from + 100), next_offset: next, as_of: asOf };
      return { status: 200, body: Buffer.from(JSON.stringify(page)) };
    }
    return path.startsWith('/log/') && log !== null ? log(path) : watched.answers(path);
  };
}

function shownNow(): Shown {
  const records = truth
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Listed);
  return { records, versions: structuredClone(watched.versions) as Answered[], withdrawn: [], log: null, asOf: 330 };
}

/** What there is after an attempt to copy, besides what a later attempt goes on with. */
async function keptBy(output: string): Promise<{ hasCopy: boolean; note: string | null; isForked: boolean }> {
  const note = `${output}.note`;
  return {
    hasCopy: existsSync(output),
    note: existsSync(note) ? await readFile(note, 'utf8') : null,
    isForked: existsSync(`${note}.forked`),
  };
}

/**
 * Whether a consumer who saw the latest checkpoint accepts this. What is accepted is the truth. Otherwise the checkpoint stays as
 * it is, and there is evidence of a fork if that is why.
 */
async function isAccepted(answers: Answers): Promise<boolean> {
  const output = await outputFile();
  await writeFile(`${output}.note`, latest);
  try {
    await copyOf(watched, answers, output);
  } catch (error) {
    expect(isGazetteError(error), String(error)).toBe(true);
    const isForked = isGazetteError(error, 'log_forked');
    expect(await keptBy(output)).toEqual({ hasCopy: false, note: latest, isForked });
    return false;
  }
  expect(await readFile(output, 'utf8')).toBe(truth);
  return true;
}

it.each(WAYS)('is accepted when nothing was done: by %s', async (way) => {
  expect(await isAccepted(by(way, answersOf(shownNow())))).toBe(true);
});

it.each(Object.keys(KINDS))('is refused after %s', async (kind) => {
  for (const way of WAYS) {
    for (const place of [5, 122, 254]) {
      const shown = shownNow();
      KINDS[kind]!(shown, place);
      expect(await isAccepted(by(way, answersOf(shown))), `${way} ${place}`).toBe(false);
    }
  }
});

it('is what is true, or nothing, whatever is done, and however often', async () => {
  const tampering = fc.tuple(fc.constantFrom(...Object.values(KINDS)), fc.nat(10_000));
  await fc.assert(
    fc.asyncProperty(
      fc.array(tampering, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(...WAYS),
      async (tamperings, way) => {
        const shown = shownNow();
        for (const [tamper, place] of tamperings) tamper(shown, place);
        await isAccepted(by(way, answersOf(shown)));
      },
    ),
    { numRuns: tries(40, 4000) },
  );
});

it('is what is true, or nothing, whatever bit of an answer differs', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(19), fc.nat(), fc.nat(7), fc.constantFrom(...WAYS), async (request, place, bit, way) => {
      let asked = 0;
      const whole = by(way, watched.answers);
      const output = await outputFile();
      const tampered: Answers = async (path) => {
        const answer = await whole(path);
        if (asked++ === request) answer.body[place % answer.body.length]! ^= 1 << bit;
        return answer;
      };
      try {
        await copyOf(watched, tampered, output);
      } catch (error) {
        expect(isGazetteError(error), String(error)).toBe(true);
        // Nobody signed another history: whatever is damaged, nothing is kept as evidence of a fork.
        const { note, ...kept } = await keptBy(output);
        expect(kept).toEqual({ hasCopy: false, isForked: false });
        expect([null, latest]).toContain(note);
        return;
      }
      expect(await readFile(output, 'utf8')).toBe(truth);
    }),
    { numRuns: tries(30, 3000) },
  );
});
