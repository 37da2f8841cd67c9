// What agents ask: messages of every sort, and every tool with arguments good and bad.
import type { Question } from './ask.ts';
import { callers } from './questions.ts';
import type { Keys } from './world.ts';

const TOOLS: Readonly<Record<string, readonly unknown[]>> = {
  list_registers: [{}, { offset: 2 }, { offset: -1 }, { limit: 1 }, { other: 1 }, [], null],
  read_register: [
    { feed_id: 'permits', limit: 2 },
    { feed_id: 'permits' },
    { feed_id: 'permits', limit: 0 },
    { feed_id: 'permits', limit: 101 },
    { feed_id: 'permits', offset: 3, limit: 1 },
    { feed_id: 'permits', cursor: 'x' },
    { feed_id: 'permits', fields: ['title'], limit: 1 },
    { feed_id: 'permits', fields: ['none'] },
    { feed_id: 'permits', document_type: ['adopted'], limit: 1 },
    { feed_id: 'permits', document_type: 'adopted', limit: 1 },
    { feed_id: 'permits', document_type: ['none'] },
    { feed_id: 'permits', q: 'water', limit: 1 },
    { feed_id: 'permits', published_since: 'x' },
    { feed_id: 'hostile', limit: 5 },
    { feed_id: 'shop', limit: 3 },
    { feed_id: 'minutes' },
    { feed_id: 'void' },
    { feed_id: 'none' },
    { feed_id: 'permit' },
    {},
  ],
  read_record: [
    { record_id: 'permits:2025-0154' },
    { record_id: '2025-0154' },
    { record_id: 'shop:1' },
    { record_id: 'shop:1', expected_price: '2.00 EUR' },
    { record_id: 'shop:1', expected_price: '1.00 EUR' },
    { record_id: 'shop:5' },
    { record_id: 'shop:14' },
    { record_id: 'permits:none' },
    { record_id: 'minutes:13', fields: ['title'] },
    { record_id: 7 },
    {},
  ],
  record_history: [
    { record_id: 'shop:3' },
    { record_id: 'shop:5', limit: 1 },
    { record_id: 'none:1' },
    { record_id: 'shop:3', limit: 0 },
  ],
  search: [
    { query: 'water' },
    { query: 'Sitzung' },
    { query: 'water', feeds: ['permits'], limit: 1 },
    { query: '' },
    { query: '"' },
    {},
  ],
  fetch: [{ id: 'permits:2025-0154' }, { id: 'minutes:13' }, { id: 'none:1' }, { id: 'shop:2' }, {}],
  changes: [
    { feed_id: 'permits', since: '2026-07-01', limit: 2 },
    { feed_id: 'permits', since: 'x' },
    { feed_id: 'none', since: '0' },
  ],
  ask_register: [
    { feed_id: 'permits' },
    { feed_id: 'permits', by: ['data.country'], top: 3 },
    { feed_id: 'permits', by: ['published_at:year'], measure: 'min:published_at', document_type: 'adopted' },
    { feed_id: 'permits', document_type: 'none' },
    { feed_id: 'permits', by: ['none'] },
    { feed_id: 'none' },
  ],
  none: [{}],
};

const MESSAGES: readonly unknown[] = [
  {
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  },
  {
    method: 'initialize',
    params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  },
  { method: 'initialize', params: { protocolVersion: '1999-01-01' } },
  { method: 'initialize' },
  { method: 'ping' },
  { method: 'server/discover' },
  { method: 'tools/list' },
  { method: 'tools/list', params: { cursor: 'x' } },
  { method: 'tools/call' },
  { method: 'resources/list' },
  { method: 'resources/list', params: { cursor: 'x' } },
  { method: 'resources/templates/list' },
  { method: 'resources/read', params: { uri: 'gazette://permits' } },
  { method: 'resources/read', params: { uri: 'https://gazette.example/api/v1/feeds/permits' } },
  { method: 'resources/read', params: { uri: 'https://gazette.example/api/v1/records/permits:2025-0154' } },
  { method: 'resources/read', params: { uri: 'https://gazette.example/api/v1/feeds/notices/records' } },
  { method: 'resources/read' },
  {
    method: 'completion/complete',
    params: { ref: { type: 'ref/resource', uri: 'x' }, argument: { name: 'feed_id', value: 'p' } },
  },
  { method: 'prompts/list' },
  { method: 'none' },
];

const BODIES: readonly string[] = [
  '',
  '{',
  '[]',
  '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
  'null',
  '7',
  '{}',
  '{"jsonrpc":"1.0","id":1,"method":"ping"}',
  '{"jsonrpc":"2.0","method":"ping"}',
  '{"jsonrpc":"2.0","id":null,"method":"ping"}',
  '{"jsonrpc":"2.0","id":{},"method":"ping"}',
  '{"jsonrpc":"2.0","id":"a","method":7}',
  '{"jsonrpc":"2.0","id":1,"result":{}}',
  '{"jsonrpc":"2.0","method":"notifications/initialized"}',
  '{"jsonrpc":"2.0","method":"notifications/none"}',
];

const HEADERS: readonly Readonly<Record<string, string>>[] = [
  { 'content-type': 'text/plain' },
  { accept: 'text/html' },
  { accept: 'text/event-stream' },
  { origin: 'https://site.example' },
  { origin: 'https://agents.example' },
  { origin: 'null' },
  { 'mcp-protocol-version': '2025-06-18' },
  { 'mcp-protocol-version': '2026-07-28' },
  { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'ping' },
  { 'mcp-protocol-version': 'none' },
  { 'mcp-session-id': 'x' },
];

/** All messages, for everybody. */
export function* agents(keys: Keys): Generator<Question> {
  const who = callers(keys);
  const post = (body: string, note: string, headers: Readonly<Record<string, string>> = {}): Question => ({
    ...{ path: '/api/v1/mcp', method: 'POST', note, body },
    headers: { ...who[note]!, 'content-type': 'application/json', ...headers },
  });
  const message = (content: unknown): string => JSON.stringify({ jsonrpc: '2.0', id: 1, ...(content as object) });
  for (const [name, calls] of Object.entries(TOOLS))
    for (const given of calls)
      for (const note of ['nobody', 'pro', 'credit'])
        yield post(message({ method: 'tools/call', params: { name, arguments: given } }), note, {
          'mcp-protocol-version': '2025-11-25',
        });
  for (const content of MESSAGES) {
    yield post(message(content), 'nobody');
    yield post(message(content), 'pro', { 'mcp-protocol-version': '2025-11-25' });
  }
  for (const body of BODIES) yield post(body, 'nobody');
  for (const headers of HEADERS) yield post(message({ method: 'ping' }), 'nobody', headers);
  for (const note of ['expired', 'unknown', 'malformed', 'suspended', 'webhooks', 'buyer'])
    yield post(
      message({ method: 'tools/call', params: { name: 'read_register', arguments: { feed_id: 'permits', limit: 1 } } }),
      note,
    );
}
