// Whatever is posted to the agents' endpoint, it answers: soon, in JSON, and never with a failure of its own.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REGISTER_TEMPLATE } from '../../src/mcp/resources.ts';
import { world } from '../world.ts';
import { modern, MODERN_META, post, type Reply, rpc } from './agent.ts';
import { tries } from '../effort.ts';

/** Enough for the statuses that have to be met, but for one. */
const RUNS = tries(300, 30_000);

/** Far beyond what an answer takes on a busy machine. */
const HANG_MS = 300_000;

const failures: unknown[] = [];
const service = await world({
  logger: { info: () => undefined, error: (fields) => failures.push(fields) },
});

const methods = fc.oneof(
  fc.constantFrom('initialize', 'ping', 'tools/list', 'tools/call', 'server/discover', 'notifications/initialized'),
  fc.constantFrom('', '__proto__', 'constructor', 'tools/call\u0000', 'prompts/get'),
  fc.constantFrom('resources/list', 'resources/templates/list', 'resources/read', 'completion/complete'),
  fc.string(),
);
const odd = fc.oneof(fc.jsonValue(), fc.constantFrom(null, '', 0, -1, 1e308, '\ud800', '\u0000', [], {}));
const argumentSets = fc.dictionary(
  fc.oneof(
    fc.constantFrom(
      'feed_id',
      'record_id',
      'limit',
      'offset',
      'cursor',
      'document_type',
      'facility_id',
      'fields',
      '__proto__',
    ),
    fc.string({ maxLength: 5 }),
  ),
  fc.oneof(
    fc.constantFrom<unknown>('permits', 'permits:001', 'permits:025', 1, 100, ['title'], ['data.amount'], 2 ** 53),
    odd,
  ),
  { maxKeys: 4 },
);
const params = fc.oneof(
  fc.record(
    {
      name: fc.oneof(fc.constantFrom('read_register', 'list_registers', 'read_record', 'record_history'), odd),
      arguments: fc.oneof(argumentSets, odd),
      cursor: odd,
      uri: fc.oneof(
        fc.constantFrom('gazette://registers/permits', 'gazette://records/permits:001', 'gazette://records/%00', 'x:'),
        fc.string().map((text) => `gazette://registers/${text}`),
        odd,
      ),
      ref: fc.oneof(fc.constant({ type: 'ref/resource', uri: REGISTER_TEMPLATE }), odd),
      argument: fc.oneof(
        fc.record({ name: fc.constantFrom('feed_id', 'document_type', 'x'), value: fc.string() }),
        odd,
      ),
      context: fc.oneof(fc.constant({ arguments: { feed_id: 'permits' } }), odd),
      protocolVersion: odd,
      _meta: fc.oneof(fc.constant(MODERN_META), odd),
    },
    { requiredKeys: [] },
  ),
  odd,
);
const messages = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant('2.0') }, odd),
    id: fc.oneof(fc.integer(), fc.string(), odd),
    method: methods,
    params,
    result: odd,
    error: odd,
  },
  { requiredKeys: ['jsonrpc'] },
);
const bodies = fc.oneof(
  { weight: 6, arbitrary: messages.map((message) => JSON.stringify(message)) },
  { weight: 2, arbitrary: odd.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.string() },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  // A message cut off or doubled somewhere.
  { weight: 1, arbitrary: fc.tuple(messages, fc.nat({ max: 100 })).map(([m, n]) => JSON.stringify(m).slice(0, n)) },
  { weight: 1, arbitrary: fc.nat({ max: 100_000 }).map((depth) => '['.repeat(depth)) },
);
const plain = fc.stringMatching(/^[abz09 =?/-]{0,12}$/);
const headerSets = fc.record(
  {
    'mcp-protocol-version': fc.oneof(fc.constantFrom('2026-07-28', '2025-11-25', '2025-03-26', 'x'), plain),
    'mcp-method': fc.oneof(fc.constantFrom('tools/call', 'tools/list', 'ping'), plain),
    'mcp-name': fc.oneof(fc.constantFrom('read_register', '=?base64?cmVhZF9yZWdpc3Rlcg==?=', '=?base64?*?='), plain),
    accept: fc.constantFrom('text/event-stream', '*/*'),
    origin: fc.constantFrom('https://registers.example.org', 'null', 'x'),
    'content-type': fc.constantFrom('application/json', 'text/plain', 'application/json; charset=x'),
  },
  { requiredKeys: [] },
);

/** Messages of the newer era whose header fields are right, so that they get as far as their method. */
const consistent = fc
  .tuple(
    fc.constantFrom('initialize', 'ping', 'tools/list', 'tools/call', 'resources/list', 'completion/complete', 'x'),
    params,
  )
  .map(([method, given]) => {
    const known = typeof given === 'object' && given !== null && !Array.isArray(given) ? given : {};
    const [body, headers] = modern(method, known as Record<string, unknown>);
    return [JSON.stringify(body), headers] as const;
  })
  // A name that no header field can carry as it is.
  .filter(([, headers]) => /^[ -~]*$/.test(headers['mcp-name'] ?? ''));

const requests = fc.oneof({ weight: 4, arbitrary: fc.tuple(bodies, headerSets) }, { weight: 1, arbitrary: consistent });

/** One that is taken and has no answer: 202 is rare, and therefore always asked for. */
const NOTIFICATION: [string, object] = [JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }), {}];

async function answered(body: string | Uint8Array, headers: Record<string, string>): Promise<Reply> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error('no answer'));
    }, HANG_MS);
  });
  try {
    return await Promise.race([post(service, body, headers), late]);
  } finally {
    clearTimeout(timer);
  }
}

describe('the agents’ endpoint', () => {
  it('answers every body with a status of the client’s, in JSON', async () => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(requests, fc.boolean(), async ([body, headers], isPro) => {
        const key: Record<string, string> = isPro ? { authorization: `Bearer ${service.key}` } : {};
        const reply = await answered(body, { ...headers, ...key });
        statuses.add(reply.status);
        expect([200, 202, 400, 403, 404, 415]).toContain(reply.status);
        expect(reply.headers.get('x-request-id')).not.toBeNull();
        expect(reply.text === '').toBe(reply.status === 202);
        if (reply.status === 200) {
          expect(reply.body).toMatchObject({ jsonrpc: '2.0' });
          expect('result' in reply.body! !== 'error' in reply.body!).toBe(true);
        }
      }),
      { numRuns: RUNS, examples: [[NOTIFICATION, false]] },
    );
    expect(failures).toEqual([]);
    // Each of them, or the bodies were too wild to reach anything.
    expect([...statuses].sort()).toEqual([200, 202, 400, 403, 404, 415]);
  });

  it('answers every arguments of every tool with a result', async () => {
    const tools = fc.constantFrom('read_register', 'list_registers', 'read_record', 'record_history');
    await fc.assert(
      fc.asyncProperty(tools, fc.oneof(argumentSets, odd), fc.boolean(), async (name, args, isModern) => {
        const call = { name, arguments: args };
        const [body, headers] = isModern ? modern('tools/call', call) : [rpc('tools/call', call), {}];
        const reply = await answered(JSON.stringify(body), { ...headers, authorization: `Bearer ${service.key}` });
        expect(reply.status).toBe(200);
        expect(reply.body!.result).toHaveProperty('content');
      }),
      { numRuns: Math.ceil(RUNS / 3) },
    );
    expect(failures).toEqual([]);
  });
});
