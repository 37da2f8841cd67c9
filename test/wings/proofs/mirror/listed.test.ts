// A register's log held against the log of logs: an old state of it, and another branch, are found by who reads that; a proof by itself
// claims neither.
import { describe, expect, it } from 'vitest';
import { type GazetteError, isGazetteError } from '../../../../src/errors.ts';
import {
  isConsistent,
  leafHash,
  openCheckpoint,
  parseProof,
  parseVerifierKey,
  verifyProof,
} from '../../../../src/wings/proofs/tlog/index.ts';
import { formatCheckpoint } from '../../../../src/wings/proofs/tlog/checkpoint.ts';
import { formatVerifierKey, signerOf } from '../../../../src/wings/proofs/tlog/keys.ts';
import { parseSubmission } from '../../../../src/wings/proofs/tlog/submission.ts';
import { readKept } from '../../../../src/wings/proofs/mirror/last-checkpoint.ts';
import { sign, signedHead, signLogOfLogs } from '../signing.ts';
import { at, permits, say } from '../../../contracts/store-register.ts';
import { naiveRoot } from '../tlog/naive-tree.ts';
import { addSamples } from '../../../world.ts';
import { type Answers, forged, idOf, live, NOTHING, read, type Watched, watchedService } from './tampered.ts';
import { logsOf } from '../logs-of.ts';

const AFTER = { recordedAt: '2026-10-03T10:00:00Z' };

/** A service whose checkpoint is in the log of logs. */
async function listedService(): Promise<Watched & { readonly name: string }> {
  const watched = await watchedService();
  const { store } = watched.service;
  await signLogOfLogs(store);
  return { ...watched, name: (await logsOf(store).ofLogs()).origin! };
}

const refusal = async (work: Promise<unknown>): Promise<GazetteError> => {
  const error = await work.catch((thrown: unknown) => thrown);
  if (isGazetteError(error)) return error;
  throw new Error('it was taken', { cause: error });
};

/** Another branch with as many changes, under the same name. */
const branchOf = ({ versions, vkey }: Watched, size: number): Answers => {
  const changed = structuredClone(versions.slice(0, size)) as typeof versions;
  changed[0]!.proof.entry = changed[0]!.proof.entry.replace('"position":1', '"position":9');
  return forged(changed, vkey.slice(0, vkey.indexOf('+')));
};

/** Has the log of logs list checkpoints that another branch signed. */
async function listBranch(watched: Watched, ...sizes: readonly number[]): Promise<void> {
  const { store } = watched.service;
  const { uuid, origin, vkey, checkpoint: own } = await logsOf(store).of('permits');
  let before = own!;
  const publish = async (checkpoint: string): Promise<void> => {
    await logsOf(store).publish('permits', { uuid, origin: origin!, vkey: vkey!, before, checkpoint });
    before = checkpoint;
  };
  for (const size of sizes) {
    const { body } = await branchOf(watched, size)(`/log/${uuid}/checkpoint`);
    await publish(body.toString());
    await logsOf(store).gather();
  }
  await publish(own!);
  await sign(store, null);
}

/** Shows one reader an old checkpoint of a register. */
const freezing =
  ({ service }: Watched, checkpoint: string): Answers =>
  async (path) =>
    path.startsWith('/log/') && path.endsWith('/checkpoint')
      ? { status: 200, body: Buffer.from(checkpoint) }
      : live(service)(path);

describe('a log and the log of logs', () => {
  it('says how many changes are newer than what is listed, and goes on from where it was read', async () => {
    const { service, vkey, name, versions } = await listedService();
    const { store } = service;
    const answers = live(service);
    const first = await read({ vkey, answers });
    expect(first.listing).toEqual({ name, newer: 0, cosigned: [] });
    const { checkpoint } = await logsOf(store).of('permits');
    expect(readKept(first.kept, vkey.slice(0, vkey.indexOf('+')))).toEqual({
      checkpoint,
      ofLogs: (await logsOf(store).ofLogs()).checkpoint,
    });
    await addSamples(store, 331, 333);
    await sign(store, 'permits');
    const second = await read({ vkey, answers, kept: first.kept });
    expect(second.changes).toHaveLength(3);
    expect(second.listing).toEqual({ name, newer: 3, cosigned: [] });
    await signLogOfLogs(store);
    const third = await read({ vkey, answers, kept: second.kept });
    expect(third.listing).toEqual({ name, newer: 0, cosigned: [] });
    expect(third.changes).toEqual([]);
    expect(versions.length + 3).toBe((await logsOf(store).of('permits')).size);
  });

  it('finds a register that is frozen for one reader', async () => {
    const watched = await listedService();
    const { service, vkey } = watched;
    const { size, checkpoint } = await logsOf(service.store).of('permits');
    const frozen = freezing(watched, checkpoint!);
    expect((await read({ vkey, answers: frozen })).changes).toHaveLength(size);
    await addSamples(service.store, 331, 340);
    await sign(service.store, 'permits');
    await signLogOfLogs(service.store);
    expect(await refusal(read({ vkey, answers: frozen }))).toMatchObject({
      code: 'log_stale',
      message: expect.stringContaining(`at change ${size}: it is stale, the log of logs has 10 changes more`) as string,
    });
    // Without the log of logs nothing is claimed of it.
    const { changes, listing } = await read({
      vkey,
      answers: (path) => (path.startsWith('..') ? Promise.resolve(NOTHING) : frozen(path)),
    });
    expect([changes.length, listing]).toEqual([size, null]);
  });

  it('goes back for what was listed before what is new, and no further', async () => {
    const { service, vkey } = await listedService();
    const { store } = service;
    await store.createRegister(permits('other'));
    for (let round = 0; round < 270; round++) {
      await store.apply('other', [say(`k${round}`, {}, 'other')], { recordedAt: at(0) });
      await sign(store, 'other');
      await logsOf(store).gather();
    }
    await sign(store, null);
    let asked: string[] = [];
    const answers: Answers = (path) => {
      if (path.startsWith('..') && path.includes('/entries/')) asked.push(path.slice(path.indexOf('/entries/') + 9));
      return live(service)(path);
    };
    const { kept } = await read({ vkey, answers });
    expect(asked).toEqual(['000', '001.p/15']);
    asked = [];
    expect((await read({ vkey, answers, kept })).listing).toMatchObject({ newer: 0 });
    expect(asked).toEqual(['001.p/15', '000']);
    await store.withdraw('permits', [idOf(9)], AFTER);
    await sign(store, 'permits');
    await signLogOfLogs(store);
    asked = [];
    expect((await read({ vkey, answers, kept })).listing).toMatchObject({ newer: 0 });
    expect(asked).toEqual(['001.p/16']);
  });

  it('finds two branches of one register, with evidence that anybody can check', async () => {
    const watched = await listedService();
    const { service, vkey, versions } = watched;
    const key = parseVerifierKey(vkey);
    const { vkey: listKey } = await logsOf(service.store).ofLogs();
    for (const size of [1, 120, 256, 300, versions.length - 1]) {
      await listBranch(watched, size);
      const error = await refusal(read({ vkey, answers: live(service) }));
      expect(error).toMatchObject({ code: 'log_forked' });
      const { kept, served } = error.details as Readonly<Record<string, string>>;
      // One was listed: in the signed log of logs.
      const proof = parseProof(kept!);
      const list = parseVerifierKey(listKey!);
      verifyProof(proof, leafHash(proof.extra!), list.name, [list]);
      const [origin, digits, text] = Buffer.from(proof.extra!).toString().split('\n');
      expect([origin, Number.isInteger(Number(digits))]).toEqual([key.name, true]);
      // And the other one was served: its proof makes its own root, and not the one that was listed.
      const { oldSize, proof: hashes, checkpoint } = parseSubmission(served!);
      const now = openCheckpoint(checkpoint, key.name, [key]);
      const before = { size: Number(digits), root: Buffer.from(text!, 'base64') };
      expect(oldSize).toBe(before.size);
      expect(isConsistent(before, now, hashes)).toBe(false);
      const entries = versions.slice(0, before.size).map(({ proof: { entry } }) => leafHash(Buffer.from(entry)));
      expect(isConsistent({ size: before.size, root: naiveRoot(entries) }, now, hashes)).toBe(true);
    }
  });

  it('finds two branches of which the reader is shown neither to their end', async () => {
    const watched = await listedService();
    const { vkey, keptCheckpoint, versions } = watched;
    await listBranch(watched, versions.length - 1, versions.length);
    const error = await refusal(read({ vkey, answers: freezing(watched, keptCheckpoint) }));
    expect(error).toMatchObject({ code: 'log_forked' });
    for (const text of Object.values(error.details)) expect(parseProof(String(text)).extra).not.toBeNull();
  });

  it('is found also by who is shown the other branch', async () => {
    const watched = await listedService();
    const { service, vkey, versions } = watched;
    const branch = branchOf(watched, versions.length);
    const shown: Answers = (path) => (path.startsWith('/log/') ? branch(path) : live(service)(path));
    expect(await refusal(read({ vkey, answers: shown }))).toMatchObject({ code: 'log_forked' });
  });

  it('refuses a log of logs that is gone, another, older, or none', async () => {
    const { service, vkey, name } = await listedService();
    const { kept } = await read({ vkey, answers: live(service) });
    const under =
      (path: string, body: string): Answers =>
      async (asked) =>
        asked === path || asked.endsWith(path) ? { status: 200, body: Buffer.from(body) } : live(service)(asked);
    const saying = (origin: string): Answers => under('../log', JSON.stringify({ origin }));
    const gone: Answers = (path) => (path === '../log' ? Promise.resolve(NOTHING) : live(service)(path));
    const other = name.replace(/.{12}$/, '000000000000');
    for (const answers of [gone, saying(other), saying('example.org/log'), under('../log', '[]')])
      expect(await refusal(read({ vkey, answers, kept }))).toMatchObject({ code: 'invalid_proof' });
    const none = { size: 0, root: Buffer.from('47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=', 'base64') };
    const [, uuid] = /log\/([^/]*)$/.exec(name)!;
    const older = under(`../log/${uuid}/checkpoint`, signedHead(name, none).checkpoint);
    expect(await refusal(read({ vkey, answers: older, kept }))).toMatchObject({ code: 'log_stale' });
    const rewritten = under(
      `../log/${uuid}/checkpoint`,
      signedHead(name, { size: 1, root: Buffer.alloc(32) }).checkpoint,
    );
    expect(await refusal(read({ vkey, answers: rewritten, kept }))).toMatchObject({ code: 'invalid_proof' });
    expect((await read({ vkey, answers: gone, policy: 'quorum none\n' })).listing).toBeNull();
    const witness = formatVerifierKey(signerOf('w.example', 'witness', Buffer.alloc(32, 3)));
    const policy = `witness W ${witness}\nquorum W\n`;
    expect(await refusal(read({ vkey, answers: gone, policy }))).toMatchObject({ code: 'invalid_proof' });
  });

  it('goes on with a log of logs that was begun anew once a policy names it', async () => {
    const watched = await listedService();
    const { service, vkey, versions } = watched;
    const { store } = service;
    const answers = live(service);
    const { kept } = await read({ vkey, answers });
    await logsOf(store).beginOfLogs();
    await signLogOfLogs(store);
    const now = await logsOf(store).ofLogs();
    expect(await refusal(read({ vkey, answers, kept }))).toMatchObject({
      ...{ code: 'invalid_proof', message: expect.stringContaining(`another now, ${now.origin!}: `) as string },
    });
    const policy = `log ${now.vkey!}\nquorum none\n`;
    const later = await read({ vkey, answers, kept, policy });
    expect(later.listing).toEqual({ name: now.origin, newer: 0, cosigned: [] });
    expect((await read({ vkey, answers, kept: later.kept })).listing).toEqual(later.listing);
    // The register's own log still has to begin with what was seen.
    const { uuid } = await logsOf(store).of('permits');
    const { body } = await branchOf(watched, versions.length)(`/log/${uuid}/checkpoint`);
    const other = kept.replace((await logsOf(store).of('permits')).checkpoint!, body.toString());
    expect(await refusal(read({ vkey, answers, kept: other, policy }))).toMatchObject({ code: 'log_forked' });
  });
});

it('is claimed by no proof of a record, whichever branch or state it is of', async () => {
  const watched = await listedService();
  const { service, vkey } = watched;
  const key = parseVerifierKey(vkey);
  const proof = parseProof(await (await service.pro('/records/permits:2026-0003/proof?version=1')).text());
  const { entry, checkpoint_proof } = JSON.parse(Buffer.from(proof.extra!).toString()) as Readonly<
    Record<string, string>
  >;
  const opened = verifyProof(proof, leafHash(Buffer.from(entry!)), key.name, [key]);
  await listBranch(watched, opened.size - 1);
  await service.store.withdraw('permits', ['permits:2026-0009'], AFTER);
  await sign(service.store, 'permits');
  await signLogOfLogs(service.store);
  // It proves what it says, and that its checkpoint is listed.
  expect(verifyProof(proof, leafHash(Buffer.from(entry!)), key.name, [key])).toEqual(opened);
  const listKey = parseVerifierKey((await logsOf(service.store).ofLogs()).vkey!);
  const text = formatCheckpoint({ origin: key.name, size: opened.size, root: opened.root });
  expect(verifyProof(parseProof(checkpoint_proof!), leafHash(Buffer.from(text)), listKey.name, [listKey]).size).toBe(1);
  // Who reads the log of logs finds the branch.
  expect(await refusal(read({ vkey, answers: live(service) }))).toMatchObject({ code: 'log_forked' });
});
