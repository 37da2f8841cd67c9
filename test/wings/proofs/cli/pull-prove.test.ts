// `gazette pull --prove` through the real command line.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../../../src/adapters/server.ts';
import { formatVerifierKey, signerOf } from '../../../../src/wings/proofs/tlog/keys.ts';
import { cosignLogOfLogs, sign, signLogOfLogs } from '../signing.ts';
import { type Answered, forged } from '../mirror/tampered.ts';
import { SAMPLES, world } from '../../../world.ts';
import { folder, gazette } from '../../../cli/run.ts';
import { logsOf } from '../logs-of.ts';

it('says to which change a copy is proved, and has the exit code of a fork', async () => {
  const demo = await world({ samples: SAMPLES });
  const { store, key } = demo;
  let answers: ReturnType<typeof forged> | null = null;
  const server = await startServer(
    async (request) => {
      const [, path = null] = request.url.split('/feeds/permits');
      const forgery = path === null || path.startsWith('/records') ? undefined : await answers?.(path);
      return forgery === undefined
        ? demo.fetch(request, { remoteAddress: '127.0.0.1' })
        : new Response(new Uint8Array(forgery.body), { status: forgery.status });
    },
    { port: 0, host: '127.0.0.1' },
  );
  onTestFinished(() => server.stop(0));
  await sign(store, 'permits');
  const { vkey, origin } = await logsOf(store).of('permits');
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
  const other = ['pull', `${server.url}/api/v1/feeds/notices`, '--format', 'ndjson', '--output', output];
  const mistaken = await gazette([...other, '--prove', '--vkey', vkey!], '', { GAZETTE_API_KEY: key });
  expect([mistaken.code, mistaken.stderr]).toEqual([2, expect.stringContaining('log of "permits"')]);
  expect(await readdir(join(output, '..'))).toEqual([]);
  const ended = await pull('ndjson', '--prove', '--vkey', vkey!);
  expect([ended.code, ended.stderr]).toEqual([
    0,
    `gazette: ${output} is complete: 120 records, each position from 120 down to 1 answered; complete and unrewritten to change 120\ngazette: there is no log of logs: whether others are shown the same is not proved\n`,
  ]);
  // Witnesses: by the rule of gazette verify, and before anything is read.
  const witness = signerOf('w.example', 'witness', Buffer.alloc(32, 3));
  const witnessed = ['--prove', '--vkey', vkey!, '--witness', formatVerifierKey(witness)];
  expect((await pull('ndjson', '--witness', formatVerifierKey(witness))).code).toBe(2);
  expect((await pull('ndjson', ...witnessed.slice(0, 3), '--witness', vkey!)).stderr).toContain('(invalid_log_key)');
  expect((await readdir(join(output, '..'))).sort()).toEqual(['copy', 'copy.note']);
  await signLogOfLogs(store);
  const { origin: name } = await logsOf(store).ofLogs();
  await cosignLogOfLogs(store, witness, 4_000_000_000_000);
  const policy = join(await folder(), 'policy');
  await writeFile(policy, `witness W ${formatVerifierKey(witness)}\nquorum W\n`);
  for (const under of [witnessed, [...witnessed.slice(0, 3), '--policy', policy]]) {
    const signed = await pull('ndjson', ...under);
    expect([signed.code, signed.stderr]).toEqual([
      0,
      expect.stringContaining(
        `gazette: in the log of logs ${name!}: all of it\ngazette: signed by the witness w.example at 2096-10-02T07:06:40Z\n`,
      ),
    ]);
  }
  expect((await pull('ndjson', '--policy', policy)).code).toBe(2);
  const page = await demo.pro('/feeds/permits/changes?proof=1&limit=100');
  const { versions } = (await page.json()) as { readonly versions: Answered[] };
  const more = structuredClone(versions);
  answers = forged([...more, ...more.slice(0, 50)], origin!);
  const forked = await pull('ndjson', '--prove', '--vkey', vkey!);
  expect(forked.code).toBe(3);
  expect(forked.stderr).toContain(`keep the evidence, which is in ${output}.note.forked (log_forked)`);
  expect(await readFile(`${output}.note.forked`, 'utf8')).toContain('\n150\n');
  expect((await readdir(join(output, '..'))).sort()).toEqual(['copy', 'copy.note', 'copy.note.forked']);
});
