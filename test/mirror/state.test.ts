// The state of a copy as its file has it.
import { expect, test } from 'vitest';
import { type KeptState, stateFrom, stateText } from '../../src/mirror/state.ts';

const KEPT: KeptState = {
  bytes: 120,
  state: {
    url: 'https://example.org/feeds/permits',
    format: 'csv',
    asOf: 9,
    origin: '9f8e7d6c',
    columns: 'id,title',
    next: null,
    records: 2,
    lastPosition: 3,
    gaps: [[8, 7]],
  },
};

test('comes back as it was written', () => {
  expect(stateFrom(stateText(KEPT))).toMatchObject(KEPT);
});

test.each([
  '',
  'null',
  '[]',
  '5',
  JSON.stringify([{ gazette_pull: 1, ...KEPT }]),
  JSON.stringify({ gazette_pull: 1, ...KEPT, state: [] }),
  JSON.stringify({ gazette_pull: 1, ...KEPT, state: [KEPT.state] }),
  JSON.stringify({ gazette_pull: 1, ...KEPT, bytes: 0.5 }),
  JSON.stringify({ gazette_pull: 1, ...KEPT, bytes: -1 }),
  JSON.stringify({ gazette_pull: 1, ...KEPT, state: { ...KEPT.state, records: '2' } }),
])('is nothing else: %s', (text) => {
  expect(stateFrom(text)).toBeNull();
});
