// `gazette pull`: a complete copy of a register from a service, in one file, proved to be complete. It can be stopped and
// killed at any moment and goes on where it stopped.
import { type Command, Option } from 'commander';
import { addressOf } from '../client/address.ts';
import { jsonOf, Requester, where } from '../client/requester.ts';
import { GazetteError, quote } from '../errors.ts';
import { counted } from '../register/counted.ts';
import type { RecordVersion } from '../register/record.ts';
import { Gaps } from './gaps.ts';
import { type JoinedFormat, JOINERS } from './joiners.ts';
import { Progress } from './progress.ts';
import { PulledFile, type PullState } from './pulled-file.ts';

/** The command's options as commander gives them. */
interface PullOptions {
  readonly format: JoinedFormat;
  readonly output: string;
  readonly resume?: true;
}

/** The variable with the key: on a command line others could read it. */
const KEY_VARIABLE = 'GAZETTE_API_KEY';

/** How many versions are asked for at once where the reason of a gap is looked for. */
const CHANGES_LIMIT = 100;

/** Adds `gazette pull` to the program. */
export function addPull(program: Command, signal: AbortSignal): void {
  program
    .command('pull')
    .description(`Copies a whole register from a service into one file. The API key is taken from ${KEY_VARIABLE}.`)
    .argument('<url>', 'the register, such as https://example.org/api/v1/feeds/permits')
    .addOption(new Option('--format <name>', 'what to write').choices(Object.keys(JOINERS)).makeOptionMandatory())
    .requiredOption('--output <file>', 'where to write it: whole or not at all')
    .option('--resume', 'go on with a copy that was stopped')
    .action((url: string, options: PullOptions) => pull(url, options, signal));
}

async function pull(address: string, options: PullOptions, signal: AbortSignal): Promise<void> {
  const key = process.env[KEY_VARIABLE];
  if (key === undefined || key === '') {
    throw new GazetteError('usage', `a whole register needs an API key: set ${KEY_VARIABLE}`);
  }
  const feed = addressOf(address.replace(/\/+$/, ''));
  const requester = new Requester(feed, { key, signal });
  const file = await PulledFile.open(options.output, options.resume === true);
  try {
    let state = file.state ?? (await begin(feed, options.format, requester));
    if (state.url !== feed.href || state.format !== options.format) {
      throw new GazetteError(
        'usage',
        `--resume: ${options.output} was begun as ${state.format} of ${state.url}; leave --resume out to begin anew`,
      );
    }
    const progress = new Progress(process.stderr, null);
    const joiner = JOINERS[state.format];
    while (state.next !== null) {
      const url = new URL(state.next);
      const page = joiner.read(await requester.get(url, joiner.mediaType), file.isEmpty);
      const gaps = new Gaps(state.lastPosition, state.gaps);
      for (const position of page.positions) {
        if (position >= gaps.last) {
          throw new GazetteError(
            'invalid_answer',
            `${where(url)} must go down from ${gaps.last}, got position ${position}`,
          );
        }
        gaps.add(position);
      }
      state = {
        ...state,
        next: page.next === null ? null : page.next.href,
        records: state.records + page.positions.length,
        lastPosition: gaps.last,
        gaps: gaps.ranges,
      };
      await file.append(page.text, state);
      progress.update({ records: state.records, bytesRead: 0, of: state.asOf });
    }
    progress.clear();
    const withdrawn = await prove(feed, state, requester);
    await file.finish(joiner.end);
    process.stderr.write(
      `gazette: ${options.output} is complete: ${counted(state.records, 'record')}, each position from ${state.asOf} down to 1 answered` +
        `${withdrawn === 0 ? '' : `, or withdrawn (${withdrawn})`}\n`,
    );
  } finally {
    await file.close();
  }
}

/** A copy that has nothing yet: the register as it stands now. */
async function begin(feed: URL, format: JoinedFormat, requester: Requester): Promise<PullState> {
  const list = new URL(`${feed.href}/records?limit=1`);
  const { as_of: asOf } = (jsonOf(await requester.get(list, 'application/json')) ?? {}) as { readonly as_of?: unknown };
  if (typeof asOf !== 'number' || !Number.isSafeInteger(asOf) || asOf < 0) {
    throw new GazetteError(
      'invalid_answer',
      `${where(list)} must answer as_of, a position: without it nothing can be proved, got ${quote(asOf)}`,
    );
  }
  const next = new URL(`${feed.href}/${JOINERS[format].path}`);
  next.searchParams.set('limit', '100');
  next.searchParams.set('as_of', String(asOf));
  return { url: feed.href, format, asOf, next: next.href, records: 0, lastPosition: asOf + 1, gaps: [] };
}

/**
 * Makes sure that every position was answered or withdrawn.
 *
 * @returns how many were withdrawn
 * @throws GazetteError `incomplete_copy`
 */
async function prove(feed: URL, state: PullState, requester: Requester): Promise<number> {
  const missing = new Gaps(state.lastPosition, state.gaps);
  missing.close();
  let withdrawn = 0;
  const url = new URL(`${feed.href}/changes?limit=${CHANGES_LIMIT}`);
  for (let since = 0; missing.ranges.length > 0;) {
    url.searchParams.set('since', String(since));
    const answer = jsonOf(await requester.get(url, 'application/json')) as {
      readonly versions?: readonly RecordVersion[];
      readonly next_since?: number;
    } | null;
    const versions = answer?.versions ?? [];
    for (const { cause, position } of versions) {
      if (cause === 'withdrawn' && missing.remove(position)) withdrawn++;
    }
    const next = answer?.next_since ?? since;
    if (versions.length === 0 || next <= since) break;
    since = next;
  }
  if (missing.ranges.length === 0) return withdrawn;
  const shown = missing.ranges.slice(0, 5).map(([high, low]) => (high === low ? `${high}` : `${high}–${low}`));
  throw new GazetteError(
    'incomplete_copy',
    `${where(feed)} answered neither a record nor a withdrawal at the positions ${shown.join(', ')}${missing.ranges.length > 5 ? ' and others' : ''}; the file is kept unfinished`,
  );
}
