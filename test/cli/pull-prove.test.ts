// `gazette pull --prove` through the real command line.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../src/adapters/server.ts';
import { formatNote, formatVerifierKey, parseNote, signerOf, signText } from '../../src/proofs/index.ts';
import { sign } from '../contracts/full-store.ts';
import { type Answered, forged } from '../mirror/tampered.ts';
import { demoService } from '../service/demo-service.ts';
import { folder, gazette } from './run.ts';

it('says to which change a copy is proved, and has the exit code of a fork', async () => {
  const demo = await demoService();
  const { store, key } = demo;
  let answers: ReturnType<typeof forged> | null = null;
  const server = await startServer(
    async (request) => {
      const path = request.url.slice(request.url.indexOf('/feeds/permits') + '/feeds/permits'.length);
      const forgery = path.startsWith('/records') ? undefined : await answers?.(path);
      return forgery === undefined
        ? demo.gazette.fetch(request, { remoteAddress: '127.0.0.1' })
        : new Response(new Uint8Array(forgery.body), { status: forgery.status });
    },
    { port: 0, host: '127.0.0.1' },
  );
  onTestFinished(() => server.stop(0));
  await sign(store, 'permits');
  const { vkey, origin } = await store.logs.of('permits');
  const output = join(await folder(), 'copy');
  const pull = (format: string, ...more: readonly string[]) => {
    const what = ['pull', `${server.url}/api/v1/feeds/permits`, '--format', format, '--output', output];
    return gazette([...what, ...more], '', { GAZETTE_API_KEY: key });
  };
  for (const [format, ...more] of [
    ['ndjson', '--prove'],
    ['ndjson', '--vkey', vkey!],
    ['csv', '--prove', '--vkey', vkey!],
  ] as const) {
    expect(await pull(format, ...more), more.join(' ')).toMatchObject({ code: 2 });
    expect(await readdir(join(output, '..'))).toEqual([]);
  }
  expect((await pull('ndjson', '--prove', '--vkey', 'nobody')).stderr).toContain('(invalid_log_key)');
  const ended = await pull('ndjson', '--prove', '--vkey', vkey!);
  expect([ended.code, ended.stderr]).toEqual([
    0,
    `gazette: ${output} is complete: 120 records, each position from 120 down to 1 answered; complete and unrewritten to change 120\n`,
  ]);
  // Witnesses: by the rule of gazette verify, and before anything is read.
  const witness = signerOf('w.example', 'witness', Buffer.alloc(32, 3));
  const witnessed = ['--prove', '--vkey', vkey!, '--witness', formatVerifierKey(witness)];
  expect((await pull('ndjson', '--witness', formatVerifierKey(witness))).code).toBe(2);
  expect((await pull('ndjson', ...witnessed.slice(0, 3), '--witness', vkey!)).stderr).toContain('(invalid_log_key)');
  expect((await readdir(join(output, '..'))).sort()).toEqual(['copy', 'copy.note']);
  const { checkpoint: before, uuid } = await store.logs.of('permits');
  for (const [time, when] of [
    [1_000_000_000, '2001-09-09T01:46:40Z, which is stale: more than a day ago\n'],
    [4_000_000_000, '2096-10-02T07:06:40Z\n'],
  ] as const) {
    const { text, signatures } = parseNote(before!);
    const checkpoint = formatNote({ text, signatures: [...signatures, signText(text, witness, time)] });
    const { checkpoint: last } = await store.logs.of('permits');
    const next = { uuid, checkpoint, before: last, vkey: vkey!, origin: origin! };
    expect(await store.logs.publish('permits', next)).toBe(true);
    const signed = await pull('ndjson', ...witnessed);
    expect([signed.code, signed.stderr.includes(`signed by the witness w.example at ${when}`)]).toEqual([0, true]);
    const policy = join(await folder(), 'policy');
    await writeFile(policy, `witness W ${formatVerifierKey(witness)}\nquorum W\n`);
    const underPolicy = await pull('ndjson', ...witnessed.slice(0, 3), '--policy', policy);
    expect(underPolicy.stderr).toContain(`signed by the witness w.example at ${when}`);
    expect((await pull('ndjson', '--policy', policy)).code).toBe(2);
  }
  const page = await demo.pro('/feeds/permits/changes?proof=1&limit=100');
  const { versions } = (await page.json()) as { readonly versions: Answered[] };
  answers = forged(versions, origin!);
  const forked = await pull('ndjson', '--prove', '--vkey', vkey!);
  expect(forked.code).toBe(3);
  expect(forked.stderr).toContain(`they are in ${output}.note.forked (log_forked)`);
  expect(await readFile(`${output}.note.forked`, 'utf8')).toContain('\n100\n');
  expect((await readdir(join(output, '..'))).sort()).toEqual(['copy', 'copy.note', 'copy.note.forked']);
});
