// What a client says of a request that failed on its way.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { exportPages, wholeRegister } from '../../src/client/index.ts';
import { messageOf } from '../../src/client/trouble.ts';
import { answering } from './answering.ts';

it.each<readonly [string, Error | undefined, string]>([
  ['nothing', undefined, 'fetch failed'],
  ['a reason', new Error('connect ECONNREFUSED 127.0.0.1:1'), 'fetch failed (connect ECONNREFUSED 127.0.0.1:1)'],
  [
    'a refusal at each address of a name',
    Object.assign(new AggregateError([new Error('connect ECONNREFUSED ::1:1')], ''), { code: 'ECONNREFUSED' }),
    'fetch failed (ECONNREFUSED)',
  ],
])('says why where fetch has %s', (_, cause, message) => {
  expect(messageOf(new TypeError('fetch failed', { cause }))).toBe(message);
});

it('says in a word that there is no TLS', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const failure = await fetch(`https://127.0.0.1:${(server.address() as AddressInfo).port}`).catch(
    (error: unknown) => error,
  );
  expect(messageOf(failure as Error)).toMatch(/^fetch failed \([a-z ]+\)$/);
});

it('takes no page of a proxy for a file', async () => {
  const closed = Promise.withResolvers<undefined>();
  const url = await answering((response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.on('close', () => {
      closed.resolve(undefined);
    });
    // Its end comes only to those who read the page.
    response.write('<title>Back in a moment</title>');
    if (response.req.url?.startsWith('/export') === true) response.end();
  });
  const refused: unknown = expect.objectContaining({
    code: 'invalid_answer',
    message: expect.stringContaining('HTML') as string,
  });
  await expect(exportPages(`${url}export.csv`).next()).rejects.toEqual(refused);
  await expect(wholeRegister(`${url}register.csv`)).rejects.toEqual(refused);
  await closed.promise;
  expect((await exportPages(`${url}export.html`).next()).value?.body.length).toBeGreaterThan(0);
});
