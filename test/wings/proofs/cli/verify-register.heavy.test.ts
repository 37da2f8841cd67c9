// `gazette verify` of a register over HTTP, and of its log in a snapshot.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../../../src/adapters/server.ts';
import { formatCheckpoint } from '../../../../src/wings/proofs/tlog/checkpoint.ts';
import { formatVerifierKey, signerOf } from '../../../../src/wings/proofs/tlog/keys.ts';
import { formatNote, signText } from '../../../../src/wings/proofs/tlog/note.ts';
import { cosignLogOfLogs, LOG_SEED, sign, signedHead, signLogOfLogs } from '../signing.ts';
import {
  digestOf,
  manifestText,
  type RegisterManifest,
  type RootManifest,
} from '../../../../src/snapshot/folder/manifest.ts';
import { addSamples, SAMPLES, world } from '../../../world.ts';
import { forged, type Answered } from '../mirror/tampered.ts';
import { publish as publishTo } from '../../../snapshot/published.ts';
import { folder, gazette } from '../../../cli/run.ts';
import { logsOf } from '../logs-of.ts';

/** What is said where no checkpoints are listed. */
const NO_LIST = 'there is no log of logs: whether others are shown the same is not proved\n';

/** What is said of the folder of previews. */
const WORDS_OF_PUBLIC =
  /\n3 records: every word as signed, but not compared in [a-z, ]+; what 117 records say is not proved\ncompared in pages: json \(its records\)\n/;

it('proves a register, remembers it, and keeps the evidence when it is rewritten', async () => {
  const demo = await world({ samples: SAMPLES });
  const { store, key } = demo;
  let answers: ReturnType<typeof forged> | null = null;
  const server = await startServer(
    async (request) => {
      const [, path = null] = request.url.split('/feeds/permits');
      const forgery = path === null ? undefined : await answers?.(path);
      return forgery === undefined
        ? demo.fetch(request, { remoteAddress: '127.0.0.1' })
        : new Response(new Uint8Array(forgery.body), { status: forgery.status });
    },
    { port: 0, host: '127.0.0.1' },
  );
  onTestFinished(() => server.stop(0));
  await sign(store, 'permits');
  const { vkey, origin } = await logsOf(store).of('permits');
  const state = join(await folder(), 'permits.note');
  const address = `${server.url}/api/v1/feeds/permits`;
  const verify = (...more: readonly string[]) => gazette(['verify', address, ...more], '', { GAZETTE_API_KEY: key });
  const known = ['--vkey', vkey!, '--state', state];
  expect(await verify()).toMatchObject({ code: 2 });
  expect((await verify('--vkey', vkey!)).stdout.toString()).toBe(
    `complete and unrewritten to change 120: 120 records\n${NO_LIST}`,
  );
  const witness = signerOf('w.example', 'witness', Buffer.alloc(32, 3));
  const witnessed = ['--vkey', vkey!, '--witness', formatVerifierKey(witness)];
  await signLogOfLogs(store);
  const { origin: listName, vkey: listKey } = await logsOf(store).ofLogs();
  const policy = join(await folder(), 'policy');
  const underPolicy = async (lines: string): ReturnType<typeof verify> => {
    await writeFile(policy, lines);
    return verify('--vkey', vkey!, '--policy', policy);
  };
  const witnesses = `witness W ${formatVerifierKey(witness)}\nwitness V ${formatVerifierKey(signerOf('v.example', 'witness', Buffer.alloc(32, 4)))}\n`;
  const quorum = `log ${listKey!}\n${witnesses}group one any W V\nquorum one\n`;
  const at = new Date(Math.floor(Date.now() / 1000) * 1000);
  await cosignLogOfLogs(store, witness, at.getTime());
  const text = `\nin the log of logs ${listName!}: all of it\nsigned by the witness w.example at ${at.toISOString().replace('.000Z', 'Z')}\n`;
  expect((await verify(...witnessed)).stdout.toString()).toContain(text);
  expect((await underPolicy(quorum)).stdout.toString()).toContain(text);
  expect((await underPolicy('quorum none\n')).code).toBe(0);
  expect((await underPolicy(quorum.replace(listKey!, vkey!))).stderr).toContain(
    `the policy must have a line for the log of logs: log ${listKey!} (invalid_input)`,
  );
  expect((await underPolicy('quorum nobody\n')).stderr).toContain('line 1 of the policy must name');
  expect((await verify('--vkey', vkey!, '--policy', `${policy}.not`)).stderr).toContain('(invalid_option)');
  expect((await verify('--policy', policy)).code).toBe(2);
  expect((await verify(...witnessed, '--policy', policy)).code).toBe(2);
  expect((await verify('--vkey', vkey!, '--witness', vkey!)).stderr).toContain('(invalid_log_key)');
  expect((await verify(...known)).code).toBe(0);
  await store.withdraw('permits', ['permits:2026-0007'], { recordedAt: '2026-10-02T10:00:00Z' });
  await sign(store, 'permits');
  expect((await verify(...known)).stdout.toString()).toBe(
    `complete and unrewritten to change 121, which begins with the 120 of the last run: 119 records\nin the log of logs ${listName!}: all but the newest 1 change\n`,
  );
  const note = await readFile(state, 'utf8');
  const [{ checkpoint }, { checkpoint: ofLogs }] = await Promise.all([
    logsOf(store).of('permits'),
    logsOf(store).ofLogs(),
  ]);
  expect(note).toBe(`${checkpoint!}\n${ofLogs!}`);

  const page = await demo.pro('/feeds/permits/changes?proof=1&limit=100');
  const { versions } = (await page.json()) as { readonly versions: Answered[] };
  // Another history, as long as the one that was seen.
  const more = structuredClone(versions);
  answers = forged([...more, ...more.slice(0, 50)], origin!);
  const ended = await verify(...known);
  expect([ended.code, ended.stdout.toString()]).toEqual([3, '']);
  expect(ended.stderr).toContain('log_forked');
  const evidence = await readFile(`${state}.forked`, 'utf8');
  expect(evidence).toContain(checkpoint!);
  expect(evidence).toContain('\nold 121\n');
  expect(evidence).toContain('\n150\n');
  expect(await readFile(state, 'utf8')).toBe(note);
  await writeFile(state, 'something else');
  expect((await verify(...known)).code).toBe(2);
});

it('proves the log of a register in a snapshot, remembers it, and keeps both checkpoints when it is another', async () => {
  const [{ store }, { store: other }] = await Promise.all([world({ samples: SAMPLES }), world({ samples: SAMPLES })]);
  const out = await folder();
  const verify = (place: string, ...more: readonly string[]) => gazette(['verify', join(out, place), ...more]);
  const publish = async (from: typeof store, place: string): Promise<void> => {
    await sign(from, 'permits');
    await publishTo(from, join(out, place));
  };
  await publish(store, 'one');
  const { vkey } = await logsOf(store).of('permits');
  const known = ['--vkey', vkey!, '--state', join(out, 'permits.note')];
  const first = await verify('one', '--vkey', vkey!);
  expect(first.code).toBe(0);
  expect(first.stdout.toString()).toMatch(WORDS_OF_PUBLIC);
  expect((await verify('one', ...known)).code).toBe(0);
  await store.withdraw('permits', ['permits:2026-0007'], { recordedAt: '2026-10-02T10:00:00Z' });
  await publish(store, 'one');
  expect((await verify('one', ...known)).stdout.toString()).toContain(
    'the log is complete and unrewritten to change 121, which begins with the 120 of the last run: 119 records',
  );
  const note = await readFile(join(out, 'permits.note'), 'utf8');
  await publish(other, 'two');
  expect(await verify('two', ...known)).toMatchObject({ code: 1 });
  const { origin } = await logsOf(store).of('permits');
  const text = formatCheckpoint({ origin: origin!, size: 121, root: Buffer.alloc(32) });
  const forged = formatNote({ text, signatures: [signText(text, signerOf(origin!, 'log', LOG_SEED), 0)] });
  await writeFile(join(out, 'permits.note'), forged);
  const ended = await verify('one', ...known);
  expect([ended.code, ended.stderr]).toEqual([3, expect.stringContaining('log_forked')]);
  expect(await readFile(join(out, 'permits.note.forked'), 'utf8')).toBe(`${forged}\nold 121\n\n${note}\n`);
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
  const { store } = await world({ samples: SAMPLES });
  await addSamples(store, 121, 250);
  const out = await folder();
  await sign(store, 'permits');
  const { vkey } = await logsOf(store).of('permits');
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

it('proves of a tiered register without a key what is public, and says what that does not prove', async () => {
  const demo = await world({ samples: SAMPLES });
  const { store } = demo;
  const server = await startServer((request) => demo.fetch(request, { remoteAddress: '127.0.0.1' }), {
    ...{ port: 0, host: '127.0.0.1' },
  });
  onTestFinished(() => server.stop(0));
  await store.withdraw('permits', ['permits:2026-0007'], { recordedAt: '2026-10-02T10:00:00Z' });
  await sign(store, 'permits');
  await signLogOfLogs(store);
  const [{ vkey }, { origin: name }] = [await logsOf(store).of('permits'), await logsOf(store).ofLogs()];
  const state = join(await folder(), 'permits.note');
  const verify = async (): Promise<string> => {
    const { code, stdout, stderr } = await gazette(
      ['verify', `${server.url}/api/v1/feeds/permits`, '--vkey', vkey!, '--state', state],
      '',
    );
    expect([code, stderr]).toEqual([0, '']);
    return stdout.toString();
  };
  const listed = `in the log of logs ${name!}: all of it\n`;
  expect(await verify()).toBe(
    `the log is complete and unrewritten to change 121: 119 records; what records say is not proved\n${listed}`,
  );
  const define = async (more: object): Promise<void> => {
    const { definition } = (await store.register('permits'))!;
    await store.updateRegister({ ...definition, ...more }, { recordedAt: '2026-10-03T10:00:00Z' });
  };
  await define({ log: 'pro' });
  expect(await verify()).toBe(
    `the log is complete and unrewritten to change 121, which begins with the 121 of the last run; when its changes were made, of which records, and what records say is not proved\n${listed}`,
  );
  await define({ access: 'open' });
  expect(await verify()).toBe(
    `complete and unrewritten to change 121, which begins with the 121 of the last run: 119 records\n${listed}`,
  );
});

it.each(['/feeds/none', '/log', ''])('proves nothing of %j by the key of another register', async (path) => {
  const { store } = await world({ samples: SAMPLES });
  await sign(store, 'permits');
  const { vkey } = await logsOf(store).of('permits');
  const { code, stderr } = await gazette(['verify', `http://127.0.0.1:1/api/v1${path}`, '--vkey', vkey!], '');
  expect([code, stderr]).toEqual([
    2,
    'gazette: vkey is the key of the log of "permits": give the address of that register (invalid_option)\n',
  ]);
});

it('calls what its witnesses signed more than a day ago stale', async () => {
  const { store } = await world({ samples: SAMPLES });
  await sign(store, 'permits');
  await signLogOfLogs(store);
  const witness = signerOf('w.example', 'witness', Buffer.alloc(32, 3));
  await cosignLogOfLogs(store, witness, 1_000_000_000_000);
  const out = await folder();
  await publishTo(store, out);
  const [{ vkey }, { vkey: listKey }] = [await logsOf(store).of('permits'), await logsOf(store).ofLogs()];
  for (const key of [vkey!, listKey!]) {
    const ended = await gazette(['verify', out, '--vkey', key, '--witness', formatVerifierKey(witness)]);
    expect([ended.code, ended.stdout.toString()]).toEqual([1, expect.not.stringContaining('unrewritten')]);
    expect(ended.stderr).toContain('(w.example at 2001-09-09T01:46:40Z)');
    expect(ended.stderr).toContain('(log_stale)');
    const other = formatVerifierKey(signerOf('v.example', 'witness', Buffer.alloc(32, 4)));
    const unsigned = await gazette(['verify', out, '--vkey', key, '--witness', other]);
    expect([unsigned.code, unsigned.stderr.includes('nobody signed the log of logs')]).toEqual([1, true]);
  }
});

it('says of a folder for the public whose texts were changed together with its manifests what is not proved', async () => {
  const { store } = await world({ samples: SAMPLES });
  const out = await folder();
  await sign(store, 'permits');
  await publishTo(store, out);
  const path = join(out, 'permits/pages/000001.csv');
  const text = (await readFile(path, 'utf8')).replace('Bakery', 'Brewery');
  await writeFile(path, text);
  await forgeManifest(out, (manifest) => {
    const entry = { ...manifest.files['pages/000001.csv']!, sha256: digestOf(text), bytes: Buffer.byteLength(text) };
    return { ...manifest, files: { ...manifest.files, 'pages/000001.csv': entry } };
  });
  const { vkey } = await logsOf(store).of('permits');
  const { code, stdout } = await gazette(['verify', out, '--vkey', vkey!]);
  expect(code).toBe(0);
  expect(stdout.toString()).toMatch(WORDS_OF_PUBLIC);
  expect(stdout.toString()).not.toContain('\ncomplete');
});

it('proves the log of logs, and each register against it', async () => {
  const demo = await world({ samples: SAMPLES });
  const { store } = demo;
  const server = await startServer((request) => demo.fetch(request, { remoteAddress: '127.0.0.1' }), {
    ...{ port: 0, host: '127.0.0.1' },
  });
  onTestFinished(() => server.stop(0));
  await sign(store, 'permits');
  await signLogOfLogs(store);
  const { vkey, origin } = await logsOf(store).ofLogs();
  const { origin: register } = await logsOf(store).of('permits');
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
