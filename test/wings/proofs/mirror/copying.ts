// Proved copies of a register whose answers somebody changes on the way.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { type PullOptions, type PullResult, pullRegister } from '../../../../src/mirror/index.ts';
import { type Answers, FEED, pathOf, type Watched } from './tampered.ts';

/** A record of the list, as far as somebody changes it. */
export interface Listed {
  position: number;
  version: number;
  title: string;
  updated_at: string;
}

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

/** A file that is not there yet, in a folder of its own. */
export async function outputFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-proved-'));
  folders.push(folder);
  return join(folder, 'copy');
}

/** Copies what these answers say. */
export function copyOf(
  { vkey }: Pick<Watched, 'vkey'>,
  answers: Answers,
  output: string,
  more: Partial<PullOptions> = {},
): Promise<PullResult> {
  return pullRegister(FEED, {
    ...{ format: 'ndjson', output, prove: { vkey }, attempts: 1, sleep: () => Promise.resolve() },
    fetch: async (url) => {
      const { status, body } = await answers(pathOf(url));
      return new Response(new Uint8Array(body), { status });
    },
    ...more,
  });
}
