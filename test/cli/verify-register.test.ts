// `gazette verify` of a register over HTTP, and of its log in a snapshot.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../src/adapters/server.ts';
import {
  formatCheckpoint,
  formatNote,
  formatVerifierKey,
  parseNote,
  signerOf,
  signText,
} from '../../src/proofs/index.ts';
import { LOG_SEED, sign, signedHead, signLogOfLogs } from '../contracts/full-store.ts';
import {
  digestOf,
  manifestText,
  type RegisterManifest,
  type RootManifest,
} from '../../src/snapshot/folder/manifest.ts';
import { demoService, takeIn } from '../service/demo-service.ts';
import { forged, type Answered } from '../mirror/tampered.ts';
import { publish as publishTo } from '../snapshot/published.ts';
import { folder, gazette } from './run.ts';

it('proves a register, remembers it, and keeps both checkpoints when it is rewritten', async () => {
  const demo = await demoService();
  const { store, key } = demo;
  let answers: ReturnType<typeof forged> | null = null;
  const server = await startServer(
    async (request) => {
      const path = request.url.slice(request.url.indexOf('/feeds/permits') + '/feeds/permits'.length);
      const forgery = await answers?.(path);
      return forgery === undefined
        ? demo.gazette.fetch(request, { remoteAddress: '127.0.0.1' })
        : new Response(new Uint8Array(forgery.body), { status: forgery.status });
    },
    { port: 0, host: '127.0.0.1' },
  );
  onTestFinished(() => server.stop(0));
  await sign(store, 'permits');
  const { vkey, origin } = await store.logs.of('permits');
  const state = join(await folder(), 'permits.note');
  const address = `${server.url}/api/v1/feeds/permits`;
  const verify = (...more: readonly string[]) => gazette(['verify', address, ...more], '', { GAZETTE_API_KEY: key });
  const known = ['--vkey', vkey!, '--state', state];
  expect(await verify()).toMatchObject({ code: 2 });
  expect((await verify('--vkey', vkey!)).stdout.toString()).toBe(
    'complete and unrewritten to change 120: 120 records\n',
  );
  const witness = signerOf('w.example', 'witness', Buffer.alloc(32, 3));
  const witnessed = ['--vkey', vkey!, '--witness', formatVerifierKey(witness)];
  const alone = await verify(...witnessed);
  expect([alone.code, alone.stderr.includes('the witness "w.example" did not sign')]).toEqual([1, true]);
  const policy = join(await folder(), 'policy');
  const underPolicy = async (lines: string): ReturnType<typeof verify> => {
    await writeFile(policy, lines);
    return verify('--vkey', vkey!, '--policy', policy);
  };
  const witnesses = `witness W ${formatVerifierKey(witness)}\nwitness V ${formatVerifierKey(signerOf('v.example', 'witness', Buffer.alloc(32, 4)))}\n`;
  const quorum = `log ${vkey!}\n${witnesses}group one any W V\nquorum one\n`;
  expect((await underPolicy(quorum)).stderr).toContain(
    'of the witnesses of the policy, nobody signed: its quorum "one"',
  );
  const { checkpoint: before, uuid } = await store.logs.of('permits');
  const { text, signatures } = parseNote(before!);
  const checkpoint = formatNote({ text, signatures: [...signatures, signText(text, witness, 1_000_000_000)] });
  expect(await store.logs.publish('permits', { ...{ uuid, checkpoint, before }, vkey: vkey!, origin: origin! })).toBe(
    true,
  );
  expect((await verify(...witnessed)).stdout.toString()).toContain(
    '\nsigned by the witness w.example at 2001-09-09T01:46:40Z, which is stale: more than a day ago\n',
  );
  expect((await verify('--vkey', vkey!, '--witness', vkey!)).code).toBe(1);
  expect((await underPolicy(quorum)).stdout.toString()).toMatch(/\nsigned by the witness w\.example at [^\n]+\n$/);
  expect((await underPolicy('quorum none\n')).code).toBe(0);
  expect((await underPolicy(quorum.replace('any', 'all'))).stderr).toContain(
    'the policy, w.example signed: its quorum',
  );
  expect(
    (await underPolicy(quorum.replace(vkey!, formatVerifierKey(signerOf('other', 'log', LOG_SEED))))).stderr,
  ).toContain(`the policy must have a line for the log: log ${vkey!} (invalid_input)`);
  expect((await underPolicy('quorum nobody\n')).stderr).toContain('line 1 of the policy must name');
  expect((await verify('--vkey', vkey!, '--policy', `${policy}.not`)).stderr).toContain('(invalid_option)');
  expect((await verify('--policy', policy)).code).toBe(2);
  expect((await verify(...known)).code).toBe(0);
  await store.withdraw('permits', ['permits:2026-0007'], { recordedAt: '2026-10-02T10:00:00Z' });
  await sign(store, 'permits');
  expect((await verify(...known)).stdout.toString()).toBe(
    'complete and unrewritten to change 121, which begins with the 120 of the last run: 119 records\n',
  );
  const note = await readFile(state, 'utf8');
  expect(note).toBe((await store.logs.of('permits')).checkpoint);

  const page = await demo.pro('/feeds/permits/changes?proof=1&limit=100');
  const { versions } = (await page.json()) as { readonly versions: Answered[] };
  answers = forged(versions.slice(1), origin!);
  const ended = await verify(...known);
  expect([ended.code, ended.stdout.toString()]).toEqual([3, '']);
  expect(ended.stderr).toContain('log_forked');
  const evidence = await readFile(`${state}.forked`, 'utf8');
  expect(evidence).toContain(note);
  expect(evidence).toContain('\n99\n');
  expect(await readFile(state, 'utf8')).toBe(note);
  await writeFile(state, 'something else');
  expect((await verify(...known)).code).toBe(2);
});

it('proves the log of a register in a snapshot, remembers it, and keeps both checkpoints when it is another', async () => {
  const [{ store }, { store: other }] = await Promise.all([demoService(), demoService()]);
  const out = await folder();
  const verify = (place: string, ...more: readonly string[]) => gazette(['verify', join(out, place), ...more]);
  const publish = async (from: typeof store, place: string): Promise<void> => {
    await sign(from, 'permits');
    await publishTo(from, join(out, place));
  };
  await publish(store, 'one');
  const { vkey } = await store.logs.of('permits');
  const known = ['--vkey', vkey!, '--state', join(out, 'permits.note')];
  const first = await verify('one', '--vkey', vkey!);
  expect(first.code).toBe(0);
  expect(first.stdout.toString()).toContain(
    '\ncomplete and unrewritten to change 120: 120 records\npermits: this proves ',
  );
  expect((await verify('one', ...known)).code).toBe(0);
  await store.withdraw('permits', ['permits:2026-0007'], { recordedAt: '2026-10-02T10:00:00Z' });
  await publish(store, 'one');
  expect((await verify('one', ...known)).stdout.toString()).toContain(
    'change 121, which begins with the 120 of the last run: 119 records\n',
  );
  const note = await readFile(join(out, 'permits.note'), 'utf8');
  await publish(other, 'two');
  expect(await verify('two', ...known)).toMatchObject({ code: 1 });
  const { origin } = await store.logs.of('permits');
  const text = formatCheckpoint({ origin: origin!, size: 121, root: Buffer.alloc(32) });
  const forged = formatNote({ text, signatures: [signText(text, signerOf(origin!, 'log', LOG_SEED), 0)] });
  await writeFile(join(out, 'permits.note'), forged);
  const ended = await verify('one', ...known);
  expect([ended.code, ended.stderr]).toEqual([3, expect.stringContaining('log_forked')]);
  expect(await readFile(join(out, 'permits.note.forked'), 'utf8')).toBe(`${forged}\n${note}\n`);
  expect(await verify('one', '--state', 'x.note')).toMatchObject({ code: 2 });
});

/** Changes the manifest of a register in a snapshot, and what the manifest of the root says of it. */
async function forgeManifest(out: string, change: (manifest: RegisterManifest) => RegisterManifest): Promise<void> {
  const [path, root] = [join(out, 'permits/manifest.json'), join(out, 'manifest.json')];
  const text = manifestText(change(JSON.parse(await readFile(path, 'utf8')) as RegisterManifest));
  await writeFile(path, text);
  const { files, ...head } = JSON.parse(await readFile(root, 'utf8')) as RootManifest;
  const entry = { sha256: digestOf(text), bytes: Buffer.byteLength(text) };
  await writeFile(root, manifestText({ ...head, files: { ...files, 'permits/manifest.json': entry } }));
}

it('finds a record that was dropped from a snapshot, whose manifests were written to fit', async () => {
  const { store } = await demoService();
  await takeIn(store, 121, 250);
  const out = await folder();
  await sign(store, 'permits');
  const { vkey } = await store.logs.of('permits');
  const verify = (): ReturnType<typeof gazette> => gazette(['verify', out, '--vkey', vkey!]);
  // The pages lack a record whose withdrawal is not signed.
  await store.withdraw('permits', ['permits:2026-0007'], { recordedAt: '2026-10-02T10:00:00Z' });
  await publishTo(store, out);
  const { code, stdout } = await verify();
  expect([code, stdout.toString()]).toEqual([
    0,
    expect.stringContaining('permits: its pages have 1 change that the log has not signed yet: as many records'),
  ]);
  await forgeManifest(out, (manifest) => ({ ...manifest, change: 250 }));
  expect((await gazette(['verify', out])).code).toBe(0);
  const { stderr, ...ended } = await verify();
  expect([ended.code, ended.stdout.toString()]).toEqual([1, expect.not.stringContaining('unrewritten')]);
  const path = join(out, 'permits/pages/000001.atom');
  expect(stderr).toContain(
    `${path} has 99 records; by the signed log there are 100 with positions 1 to 100 (invalid_proof)`,
  );
  // A whole page less, and every number that says so.
  await forgeManifest(out, (manifest) => {
    const files = Object.entries(manifest.files).filter(([name]) => !name.startsWith('pages/000001'));
    const walk = manifest.walk.filter((name) => name !== 'pages/000001');
    return { ...manifest, files: Object.fromEntries(files), walk, total: 150 };
  });
  await Promise.all(
    ['atom', 'rss', 'json', 'html', 'csv', 'xlsx', 'xml'].map((ending) =>
      rm(join(out, `permits/pages/000001.${ending}`)),
    ),
  );
  expect((await gazette(['verify', out])).code).toBe(0);
  expect((await verify()).stderr).toContain('permits/manifest.json has 150 records; by the signed log there are 250');
});

it('proves the log of logs, and each register against it', async () => {
  const demo = await demoService();
  const { store } = demo;
  const server = await startServer((request) => demo.gazette.fetch(request, { remoteAddress: '127.0.0.1' }), {
    ...{ port: 0, host: '127.0.0.1' },
  });
  onTestFinished(() => server.stop(0));
  await sign(store, 'permits');
  await signLogOfLogs(store);
  const { vkey, origin } = await store.logs.ofLogs();
  const { origin: register } = await store.logs.of('permits');
  const state = join(await folder(), 'logs.note');
  const verify = () => gazette(['verify', `${server.url}/api/v1/log`, '--vkey', vkey!, '--state', state], '');
  expect((await verify()).stdout.toString()).toBe(
    'complete and unrewritten to checkpoint 1\n1 log of registers, each with all that its checkpoints said\n',
  );
  await store.removeRegister('permits');
  expect((await verify()).stdout.toString()).toBe(
    `complete and unrewritten to checkpoint 1, which begins with the 1 of the last run\n0 logs of registers, each with all that its checkpoints said\nthere no more, and not compared: ${register}\n`,
  );
  await writeFile(state, signedHead(origin!, { size: 1, root: Buffer.alloc(32) }).checkpoint);
  expect(await verify()).toMatchObject({ code: 3 });
  expect(await readFile(`${state}.forked`, 'utf8')).toContain(origin);
});
