// `gazette serve --telemetry`: spans go to the SDK that the process was started with, and without one it says so.
import { expect, it } from 'vitest';
import { folder, gazetteProcess } from './run.ts';
import { makeStore, serve, serveAs } from './served.ts';

/** Node finds every package but the API, as where it was not installed. prom-client, which needs it, is carried by the package. */
const WITHOUT_API = `
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(name, context, next) {
      if (name !== '@opentelemetry/api' || context.parentURL.includes('prom-client')) return next(name, context);
      throw Object.assign(new Error("Cannot find package '@opentelemetry/api'"), { code: 'ERR_MODULE_NOT_FOUND' });
    },
  });`;

const SDK = new URL('../telemetry/to-stderr.ts', import.meta.url).href;

it('makes spans for the SDK of the process, which a client’s trace goes on in', async () => {
  const { path, key } = await makeStore(1);
  const env = { NODE_OPTIONS: `--import=${SDK}` };
  const { child, api, said, ended } = await serveAs({ env }, path, '--telemetry');
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await fetch(`${api}/feeds/permits?key=${key}`, { headers: { traceparent } });
  child.kill('SIGTERM');
  const { stderr, stdout } = await ended;
  expect(said).not.toContain('no spans');
  const spans = Array.from(
    stderr.matchAll(/^span (.+)$/gm),
    ([, json]) => JSON.parse(json!) as { readonly name: string },
  );
  expect(spans.find(({ name }) => name === 'GET /api/v1/feeds/{feed_id}')).toMatchObject({
    traceId: '0af7651916cd43dd8448eb211c80319c',
    parentId: 'b7ad6b7169203331',
  });
  expect(stdout.toString()).toContain('"trace_id":"0af7651916cd43dd8448eb211c80319c"');
  expect(stderr + stdout.toString()).not.toContain(key);
});

it('says once that it makes none without an SDK, however many processes serve, and makes none unless it is told to', async () => {
  const { path } = await makeStore(1);
  const without = await serve(path, '--telemetry', '--workers', '2');
  const off = await serveAs({ env: { NODE_OPTIONS: `--import=${SDK}` } }, path);
  await fetch(`${off.api}/feeds`);
  for (const { child, ended } of [without, off]) {
    child.kill('SIGTERM');
    const { code, stderr } = await ended;
    expect([code, stderr.includes('span {')]).toEqual([0, false]);
    expect(stderr.match(/no spans are made/g) ?? []).toHaveLength(child === without.child ? 1 : 0);
  }
});

it('needs the API, and says how to install it', async () => {
  const hook = `--import=data:text/javascript,${encodeURIComponent(WITHOUT_API)}`;
  const args = ['serve', '--store', `${await folder()}/store.db`, '--port', '0', '--telemetry'];
  const { code, stderr } = await gazetteProcess(args, '', { NODE_OPTIONS: hook });
  const needs =
    'gazette: --telemetry needs the package @opentelemetry/api: npm install @opentelemetry/api (missing_peer)';
  expect([code, stderr]).toEqual([1, `${needs}\n`]);
});
