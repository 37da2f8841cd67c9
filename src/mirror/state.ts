// The progress of a copy: written next to a file that is being pulled, and read by the run that continues it.
import { isObject, isWhole } from '../checks.ts';
import { where } from '../client/requester.ts';
import { GazetteError } from '../errors.ts';
import type { Origin } from './changes.ts';
import { chainOf, type GapChain, type GapRange, rangesOf } from './gaps.ts';
import { type JoinedFormat, JOINERS } from './joiners.ts';

/** The progress of a copy: what the file contains, and which page is next. */
export interface PullState {
  readonly url: string;
  readonly format: JoinedFormat;
  /** The view of the copy: the register's highest position when it began. */
  readonly asOf: number;
  readonly origin: Origin;
  /** The line with the column names, for formats that have one; null before the first page. */
  readonly columns: string | null;
  /** The address of the next page; null when all pages are complete, or none is needed. */
  readonly next: string | null;
  /** The whole register as one document, as long as it comes. Absent: it came, or pages do. */
  readonly whole?: PartOfWhole;
  readonly records: number;
  /** The position of the last record; one above the first before there is one. */
  readonly lastPosition: number;
  /** Positions above it that no page contained. */
  readonly gaps: GapChain | null;
  /** The signed checkpoint of before the copy was begun. Absent: it is not proved. */
  readonly signed?: string;
}

/** What came of a whole register: records that are whole. */
export interface PartOfWhole {
  /** Where exactly these bytes are. */
  readonly place: string;
  /** How many of them came: not as many as the file has, where that has something else of them. */
  readonly bytes: number;
  /** The last of them, in Base64. */
  readonly tail: string;
}

/** A state, and how much of the file it describes. */
export interface KeptState {
  readonly bytes: number;
  readonly state: PullState;
}

/** The progress of a copy after these records. @param url where they came from @throws GazetteError `invalid_answer` */
export function advanced(state: PullState, positions: readonly number[], url: URL): PullState {
  let { lastPosition, gaps } = state;
  for (const position of positions) {
    if (position >= lastPosition) {
      throw new GazetteError(
        'invalid_answer',
        `${where(url)} must go down from ${lastPosition}, got position ${position}`,
      );
    }
    if (position < lastPosition - 1) gaps = { range: [lastPosition - 1, position + 1], above: gaps };
    lastPosition = position;
  }
  return { ...state, records: state.records + positions.length, lastPosition, gaps };
}

/** The version of the state file's format. */
const VERSION = 1;

/** The content of a state file. */
export function stateText({ bytes, state }: KeptState): string {
  return `${JSON.stringify({ gazette_pull: VERSION, bytes, state: { ...state, gaps: rangesOf(state.gaps) } })}\n`;
}

/** The state in a file; null if {@link stateText} did not write it. */
export function stateFrom(text: string): KeptState | null {
  const kept = parsed(text);
  if (!isObject(kept) || kept.gazette_pull !== VERSION || !isCount(kept.bytes)) return null;
  const { bytes, state } = kept;
  return isObject(state) && Object.entries(MEMBERS).every(([name, isRight]) => isRight(state[name], state))
    ? { bytes, state: { ...(state as unknown as PullState), gaps: chainOf(state.gaps as readonly GapRange[]) } }
    : null;
}

type Members = Readonly<Record<string, unknown>>;

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => isWhole(value, 0);
const isAddress = (value: unknown): boolean => isText(value) && URL.canParse(value);

const MEMBERS: Readonly<Record<keyof Required<PullState>, (value: unknown, state: Members) => boolean>> = {
  url: isAddress,
  format: (value) => isText(value) && Object.hasOwn(JOINERS, value),
  asOf: isCount,
  origin: isOrigin,
  columns: (value) => value === null || isText(value),
  next: (value) => value === null || isAddress(value),
  whole: (value, { next }) => value === undefined || (next === null && isPartOfWhole(value)),
  records: isCount,
  lastPosition: (value, { asOf }) => isCount(value) && value >= 1 && isCount(asOf) && value <= asOf + 1,
  gaps: (value, { asOf, lastPosition }) =>
    Array.isArray(value) && goDown(value, asOf as number, lastPosition as number),
  signed: (value) => value === undefined || isText(value),
};

function isOrigin(value: unknown): boolean {
  if (!isObject(value) || !isText(value.log) || !isCount(value.change)) return false;
  return value.version === null || isText(value.version);
}

function isPartOfWhole(value: unknown): boolean {
  if (!isObject(value) || !isAddress(value.place) || !isCount(value.bytes) || !isText(value.tail)) return false;
  return Buffer.from(value.tail, 'base64').length <= value.bytes;
}

/** Whether these are ranges between two positions, from the highest down, each with a record between it and the next. */
function goDown(ranges: readonly unknown[], highest: number, lowest: number): boolean {
  let above = highest + 1;
  return ranges.every((range) => {
    if (!Array.isArray(range) || range.length !== 2) return false;
    const [high, low] = range as unknown[];
    if (!isCount(high) || !isCount(low) || high >= above || low > high || low <= lowest) return false;
    above = low - 1;
    return true;
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The state was cut off in a crash, or is not ours: the caller decides what to do.
    return null;
  }
}
