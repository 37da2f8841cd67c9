// Proved changes: what is handed on is what was signed, or nothing is, whatever somebody does to the answers or the register.
import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { isGazetteError } from '../../../../src/errors.ts';
import type { ProvedChange } from '../../../../src/mirror/index.ts';
import { canonicalJson } from '../../../../src/register/canonical-json.ts';
import { sign } from '../signing.ts';
import { SAMPLE_DEFINITION, sampleRecord } from '../../../contracts/sample-register.ts';
import { tries } from '../../../effort.ts';
import { addSamples } from '../../../world.ts';
import {
  type Answered,
  type Answers,
  forged,
  idOf,
  live,
  pageOf,
  read,
  type ReadOptions,
  type Watched,
  watchedService,
} from './tampered.ts';

let watched: Watched;
beforeAll(async () => {
  watched = await watchedService();
});

/** Where most walks begin: in the first tile, whose end and the next one are read then. */
const SINCE = 240;

const copyOf = (versions: readonly Answered[]): Answered[] => structuredClone(versions) as Answered[];
const originOf = ({ vkey }: Watched): string => vkey.slice(0, vkey.indexOf('+'));
const hmac = (key: string, text: string): string =>
  createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64');

/** Makes the entry of a version again, as its publisher could. One that has no proof any more is left as it is. */
function remake(version: Answered): void {
  if (!Object.hasOwn(version, 'proof')) return;
  const { change, position, version: number, cause, recorded_at, record_id: id, statement, proof } = version;
  const old = JSON.parse(proof.entry) as { readonly record: string; readonly commitment: string };
  const committed = { v: 1, log: proof.log, id, version: number, statement };
  const commitment = proof.salt === null ? old.commitment : hmac(proof.salt, canonicalJson(committed));
  const record = proof.record_salt === null ? old.record : hmac(proof.record_salt, id);
  version.proof.entry = canonicalJson({
    v: 1,
    change,
    position,
    version: number,
    cause,
    recorded_at,
    record,
    commitment,
  });
}

/** Replaces pages of changes by others made of these versions. */
const answering =
  (versions: readonly Answered[], { answers }: Watched): Answers =>
  (path) =>
    path.startsWith('/changes') ? Promise.resolve(pageOf(versions, path)) : answers(path);

/**
 * Reads answers that somebody changed. Whether it ends with an error or not, what was handed on before is the truth, from where
 * it began.
 *
 * @param truth all the changes that there are
 * @returns the error; null when all was handed on
 */
async function readChanged(asked: ReadOptions, truth: readonly ProvedChange[] = watched.truth): Promise<unknown> {
  const taken: ProvedChange[] = [];
  const { since = asked.kept === undefined ? 0 : watched.kept } = asked;
  const error: unknown = await read(asked, taken).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(taken).toEqual(truth.slice(since, error === null ? undefined : since + taken.length));
  return error;
}

describe('proved changes', () => {
  it('are all there are, in order, and name who was erased by the position alone', () => {
    const { truth, versions } = watched;
    expect(truth.map(({ change }) => change)).toEqual(versions.map((_, at) => at + 1));
    expect(truth[4]).toMatchObject({ position: 5, record_id: idOf(5), statement: { title: sampleRecord(5).title } });
    expect(truth[6]).toMatchObject({ position: 7, record_id: null, statement: null, isErased: true });
    expect(truth.find(({ cause }) => cause === 'redacted')).toMatchObject({ position: 7, record_id: null });
    expect(truth.find(({ cause }) => cause === 'withdrawn')).toMatchObject({ record_id: idOf(5), statement: null });
  });

  it('go on from a checkpoint that was kept, also within a tile, and begin with what it had', async () => {
    const { vkey, answers, truth, keptCheckpoint, kept } = watched;
    const { changes, kept: now } = await read({ vkey, answers, kept: keptCheckpoint });
    expect(changes).toEqual(truth.slice(kept));
    expect((await read({ vkey, answers, kept: now })).changes).toEqual([]);
    expect((await read({ vkey, answers, kept: keptCheckpoint, since: 250 })).changes).toEqual(truth.slice(250));
    expect((await read({ vkey, answers, since: 256 })).changes).toEqual(truth.slice(256));
  });

  const kinds: Readonly<Record<string, (versions: Answered[], at: number) => void>> = {
    'other content': (versions, at) => void (versions[at]!.statement = { title: 'Forged' }),
    'other content with its entry made again': (versions, at) => {
      versions[at]!.statement = { title: 'Forged' };
      remake(versions[at]!);
    },
    'another salt': (versions, at) => void (versions[at]!.proof.salt = randomBytes(32).toString('base64')),
    'a longer salt': (versions, at) => {
      const { proof } = versions[at]!;
      proof.salt = Buffer.concat([Buffer.from(proof.salt ?? '', 'base64'), Buffer.alloc(1)]).toString('base64');
    },
    'no proof': (versions, at) => void Reflect.deleteProperty(versions[at]!, 'proof'),
    'another record': (versions, at) => void (versions[at]!.record_id = idOf(11)),
    'another place': (versions, at) => void (versions[at]!.position += 1),
    'another time': (versions, at) => void (versions[at]!.recorded_at = '2020-01-01T00:00:00Z'),
    'another cause': (versions, at) => void (versions[at]!.cause = 'extraction_correction'),
    'another number': (versions, at) => void (versions[at]!.version += 1),
    'a change that is left out': (versions, at) => void versions.splice(at, 1),
    'a change that is left out, and the others numbered again': (versions, at) => {
      versions.splice(at, 1);
      for (const version of versions.slice(at)) {
        version.change--;
        remake(version);
      }
    },
    'two changes in another order': (versions, at) => {
      const [a, b] = [versions[at]!, versions[(at + 1) % versions.length]!];
      [versions[at], versions[(at + 1) % versions.length]] = [b, a];
    },
    'a change twice': (versions, at) => void versions.splice(at, 0, structuredClone(versions[at]!)),
    'content withheld as if it was erased': (versions, at) => {
      Object.assign(versions[at]!.proof, { salt: null, record_salt: null });
      versions[at]!.statement = null;
    },
    'an id withheld as if it was erased': (versions, at) => void (versions[at]!.proof.record_salt = null),
    'an end before the end': (versions, at) => void versions.splice(at),
  };

  it.each(Object.keys(kinds))('end before what differs after %s', async (kind) => {
    for (const at of [SINCE, 255, 256, watched.kept - 1]) {
      const versions = copyOf(watched.versions);
      kinds[kind]!(versions, at);
      const asked = { vkey: watched.vkey, answers: answering(versions, watched), since: SINCE };
      const error = await readChanged(asked);
      expect(error, `${at}`).toMatchObject({ code: 'invalid_proof' });
    }
  });

  it.each([
    ['nested deeper than any stack', '['.repeat(60_000) + ']'.repeat(60_000)],
    ['a number beyond all that JSON can carry', '1e999'],
  ])('end before content that is %s', async (_, content) => {
    const versions = copyOf(watched.versions);
    versions[SINCE]!.statement = { title: 'Forged' };
    const forging = answering(versions, watched);
    const answers: Answers = async (path) => {
      const answer = await forging(path);
      return { ...answer, body: Buffer.from(answer.body.toString('latin1').replace('"Forged"', content), 'latin1') };
    };
    const error = await readChanged({ vkey: watched.vkey, answers, since: SINCE });
    expect(error).toMatchObject({ code: 'invalid_proof' });
  });

  it('hand on what is true, and end with an error otherwise, whatever bit of an answer differs', async () => {
    const { vkey, answers, keptCheckpoint } = watched;
    await fc.assert(
      fc.asyncProperty(fc.nat(8), fc.nat(), fc.nat(7), async (request, place, bit) => {
        let asked = 0;
        const tampered: Answers = async (path) => {
          const answer = await answers(path);
          if (asked++ === request) answer.body[place % answer.body.length]! ^= 1 << bit;
          return answer;
        };
        const error = await readChanged({ vkey, answers: tampered, kept: keptCheckpoint, since: SINCE });
        expect(error === null || isGazetteError(error)).toBe(true);
      }),
      { numRuns: tries(25, 5000) },
    );
  });

  it('hand on what is true alone, whatever is done to several versions', async () => {
    const { vkey, truth, versions } = watched;
    const tampering = fc.tuple(
      fc.constantFrom(...Object.values(kinds)),
      fc.integer({ min: SINCE, max: versions.length - 1 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(tampering, { minLength: 1, maxLength: 3 }), async (tamperings) => {
        const changed = copyOf(versions);
        for (const [tamper, at] of tamperings) if (Object.hasOwn(changed[at] ?? {}, 'proof')) tamper(changed, at);
        const asked = { vkey, answers: answering(changed, watched), since: SINCE };
        const error = await readChanged(asked, truth);
        expect(error === null || isGazetteError(error, 'invalid_proof')).toBe(true);
      }),
      { numRuns: tries(25, 5000) },
    );
  });
});

it('hands on no content of what was erased, whatever is answered for it', async () => {
  const versions = copyOf(watched.versions);
  versions[6]!.statement = { title: 'A guess' };
  const { changes } = await read({ vkey: watched.vkey, answers: answering(versions, watched) });
  expect(changes).toEqual(watched.truth);
});

it('takes no tiles that differ from the signed root, and calls them no fork', async () => {
  const { vkey, answers, oldCheckpoint } = watched;
  const versions = copyOf(watched.versions);
  versions[300]!.statement = { title: 'Forged' };
  remake(versions[300]!);
  const other = forged(versions, originOf(watched));
  const mixed: Answers = (path) => (path.endsWith('/checkpoint') ? answers(path) : other(path));
  expect(await readChanged({ vkey, answers: mixed })).toMatchObject({ code: 'invalid_proof' });
  const damaged: Answers = async (path) => {
    const answer = await answers(path);
    if (path.endsWith('/tile/0/000')) answer.body[0]! ^= 1;
    return answer;
  };
  const asked = { vkey, answers: damaged, kept: oldCheckpoint, since: 120 };
  expect(await readChanged(asked)).toMatchObject({ code: 'invalid_proof' });
});

describe('a history that its publisher signs once more', () => {
  const forkedAt = async (at: number, kept: string | undefined, taken: ProvedChange[] = []): Promise<unknown> => {
    const versions = copyOf(watched.versions);
    versions[at]!.statement = { title: 'Forged' };
    remake(versions[at]!);
    const answers = forged(versions, originOf(watched));
    return read({ vkey: watched.vkey, answers, ...(kept === undefined ? {} : { kept }) }, taken);
  };

  it('is refused by everybody who kept a checkpoint of the other one, with both as evidence', async () => {
    const { kept, keptCheckpoint } = watched;
    for (const at of [0, 200, 255, 256, kept - 1]) {
      const taken: ProvedChange[] = [];
      const error = await forkedAt(at, keptCheckpoint, taken).catch((thrown: unknown) => thrown);
      expect(taken).toEqual([]);
      expect(error).toMatchObject({ code: 'log_forked', details: { kept: keptCheckpoint } });
      expect((error as { details: { served: string } }).details.served).toContain(`\n${watched.versions.length}\n`);
    }
    // What came later was shown to nobody else.
    await expect(forkedAt(kept, keptCheckpoint)).resolves.toBeDefined();
    await expect(forkedAt(0, undefined)).resolves.toBeDefined();
  });

  it('is refused at the same size; an older one is stale, and no fork', async () => {
    const { vkey, versions, keptCheckpoint, kept, answers, oldCheckpoint } = watched;
    const same = copyOf(versions.slice(0, kept));
    same[0]!.recorded_at = '2020-01-01T00:00:00Z';
    remake(same[0]!);
    for (const shown of [same, versions.slice(0, kept - 1), versions.slice(0, 3), []]) {
      const asked = { vkey, answers: forged(shown, originOf(watched)), kept: keptCheckpoint };
      const taken: ProvedChange[] = [];
      await expect(read(asked, taken)).rejects.toMatchObject({
        code: shown === same ? 'log_forked' : 'log_stale',
        message: expect.stringContaining(
          shown === same
            ? `does not begin with the ${kept}`
            : `${shown.length} changes here, and had ${kept} at the last run`,
        ) as string,
      });
      expect(taken).toEqual([]);
    }
    const old: Answers = async (path) =>
      path.endsWith('/checkpoint') ? { status: 200, body: Buffer.from(oldCheckpoint) } : answers(path);
    const taken: ProvedChange[] = [];
    const asked = { vkey, answers: old, kept: keptCheckpoint };
    await expect(read(asked, taken)).rejects.toMatchObject({ code: 'log_stale' });
    expect(taken).toEqual([]);
  });

  it('is refused when it was signed and never committed', async () => {
    const { vkey, versions } = watched;
    const more = [...copyOf(versions), { ...copyOf(versions).at(-1)!, change: versions.length + 1 }];
    remake(more.at(-1)!);
    const signed = forged(more, originOf(watched));
    const answers: Answers = (path) =>
      path.startsWith('/changes') ? Promise.resolve(pageOf(versions, path)) : signed(path);
    expect(await readChanged({ vkey, answers })).toMatchObject({ code: 'invalid_proof' });
  });

  it('is refused under another key, and for a register that was removed and made again', async () => {
    const { service, vkey, answers } = await watchedService();
    await expect(read({ vkey: watched.vkey, answers })).rejects.toMatchObject({ code: 'request_refused' });
    await expect(read({ vkey: 'nobody', answers })).rejects.toMatchObject({ code: 'invalid_log_key' });
    await expect(read({ vkey, answers, kept: watched.keptCheckpoint })).rejects.toMatchObject({
      code: 'invalid_option',
    });
    await service.store.removeRegister('permits');
    await service.store.createRegister(SAMPLE_DEFINITION);
    await addSamples(service.store, 1, 330);
    await sign(service.store, 'permits');
    await expect(read({ vkey, answers: live(service) })).rejects.toMatchObject({ code: 'request_refused' });
  });
});

it('waits for the signature of a redaction that came meanwhile, and takes no other content as erased', async () => {
  const { service, vkey, answers, oldCheckpoint, truth } = await watchedService();
  const { store } = service;
  const first: Answers = async (path) => {
    const before = await answers(path);
    return path.startsWith('/changes') ? live(service)(path) : before;
  };
  await store.redact(idOf(9), { recordedAt: '2026-10-03T10:00:00Z' });
  const error = await readChanged({ vkey, answers: first }, truth);
  expect(error).toMatchObject({ message: expect.stringContaining('withheld') as string });
  const back: Answers = async (path) =>
    path.endsWith('/checkpoint') && ++heads > 1 ? { status: 200, body: Buffer.from(oldCheckpoint) } : first(path);
  let heads = 0;
  expect(await readChanged({ vkey, answers: back }, truth)).toMatchObject({ code: 'log_stale' });
  heads = 0;
  const later: Answers = async (path) => {
    if (path.endsWith('/checkpoint') && ++heads === 3) await sign(store, 'permits');
    return live(service)(path);
  };
  const { changes } = await read({ vkey, answers: later });
  expect(heads).toBe(3);
  expect(changes.at(-1)).toMatchObject({ cause: 'redacted', position: 9 });
});
