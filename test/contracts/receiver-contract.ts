// What every ready handler answers, over a real connection.
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GazetteError } from '../../src/errors.ts';
import type { WebhookEvent } from '../../src/webhooks/event.ts';
import { MemoryIdempotencyStore } from '../../src/webhooks/receive/memory-idempotency.ts';
import type { ReceiveOptions } from '../../src/webhooks/receive/respond.ts';
import { delivery, SECRET } from '../webhooks/send/deliveries.ts';
import { letPass } from '../until.ts';

/** A server that receives webhooks at `url` with the handler under test. */
export interface ReceiverHost {
  readonly url: string;
  readonly close: () => Promise<void>;
}

const MAX_BODY_BYTES = 2000;

export function receiverContract(
  name: string,
  listen: (options: ReceiveOptions<undefined>) => Promise<ReceiverHost>,
  { readsAll = false }: { readonly readsAll?: boolean } = {},
): void {
  describe(name, () => {
    let host: ReceiverHost;
    let handled: WebhookEvent[];
    let errors: unknown[];
    let work: (event: WebhookEvent) => unknown;
    beforeEach(async () => {
      handled = [];
      errors = [];
      work = (event) => handled.push(event);
      host = await listen({
        secret: SECRET,
        store: new MemoryIdempotencyStore(),
        handle: (event) => work(event),
        maxBodyBytes: MAX_BODY_BYTES,
        onError: (error) => errors.push(error),
      });
    });
    afterEach(() => host.close());

    const post = (
      { body, headers }: { body: Buffer; headers: Record<string, string> } = delivery(),
      type = 'application/json',
    ): Promise<Response> =>
      fetch(host.url, {
        method: 'POST',
        body,
        headers: { ...headers, ...(type === '' ? {} : { 'content-type': type }) },
      });
    const problem = async (answer: Response): Promise<Record<string, unknown>> => {
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const body = (await answer.json()) as Record<string, unknown>;
      expect(body.status).toBe(answer.status);
      expect(answer.headers.get('x-request-id')).toBe(body.request_id);
      return body;
    };

    it('handles an event and answers 204, and 204 again without handling it again', async () => {
      for (let i = 0; i < 2; i++) {
        const answer = await post();
        expect([answer.status, await answer.text()]).toEqual([204, '']);
      }
      expect(handled).toEqual([{ id: 'evt_1', type: 'endpoint.test', created_at: '2026-04-19T08:12:45Z' }]);
    });

    it.each([
      ...['application/json; charset=utf-8', 'application/json;charset="utf-8"', 'Application/JSON;'],
      ...['application/cloudevents+json', 'text/plain', 'application/octet-stream', ''],
    ])('verifies the raw bytes whatever type they are said to have (%j)', async (type) => {
      expect((await post(delivery(), type)).status).toBe(204);
      expect(handled).toHaveLength(1);
    });

    it.each([
      ';;;',
      'json',
      'application/',
      '/json',
      'application/json charset',
      'a/b, c/d',
      'application/json; =utf-8',
    ])('answers 415 to a Content-Type that cannot be read (%j)', async (type) => {
      expect(await problem(await post(delivery(), type))).toMatchObject({
        status: 415,
        code: 'unsupported_media_type',
      });
      expect([handled, errors]).toEqual([[], []]);
    });

    it('answers success only after the work', async () => {
      const goOn = Promise.withResolvers<undefined>();
      work = () => goOn.promise;
      let isAnswered = false;
      const answer = post().finally(() => {
        isAnswered = true;
      });
      await letPass(50, 'an answer before the work would have come by now');
      expect(isAnswered).toBe(false);
      goOn.resolve(undefined);
      expect((await answer).status).toBe(204);
    });

    it('answers 401 to a signature that is wrong or too old, and says why', async () => {
      const { body, headers } = delivery();
      const wrong = await post({ body: Buffer.from(`${body.toString()} `), headers });
      expect(wrong.status).toBe(401);
      expect(wrong.headers.get('www-authenticate')).toBe('X-Register-Signature');
      expect(await problem(wrong)).toMatchObject({ code: 'invalid_signature' });
      const old = await post(delivery('evt_1', Math.floor(Date.now() / 1000) - 400));
      expect(await problem(old)).toMatchObject({ status: 401, code: 'signature_expired' });
      expect(await problem(await post({ body, headers: {} }))).toMatchObject({
        status: 401,
        code: 'invalid_signature',
      });
      expect([handled, errors]).toEqual([[], []]);
    });

    it('answers 400 to a header that names another event', async () => {
      const { body, headers } = delivery();
      const answer = await post({ body, headers: { ...headers, 'x-register-event': 'evt_2' } });
      expect(await problem(answer)).toMatchObject({ status: 400, code: 'invalid_event' });
      expect(handled).toEqual([]);
    });

    it.each(['', 'Content-Length: 0\r\n'])('refuses a request without a body as unsigned (%j)', async (length) => {
      const { hostname, port, pathname } = new URL(host.url);
      const socket = connect(Number(port), hostname);
      // By hand: clients add the length themselves.
      socket.write(`POST ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n${length}\r\n`);
      const answer = await text(socket);
      expect(answer).toMatch(/^HTTP\/1\.1 401 /);
      expect(answer).toContain('"code":"invalid_signature"');
      expect(errors).toEqual([]);
    });

    it('answers 503 with Retry-After to a duplicate that comes meanwhile', async () => {
      const started = Promise.withResolvers<undefined>();
      const goOn = Promise.withResolvers<undefined>();
      work = (event) => {
        handled.push(event);
        started.resolve(undefined);
        return goOn.promise;
      };
      const first = post();
      await started.promise;
      const duplicate = await post();
      expect(duplicate.headers.get('retry-after')).toMatch(/^(59|60)$/);
      expect(await problem(duplicate)).toMatchObject({ status: 503, code: 'event_in_progress' });
      goOn.resolve(undefined);
      expect((await first).status).toBe(204);
      expect((await post()).status).toBe(204);
      expect(handled).toHaveLength(1);
    });

    it.each([new Error('secret of the inside'), new GazetteError('record_withdrawn', 'gone')])(
      'answers 500 to work that throws %s, tells onError alone why, and handles the event when it comes again',
      async (failure) => {
        work = () => {
          throw failure;
        };
        const answer = await post();
        const body = await problem(answer);
        expect(body).toMatchObject({ status: 500, code: 'internal_error' });
        expect(JSON.stringify(body)).not.toContain('inside');
        expect(errors).toEqual([failure]);
        work = (event) => handled.push(event);
        expect((await post()).status).toBe(204);
        expect(handled).toHaveLength(1);
      },
    );

    it('reads a body up to its bound and answers 413 beyond it', async () => {
      const headers = delivery().headers;
      expect((await post({ body: Buffer.alloc(MAX_BODY_BYTES), headers })).status).toBe(401);
      expect((await post({ body: Buffer.alloc(MAX_BODY_BYTES + 1), headers })).status).toBe(413);
    });

    it.skipIf(readsAll)(
      'answers 413 to a body of unknown length before it has all come (Express waits for its end)',
      async () => {
        const outgoing = request(host.url, {
          method: 'POST',
          headers: { ...delivery().headers, 'content-type': 'application/json' },
        });
        outgoing.on('error', () => undefined);
        const status = await new Promise((resolve) => {
          outgoing.on('response', (response) => {
            response.resume();
            resolve(response.statusCode);
          });
          outgoing.write(Buffer.alloc(MAX_BODY_BYTES + 1));
        });
        outgoing.destroy();
        expect(status).toBe(413);
        expect(handled).toEqual([]);
      },
    );
  });
}
