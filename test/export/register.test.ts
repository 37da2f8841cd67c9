// What a whole register in one document says of itself.
import { describe, expect, it } from 'vitest';
import { exportRegister, type ExportRegisterOptions } from '../../src/export/register.ts';
import { atom } from '../../src/formats/feeds/atom.ts';
import { rss } from '../../src/formats/feeds/rss.ts';
import type { Format } from '../../src/formats/format.ts';
import { fromRecords } from '../../src/register/sources/from-records.ts';
import { SAMPLE_DEFINITION } from '../contracts/sample-register.ts';

const LIST = 'https://example.org/api/v1/feeds/permits/records';

async function written(format: Format, options: ExportRegisterOptions): Promise<string> {
  const chunks = await Array.fromAsync(exportRegister(fromRecords(SAMPLE_DEFINITION, []), format, options));
  return Buffer.concat(chunks).toString();
}

describe.each([atom, rss])('a whole register as $name', (format) => {
  it('names a list endpoint only where there is one', async () => {
    const alone = await written(format, {});
    expect(alone).toContain('This document has every record of the register.');
    expect(alone).not.toContain('list endpoint');
    expect(await written(format, { list: LIST })).toContain(`the complete register is in the list endpoint: ${LIST}`);
  });

  it('says that it has only what matches its filter', async () => {
    const some = await written(format, { filter: { document_type: 'adopted' } });
    expect(some).toContain('This document has every record of the register that matches.');
  });
});
