// `gazette mirror` of a source that shows another history than it signed before, through the real command line.
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../../../src/adapters/server.ts';
import { folder, gazette } from '../../../cli/run.ts';
import { world } from '../../../world.ts';
import { logsOf } from '../logs-of.ts';
import { type Answered, forged } from '../mirror/tampered.ts';
import { sign } from '../signing.ts';

it('keeps the evidence of a fork beside the store, and has its exit code', async () => {
  const demo = await world({ records: 5 });
  let shown: ReturnType<typeof forged> | null = null;
  const server = await startServer(
    async (request) => {
      const [, path = ''] = request.url.split('/feeds/permits');
      const answer = path.startsWith('/log/') ? await shown?.(path) : undefined;
      return answer === undefined
        ? demo.fetch(request, { remoteAddress: '127.0.0.1' })
        : new Response(new Uint8Array(answer.body), { status: answer.status });
    },
    { port: 0, host: '127.0.0.1' },
  );
  onTestFinished(() => server.stop(0));
  await sign(demo.store, 'permits');
  const { vkey, origin, checkpoint } = await logsOf(demo.store).of('permits');
  const store = join(await folder(), 'mirror.db');
  const args = ['mirror', `${server.url}/api/v1/feeds/permits`, '--once', '--store', `sqlite:${store}`];
  const mirror = () => gazette([...args, '--vkey', vkey!], '', { GAZETTE_API_KEY: demo.key });
  expect(await mirror()).toMatchObject({ code: 0 });

  const page = await demo.pro('/feeds/permits/changes?proof=1');
  const { versions } = (await page.json()) as { readonly versions: Answered[] };
  shown = forged(versions.toReversed(), origin!);
  const forked = await mirror();
  const evidence = `${store}.forked`;
  expect([forked.code, forked.stderr]).toEqual([
    3,
    expect.stringContaining(`keep the evidence, which is in ${evidence} (log_forked)`),
  ]);
  expect(await readFile(evidence, 'utf8')).toContain(checkpoint!);

  await rm(evidence);
  await mkdir(evidence);
  const unwritten = await mirror();
  expect([unwritten.code, unwritten.stderr]).toEqual([3, expect.stringContaining(`EISDIR`)]);
});
