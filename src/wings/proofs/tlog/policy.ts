// Policies (C2SP tlog-policy): which logs are known, and which of the known witnesses must have signed a checkpoint too.
import { GazetteError, quote } from '../../../errors.ts';
import { type KeyRole, parseVerifierKey, type VerifierKey } from './keys.ts';

/** A policy. */
export interface TlogPolicy {
  /** The logs whose checkpoints count; empty where they are known from elsewhere. */
  readonly logs: readonly VerifierKey[];
  /** The witnesses that it names. */
  readonly witnesses: readonly VerifierKey[];
  /** The name of the witness or group that must have signed; `none`: nobody need. */
  readonly quorum: string;
  /** Whether it is enough that these of its witnesses signed. */
  isMet(signed: ReadonlySet<VerifierKey>): boolean;
}

/** Whether a witness or a group has signed. */
type Rule = (signed: ReadonlySet<VerifierKey>) => boolean;

/** The name that stands for nobody. */
const NONE = 'none';

const GROUP_SIZE = /^[1-9]\d{0,8}$/;

/** A policy while it is read. */
interface Reading {
  readonly logs: VerifierKey[];
  readonly witnesses: VerifierKey[];
  readonly rules: Map<string, Rule>;
  /** The names that are in a group: each may be in one alone. */
  readonly members: Set<string>;
  quorum: string | null;
}

/**
 * Reads a policy file (https://c2sp.org/tlog-policy). Names are compared by their bytes.
 *
 * @param file its bytes, or its text
 * @throws GazetteError `invalid_input` with the number of the line that is wrong; `invalid_log_key` for a key that is
 */
export function parsePolicy(file: Uint8Array | string): TlogPolicy {
  // A character for each byte: whatever is beyond ASCII has no meaning.
  const text = Buffer.from(file).toString('latin1');
  const reading: Reading = { logs: [], witnesses: [], rules: new Map(), members: new Set(), quorum: null };
  for (const [at, line] of text.split('\n').entries()) {
    if (/[\x00-\x08\x0b-\x1f\x7f]/.test(line)) throw wrongLine(at, 'must have no control characters but tabs');
    const items = line.split(/[ \t]+/).filter((item) => item !== '');
    if (items.length > 0 && !items[0]!.startsWith('#')) readLine(reading, items, at);
  }
  const { logs, witnesses, rules, quorum } = reading;
  if (quorum === null) throw new GazetteError('invalid_input', 'a policy must have a line with its quorum');
  return {
    ...{ logs, witnesses, quorum: named(quorum) },
    isMet: quorum === NONE ? () => true : rules.get(quorum)!,
  };
}

function readLine(reading: Reading, [keyword, ...items]: readonly string[], at: number): void {
  if (keyword === 'log' && isBetween(items, 1, 2)) readLog(reading, items[0]!, at);
  else if (keyword === 'witness' && isBetween(items, 2, 3)) readWitness(reading, items[0]!, items[1]!, at);
  else if (keyword === 'group' && isBetween(items, 3, Infinity)) readGroup(reading, items, at);
  else if (keyword === 'quorum' && isBetween(items, 1, 1)) readQuorum(reading, items[0]!, at);
  else
    throw wrongLine(
      at,
      'must be "log VKEY [URL]", "witness NAME VKEY [URL]", "group NAME all|any|NUMBER NAME…" or "quorum NAME"',
    );
}

function isBetween({ length }: readonly string[], least: number, most: number): boolean {
  return length >= least && length <= most;
}

function readLog({ logs }: Reading, text: string, at: number): void {
  const key = keyOf(text, 'log', at);
  if (logs.some((other) => isSameKey(key, other))) throw wrongLine(at, 'has the key of another log');
  logs.push(key);
}

function readWitness({ witnesses, rules }: Reading, name: string, text: string, at: number): void {
  const key = keyOf(text, 'witness', at);
  if (witnesses.some((other) => isSameKey(key, other))) throw wrongLine(at, 'has the key of another witness');
  define(rules, name, (signed) => signed.has(key), at);
  witnesses.push(key);
}

function readGroup({ rules, members }: Reading, [name, size, ...names]: readonly string[], at: number): void {
  const group = names.map((member) => {
    const rule = rules.get(member);
    if (rule === undefined) throw wrongLine(at, `must have members that lines before it define, got ${shown(member)}`);
    if (members.has(member)) throw wrongLine(at, `must have members that are in no group yet, got ${shown(member)}`);
    members.add(member);
    return rule;
  });
  const least = size === 'all' ? group.length : size === 'any' ? 1 : GROUP_SIZE.test(size!) ? Number(size) : 0;
  if (least < 1 || least > group.length)
    throw wrongLine(at, `must ask for all, any, or 1 to ${group.length} of its members, got ${shown(size!)}`);
  define(rules, name!, (signed) => group.filter((rule) => rule(signed)).length >= least, at);
}

function readQuorum(reading: Reading, name: string, at: number): void {
  if (reading.quorum !== null) throw wrongLine(at, 'is a second quorum');
  if (name !== NONE && !reading.rules.has(name))
    throw wrongLine(at, `must name a witness or a group of a line before it, or none, got ${shown(name)}`);
  reading.quorum = name;
}

function define(rules: Map<string, Rule>, name: string, rule: Rule, at: number): void {
  if (name === NONE || rules.has(name)) throw wrongLine(at, `must have a name of its own, got ${shown(name)}`);
  rules.set(name, rule);
}

function keyOf(item: string, role: KeyRole, at: number): VerifierKey {
  const key = parseVerifierKey(named(item));
  if (key.role === role) return key;
  throw new GazetteError('invalid_log_key', `line ${at + 1} of the policy must have the key of a ${role}`);
}

function isSameKey(one: VerifierKey, other: VerifierKey): boolean {
  return Buffer.compare(one.publicKey, other.publicKey) === 0;
}

/** An item as its author wrote it. */
function named(item: string): string {
  return Buffer.from(item, 'latin1').toString();
}

function shown(item: string): string {
  return quote(named(item));
}

function wrongLine(at: number, what: string): GazetteError {
  return new GazetteError('invalid_input', `line ${at + 1} of the policy ${what}`, { details: { line: at + 1 } });
}
