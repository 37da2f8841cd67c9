import { describe, expect, it } from 'vitest';
import { openReader } from '../../../src/import/from-file/open-file.ts';
import { source } from '../../import/sources.ts';

describe('the option for guarded files', () => {
  it.each([
    ['--format', '--formulas applies to CSV and workbooks; the input is read as json'],
    ['--input-format', '--input-formulas applies to CSV and workbooks; the input is read as json'],
  ] as const)('is refused for JSON, by its name beside %s', (formatFlag, message) => {
    const input = { ...source('[]'), size: null, bytesRead: 0, watch: () => undefined };
    expect(() => openReader(input, { inputFormat: 'json', inputFormulas: 'guarded' }, formatFlag)).toThrow(
      expect.objectContaining({ code: 'usage', message }) as Error,
    );
  });
});
