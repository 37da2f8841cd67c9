// The progress of a copy: written next to a file that is being pulled, and read by the run that continues it.
import { isObject, isWhole } from '../checks.ts';
import type { GapRange } from './gaps.ts';
import { type JoinedFormat, JOINERS } from './joiners.ts';

/** The progress of a copy: what the file contains, and which page is next. */
export interface PullState {
  readonly url: string;
  readonly format: JoinedFormat;
  /** The view of the copy: the register's highest position when it began. */
  readonly asOf: number;
  /** The name of the register's log, which another register with the same id does not have. */
  readonly origin: string;
  /** The line with the column names, for formats that have one; null before the first page. */
  readonly columns: string | null;
  /** The address of the next page; null when all pages are complete. */
  readonly next: string | null;
  readonly records: number;
  /** The position of the last record; one above the first before there is one. */
  readonly lastPosition: number;
  /** Positions above it that no page contained. */
  readonly gaps: readonly GapRange[];
  /** The number of the register's last change when the copy began. Absent: its service did not say it. */
  readonly begun?: number;
  /** The signed checkpoint of before the copy was begun. Absent: it is not proved. */
  readonly signed?: string;
}

/** A state, and how much of the file it describes. */
export interface KeptState {
  readonly bytes: number;
  readonly state: PullState;
}

/** The version of the state file's format. */
const VERSION = 1;

/** The content of a state file. */
export function stateText({ bytes, state }: KeptState): string {
  return `${JSON.stringify({ gazette_pull: VERSION, bytes, state })}\n`;
}

/** The state in a file; null if {@link stateText} did not write it. */
export function stateFrom(text: string): KeptState | null {
  const kept = parsed(text);
  if (!isObject(kept) || kept.gazette_pull !== VERSION || !isCount(kept.bytes)) return null;
  const { state } = kept;
  return isObject(state) && Object.entries(MEMBERS).every(([name, isRight]) => isRight(state[name], state))
    ? (kept as unknown as KeptState)
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
  origin: isText,
  columns: (value) => value === null || isText(value),
  next: (value) => value === null || isAddress(value),
  records: isCount,
  lastPosition: (value, { asOf }) => isCount(value) && value >= 1 && isCount(asOf) && value <= asOf + 1,
  gaps: (value, { asOf, lastPosition }) =>
    Array.isArray(value) && goDown(value, asOf as number, lastPosition as number),
  begun: (value) => value === undefined || isCount(value),
  signed: (value) => value === undefined || isText(value),
};

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
