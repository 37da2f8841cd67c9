import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFormat } from '../../../src/formats/index.ts';
import { REFERENCE_FORMAT_NAMES, referenceFormat } from '../../../src/formats/reference/index.ts';

/** What packages can do beyond the native writer. */
const OWN_OPTIONS: Readonly<Record<string, readonly string[]>> = { csv: ['stringify'], xlsx: ['prepareSheet'] };

describe('reference writers', () => {
  it.each(REFERENCE_FORMAT_NAMES)(
    'has one for %s, which says of itself what the native one says, but not what its package makes',
    async (name) => {
      const reference = await referenceFormat(name);
      const native = findFormat(name);
      const optionNames = [...native.optionNames!, ...(OWN_OPTIONS[name] ?? [])];
      expect({ ...reference, open: null }).toEqual({ ...native, encoderVersion: null, optionNames, open: null });
      expect(reference).not.toBe(native);
    },
  );

  it('has none for NDJSON and says which formats have one', async () => {
    await expect(referenceFormat('ndjson')).rejects.toMatchObject({
      code: 'invalid_option',
      message: `format "ndjson" has no reference writer; ${REFERENCE_FORMAT_NAMES.join(', ')} have one`,
    });
  });

  it.each(['nope', 'constructor'])('does not know a format %s', async (name) => {
    await expect(referenceFormat(name)).rejects.toMatchObject({ code: 'unknown_format' });
  });

  describe('where the packages are not installed', () => {
    let folder: string;

    beforeAll(async () => {
      // The sources alone, out of reach of any node_modules.
      folder = await mkdtemp(join(tmpdir(), 'gazette-peers-'));
      await cp(new URL('../../../src', import.meta.url), join(folder, 'src'), { recursive: true });
      await writeFile(join(folder, 'package.json'), '{"type":"module"}');
      await writeFile(
        join(folder, 'ask.ts'),
        `import { referenceFormat } from './src/formats/reference/index.ts';
         await referenceFormat(process.argv[2]!).catch(({ code, message, details }) =>
           console.log(JSON.stringify({ code, message, details })));`,
      );
    });

    afterAll(async () => {
      await rm(folder, { recursive: true, force: true });
    });

    it.each(REFERENCE_FORMAT_NAMES)('says for %s which package is missing and how to install it', async (name) => {
      const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'ask.ts'), name]);
      const error = JSON.parse(stdout) as { code: string; message: string; details: { package: string } };
      expect(error.code).toBe('missing_peer');
      expect(error.message).toBe(
        `the reference writer of ${name} needs the package ${error.details.package}: npm install ${error.details.package}`,
      );
    });
  });
});
