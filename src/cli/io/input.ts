// The source of a command's records: a file or standard input.
import { fstatSync } from 'node:fs';
import { type Input, openFile, sizeOf, toInput } from '../../import/from-file/open-file.ts';
import { type Io, NO_FILE } from './io.ts';

/** @param path of a file; undefined or `-` for standard input @param name what messages call the file. Default: its path */
export function openInput(path: string | undefined, io: Io, name?: string): Input {
  if (path !== undefined && path !== '-') return openFile(path, name);
  const size = sizeOf(() => fstatSync(io.stdin.fd ?? NO_FILE));
  return toInput('standard input', size, () => io.stdin);
}
