// The spans of attempts to deliver: what they say of the receiver, and what they keep from both.
import * as telemetry from '@opentelemetry/api';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { collect, type CollectedSpan } from '../../telemetry/collected.ts';
import { deployment, receiver } from './sending.ts';

let spans: CollectedSpan[];
beforeEach(() => {
  spans = [];
  onTestFinished(collect((span) => spans.push(span)));
});

it('makes a span of each attempt, with the host and the ids, and tells the receiver nothing of it', async () => {
  const { store, clock, add, commit, sender } = await deployment();
  const sending = sender({ schedule: [0, 60], telemetry });
  const { url, received } = await receiver((_, nth) => (nth === 1 ? 500 : 204));
  const { id } = await add(`${url}secret-path?token=secret-token`);
  await commit(['a']);
  await sending.sendDue();
  clock.now += 90_000;
  await sending.sendDue();
  const [delivery] = await store.deliveries.deliveries(id, { limit: 10, now: new Date(clock.now).toISOString() });
  const { port, hostname } = new URL(url);
  const common = {
    'http.request.method': 'POST',
    'server.address': hostname,
    'server.port': Number(port),
    'gazette.webhook.delivery': delivery!.id,
    'gazette.webhook.endpoint': id,
    'gazette.webhook.event': received[0]!.headers['x-register-event'],
    'gazette.webhook.event_type': 'record.published',
  };
  expect(spans.map(({ name, kind, parentId }) => [name, kind, parentId])).toEqual([
    ['POST', SpanKind.CLIENT, ''],
    ['POST', SpanKind.CLIENT, ''],
  ]);
  expect(spans.map(({ attributes, status }) => ({ ...attributes, status: status.code }))).toEqual([
    { ...common, 'http.response.status_code': 500, 'error.type': '500', status: SpanStatusCode.ERROR },
    { ...common, 'http.request.resend_count': 1, 'http.response.status_code': 204, status: SpanStatusCode.UNSET },
  ]);
  expect(JSON.stringify(spans)).not.toContain('secret');
  expect(received.map(({ headers }) => headers.traceparent)).toEqual([undefined, undefined]);
});

it('says why there was no answer, and makes no span unless it is told to', async () => {
  const { add, commit, sender } = await deployment();
  const { url, server } = await receiver();
  await add(url);
  server.close();
  await commit(['a']);
  await sender({ schedule: [0] }).sendDue();
  expect(spans).toEqual([]);
  await commit(['b']);
  await sender({ schedule: [0], telemetry }).sendDue();
  expect(spans.map(({ status, attributes }) => [status.code, attributes['error.type']])).toEqual([
    [SpanStatusCode.ERROR, 'ECONNREFUSED'],
  ]);
});
