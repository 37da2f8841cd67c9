// What is sent fits what is published about it: gazette/schemas, and `webhooks` in openapi.json.
import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { Components } from '../../src/http/description/components.ts';
import { webhooksObject } from '../../src/http/description/webhooks.ts';
import { EVENT_TYPES, TEST_EVENT_TYPE } from '../../src/webhooks/event.ts';
import { say } from '../contracts/store-register.ts';
import { deployment, receiver } from './send/sending.ts';

const TYPES = [...EVENT_TYPES, TEST_EVENT_TYPE];

type Schema = Readonly<Record<string, unknown>>;

/** The published schema; here an event may have no member that it does not name. */
async function published(type: string): Promise<Schema> {
  const path = new URL(`../../src/cli/schemas/event.${type}.schema.json`, import.meta.url);
  return { ...(JSON.parse(await readFile(path, 'utf8')) as Schema), additionalProperties: false };
}

it('every event that is sent, and every invented one, fits the schema of its type', async () => {
  const { add, commit, sender, endpoints, store, clock } = await deployment();
  const hook = await receiver();
  const { id } = await add(hook.url);
  const time = (): { readonly recordedAt: string } => ({ recordedAt: new Date(clock.now).toISOString() });
  await commit(['a', 'b'], { published_at: null });
  await commit(['a'], { title: 'Second' });
  await store.apply('permits', [say('a', { title: 'Third' })], { ...time(), cause: 'extraction_correction' });
  await store.withdraw('permits', ['permits:a'], time());
  await commit(['a']);
  await store.redact('permits:b', time());
  const sending = sender();
  await sending.sendDue();
  for (const type of TYPES) await endpoints.test(id, { type });
  await sending.sendDue();
  const other = await add(hook.url);
  await endpoints.disable(other.id);
  await sending.sendDue();

  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  const sent = hook.received.map(({ body }) => JSON.parse(body.toString()) as { type: string; cause?: string });
  for (const event of sent) {
    const { $id, ...schema } = await published(event.type);
    expect(ajv.validate(schema, event), `${String($id)} ${ajv.errorsText()}`).toBe(true);
  }
  const { created_at: disabledAt, ...told } = sent.at(-1) as { created_at?: string; type: string };
  expect(told).toEqual({
    id: expect.any(String) as string,
    type: 'endpoint.disabled',
    endpoint: other.id,
    reason: 'operator',
  });
  expect(disabledAt).toBe(new Date(clock.now).toISOString());
  expect(new Set(sent.map(({ type }) => type))).toEqual(new Set(TYPES));
  expect(new Set(sent.map(({ cause }) => cause).filter((cause) => cause !== undefined))).toEqual(
    new Set(['first_observed', 'source_change', 'extraction_correction', 'withdrawn', 'restored', 'redacted']),
  );
});

it('openapi.json has the same schemas', async () => {
  const described = webhooksObject(new Components()) as Readonly<
    Record<string, { post: { requestBody: { content: { 'application/json': { schema: Schema } } } } }>
  >;
  expect(Object.keys(described)).toEqual(TYPES);
  for (const type of TYPES) {
    const { properties, required } = await published(type);
    expect(described[type]!.post.requestBody.content['application/json'].schema).toMatchObject({
      properties,
      required,
    });
  }
});
