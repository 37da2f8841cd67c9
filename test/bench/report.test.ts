import { describe, expect, it } from 'vitest';
import { pageWith } from '../../bench/report.ts';
import type { RunResult } from '../../bench/result.ts';

const run: RunResult = {
  suite: 'all',
  measuredAt: '2030-01-02T03:04:05Z',
  machine: { cpu: 'a processor', cores: 2, memoryGiB: 4, platform: 'linux x64', node: '24', v8: '13', zlib: '1' },
  gazette: '0.1.0',
  commit: 'abcdef012345',
  rounds: 7,
  full: false,
  tables: [],
  memory: [],
  checks: [{ id: 'crowd', title: 'A crowd', checks: [{ label: 'nobody waited', met: true }] }],
};

const MARK = '<!-- The figures of one run: npm run bench -- --docs -->';

describe('the page of the benchmarks', () => {
  it('has the figures of one run, with its commit, in place of the last one’s', () => {
    const page = pageWith(`# Head\n\n${MARK}\nyesterday\n${MARK}\n\n## Tail\n`, run);
    expect(page).toMatch(/^# Head\n\n<!-- /);
    expect(page).toContain('at commit abcdef012345');
    expect(page).toContain('- holds: nobody waited\n');
    expect(page).not.toContain('yesterday');
    expect(page.endsWith(`${MARK}\n\n## Tail\n`)).toBe(true);
    // Once more changes nothing.
    expect(pageWith(page, run)).toBe(page);
  });

  it('is refused without its marks', () => {
    expect(() => pageWith('# Head\n', run)).toThrow(RangeError);
    expect(() => pageWith(`${MARK}${MARK}${MARK}`, run)).toThrow(RangeError);
  });
});
