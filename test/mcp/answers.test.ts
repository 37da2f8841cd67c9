// Answers that are kept: of one revision alone, so many and no more, and nobody's but whoever asks the same.
import { describe, expect, it, onTestFinished } from 'vitest';
import { Answers } from '../../src/mcp/answers.ts';
import type { JsonObject } from '../../src/mcp/protocol.ts';
import { createGazette } from '../../src/service/create-gazette.ts';
import { RegisterViews, type RegisterView } from '../../src/views/registers.ts';
import { world, PRODUCT } from '../world.ts';
import { at, say } from '../contracts/store-register.ts';
import { read, rpc, type ToolReply } from './agent.ts';

/** A register as it now stands in a store, with a way to write to it. */
async function register(): Promise<{
  readonly see: () => Promise<RegisterView>;
  readonly write: () => Promise<unknown>;
}> {
  const service = await world({ records: 1 });
  const { store } = service;
  const registers = new RegisterViews(store, () => undefined);
  let written = 0;
  return {
    see: () => registers.view('permits'),
    write: () => store.apply('permits', [say(`new-${++written}`)], { recordedAt: at(written) }),
  };
}

/** A way to find an answer that counts how often it is gone. */
function finding(): { readonly find: () => Promise<JsonObject>; readonly count: () => number } {
  let found = 0;
  return { find: async () => ({ found: ++found }), count: () => found };
}

describe('kept answers', () => {
  it('are found once in a revision, and anew in the next', async () => {
    const { see, write } = await register();
    const answers = new Answers();
    const { find, count } = finding();
    await answers.to(await see(), 'q', find);
    await answers.to(await see(), 'q', find);
    expect(count()).toBe(1);
    await write();
    await answers.to(await see(), 'q', find);
    expect(count()).toBe(2);
  });

  it('are not kept when the register was written to meanwhile', async () => {
    const { see, write } = await register();
    const answers = new Answers();
    const { find, count } = finding();
    const before = await see();
    const late = async (): Promise<JsonObject> => {
      await write();
      return find();
    };
    await answers.to(before, 'q', late);
    await answers.to(before, 'q', find);
    expect(count()).toBe(2);
  });

  it('are two hundred: the one not asked for longest goes', async () => {
    const { see } = await register();
    const answers = new Answers();
    const { find, count } = finding();
    const sight = await see();
    for (let question = 0; question < 200; question++) await answers.to(sight, question, find);
    await answers.to(sight, 0, find);
    await answers.to(sight, 200, find);
    expect(count()).toBe(201);
    await answers.to(sight, 0, find);
    expect(count(), 'asked for again, it stayed').toBe(201);
    await answers.to(sight, 1, find);
    expect(count(), 'the oldest went').toBe(202);
  });

  it('name the address of whoever asks, where none is configured', async () => {
    const service = await world({ records: 3 });
    const gazette = createGazette({
      store: service.store,
      product: PRODUCT,
      limits: null,
      now: () => service.clock.now,
    });
    onTestFinished(async () => {
      await gazette.close();
      await service.close();
    });
    for (const host of ['one.example', 'two.example', 'one.example']) {
      const request = new Request(`https://${host}/api/v1/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${service.key}` },
        body: JSON.stringify(rpc('tools/call', { name: 'read_register', arguments: { feed_id: 'permits' } })),
      });
      const { body } = await read(await gazette.fetch(request));
      const { structuredContent } = body!.result as unknown as ToolReply;
      expect(structuredContent!.history_url).toMatch(new RegExp(`^https://${host}/`));
    }
  });
});
