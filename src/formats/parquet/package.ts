// The package that writes Parquet, hyparquet-writer (optional peer): whether it is installed, and in which version.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { GazetteError } from '../../errors.ts';

const NAME = 'hyparquet-writer';

/** The version that is installed, on which the bytes of a file depend; null where there is none. */
export function installedVersion(): string | null {
  const require = createRequire(import.meta.url);
  try {
    // The package exports no package.json, which lies beside the folder of its first module.
    const manifest = new URL('../package.json', `file://${require.resolve(NAME)}`);
    return String((JSON.parse(readFileSync(manifest, 'utf8')) as { version: unknown }).version);
  } catch {
    return null;
  }
}

/** What is used of the package. */
export interface Package {
  readonly ByteWriter: typeof ByteWriter;
  readonly ParquetWriter: typeof ParquetWriter;
}

/** The package. @throws GazetteError `missing_peer` */
export async function loadPackage(): Promise<Package> {
  if (installedVersion() !== null) return import('hyparquet-writer');
  throw new GazetteError('missing_peer', `Parquet needs the package ${NAME}: npm install ${NAME}`, {
    details: { format: 'parquet', package: NAME },
  });
}
