// Answers that were made before a record was erased: none of them is given again, however one asks.
import { expect, it } from 'vitest';
import { toPublishedRecord } from '../../src/stores/rows/published-record.ts';
import { sampleRecord } from '../contracts/sample-register.ts';
import { callTool } from '../mcp/agent.ts';
import { SAMPLES, world } from '../world.ts';

const SECRET = 'S3CR3T';
const LATER = '2026-10-02T10:00:00Z';

it('says nothing of an erased record from any cache, to anybody', async () => {
  const { fetch, get, pro, store, key } = await world({ samples: SAMPLES });
  const erased = toPublishedRecord(sampleRecord(SAMPLES), true);
  const fields = { title: SECRET, summary: SECRET, content: SECRET, document_type: SECRET, facility_id: SECRET };
  await store.apply('permits', [{ ...erased, ...fields, data: { ...erased.data, number: SECRET } }], {
    recordedAt: LATER,
  });
  const records = '/feeds/permits/records';
  const paths = [
    ...['', `?document_type=${SECRET}`, `?facility_id=${SECRET}&limit=1`].map((query) => `${records}${query}`),
    ...['csv', 'xml', 'rss', 'atom'].map((format) => `${records}/export.${format}`),
    ...[
      `/records/${erased.id}`,
      `/records/${erased.id}/history?statement=1`,
      `/feeds/permits/changes?since=${SAMPLES}&statement=1`,
    ],
  ];
  const asked = paths.flatMap((path) => [[pro, path] as const, [get, path] as const]);
  const tags = new Map<string, string>();
  const answers = async (): Promise<{ readonly path: string; readonly status: number; readonly isTold: boolean }[]> => {
    const found = [];
    for (const [ask, path] of asked) {
      const tag = tags.get(`${ask === pro} ${path}`);
      for (const headers of tag === undefined ? [{}] : [{}, { 'if-none-match': tag }]) {
        const response = await ask(path, { headers });
        tags.set(`${ask === pro} ${path}`, tag ?? response.headers.get('etag') ?? '"none"');
        found.push({ path, status: response.status, isTold: (await response.text()).includes(SECRET) });
      }
    }
    const tool = await callTool({ fetch }, 'read_register', { feed_id: 'permits', limit: 3 }, key);
    return [...found, { path: 'mcp', status: 200, isTold: JSON.stringify(tool).includes(SECRET) }];
  };
  await answers();
  // From the caches, and confirmed by entity tags.
  const before = await answers();
  expect(before.filter(({ isTold }) => isTold).length).toBeGreaterThan(paths.length);
  expect(before.filter(({ status }) => status === 304).length).toBeGreaterThan(paths.length / 2);
  await store.redact(erased.id, { recordedAt: LATER });
  const after = await answers();
  expect(after.filter(({ isTold, status }) => isTold || status === 304)).toEqual([]);
});
