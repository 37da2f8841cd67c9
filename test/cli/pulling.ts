// A service with some pages behind a front that makes trouble, and copies of its register: by the command, or by the library.
import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { onTestFinished } from 'vitest';
import { type PullResult, pullRegister } from '../../src/mirror/index.ts';
import type { JoinedFormat } from '../../src/mirror/joiners.ts';
import { registerSchema } from '../../src/formats/xml/xsd.ts';
import { type Fault, type FaultyService, startFaultyService } from '../client/faulty-service.ts';
import { keyAt } from '../world.ts';
import { permits } from '../contracts/store-register.ts';
import { validateXsd } from '../contracts/xsd-validator.ts';
import { type Ending, folder, gazette, start } from './run.ts';

/** Records of the register. */
export const COUNT = 520;

/** The requests before the whole, or the first page: the view, where the changes of the register end, and the last of them. */
export const BEFORE_PAGES: readonly Fault[] = [null, null, null];

/** Every id, as the register has them. */
export const ALL: readonly string[] = Array.from({ length: COUNT }, (_, index) => `permits:${keyAt(COUNT - index)}`);

/** A service, and a file that it is copied into. */
export interface Pulling {
  readonly service: FaultyService;
  readonly output: string;
  /** Where the copy lies until it is complete. */
  readonly part: string;
  /** Starts the command in a process of its own. */
  readonly start: (format: string, ...more: readonly string[]) => ChildProcess;
  /** Runs the command to its end. */
  readonly pull: (format: string, ...more: readonly string[]) => Promise<Ending>;
  /** Makes a copy, or goes on with one, in this process and without waiting for anything. */
  readonly copy: (format: JoinedFormat, resume?: boolean) => Promise<PullResult>;
  /** The addresses of pages that were asked for, from the request number `first`. */
  readonly pagesAsked: (first?: number) => readonly string[];
}

/**
 * Starts a service of {@link COUNT} records; it is gone when the test is.
 *
 * @param way whether it has whole registers, too
 */
export async function startPulling(way: 'whole' | 'pages' = 'whole'): Promise<Pulling> {
  const service = await startFaultyService(COUNT);
  service.isOld = way === 'pages';
  onTestFinished(() => service.stop());
  const output = join(await folder(), 'copy');
  const feeds = `${service.url}/api/v1/feeds`;
  const argumentsOf = (format: string, more: readonly string[]): readonly string[] => [
    ...['pull', `${feeds}/permits`, '--format', format, '--output', output],
    ...more,
  ];
  const env = { GAZETTE_API_KEY: service.key };
  return {
    service,
    output,
    part: `${output}.part`,
    start: (format, ...more) => {
      const child = start(argumentsOf(format, more), env);
      onTestFinished(() => void child.kill('SIGKILL'));
      return child;
    },
    pull: (format, ...more) => gazette(argumentsOf(format, more), '', env),
    copy: (format, resume = false) =>
      pullRegister(`${feeds}/permits`, { format, output, resume, key: service.key, sleep: async () => undefined }),
    pagesAsked: (first = 0) =>
      service.asked
        .slice(first)
        .map(({ path }) => path)
        .filter((path) => path.includes('/records') && !path.includes('limit=1&') && !path.endsWith('limit=1')),
  };
}

/** The ids of a finished file, read by a reader of its format that knows nothing of pages. */
export async function idsOf(file: string, format: JoinedFormat): Promise<string[]> {
  const text = await readFile(file, 'utf8');
  if (format === 'csv') return parse<{ id: string }>(text, { columns: true }).map(({ id }) => id);
  if (format === 'ndjson') {
    return text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id);
  }
  validateXsd(registerSchema(permits()), [Buffer.from(text)]);
  return Array.from(text.matchAll(/<record id="([^"]+)"/g), ([, id]) => id!);
}
