// Proved copies of a register whose answers somebody changes on the way.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { type PullOptions, type PullResult, pullRegister } from '../../../../src/mirror/index.ts';
import { type Answer, type Answers, FEED, NOTHING, pathOf, type Watched } from './tampered.ts';

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

/** What a register is copied from. */
export const WAYS = ['pages', 'whole'] as const;

const WHOLE = '/register.ndjson';

/** The same answers, with a whole register that says what the pages say, or without one. */
export function by(way: (typeof WAYS)[number], answers: Answers): Answers {
  return (path) => (path !== WHOLE ? answers(path) : way === 'whole' ? wholeOf(answers) : Promise.resolve(NOTHING));
}

async function wholeOf(answers: Answers): Promise<Answer> {
  let lines = '';
  for (let offset: number | null = 0; offset !== null;) {
    const answer = await answers(`/records?limit=100&offset=${offset}`);
    if (answer.status !== 200) return answer;
    const page = JSON.parse(String(answer.body)) as { records: object[]; next_offset: number | null };
    for (const record of page.records) lines += `${JSON.stringify(record)}\n`;
    offset = page.next_offset;
  }
  return { status: 200, body: Buffer.from(lines) };
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
      const path = pathOf(url);
      const { status, body, nextOffset } = await answers(path);
      const headers = new Headers({ 'content-type': path === WHOLE ? 'application/x-ndjson' : 'application/json' });
      if (typeof nextOffset === 'string') headers.set('stream-next-offset', nextOffset);
      return new Response(new Uint8Array(body), { status, headers });
    },
    ...more,
  });
}
