// A register, and its versions with their proofs, as a service answers them and a store takes them in.
import { isObject, isWhole } from '../checks.ts';
import { GazetteError } from '../errors.ts';
import type { JsonValue } from '../register/canonical-json.ts';
import { defineRegister } from '../register/definition.ts';
import { coreField, STATED_FIELDS } from '../register/fields.ts';
import { CAUSES, type RegisterDefinition, type VersionCause } from '../register/record.ts';
import { isDate, isDateTime } from '../register/time.ts';
import type { RegisterState, TakenVersion } from '../stores/contract/mirrors.ts';
import type { PublishedRecord } from '../stores/contract/prepared-record.ts';

type Members = Readonly<Record<string, unknown>>;

/** A version as `/changes?proof=1` answers it. @throws GazetteError `invalid_answer` */
export function takenVersion(given: unknown, feedId: string, change: number): TakenVersion {
  const version = isObject(given) && isObject(given.proof) ? versionIn(given, given.proof, feedId) : null;
  if (version !== null && version.change === change) return version;
  throw new GazetteError('invalid_answer', `change ${change} must be answered whole, with what proves it`, {
    details: { change },
  });
}

/** What a service says of a register. */
export interface StatedHead extends Omit<RegisterState, 'log'> {
  readonly change: number;
  /** Whether its log is signed. */
  readonly isSigned: boolean;
}

/** The highest number that a definition may have. */
const MOST_DEFINITIONS = 2 ** 31 - 1;

/** The register in an answer; null: it is none. @throws GazetteError `invalid_definition` */
export function headIn(answer: unknown, feedId: string): StatedHead | null {
  if (!isObject(answer)) return null;
  const { change, definition, definition_version: definitionVersion, last_change: lastChange, log }: Members = answer;
  if (!isWhole(change, 0) || !isWhole(definitionVersion, 1, MOST_DEFINITIONS) || !isObject(definition)) return null;
  if (lastChange !== null && !(typeof lastChange === 'string' && isDateTime(lastChange))) return null;
  const checked = defineRegister(definition as unknown as RegisterDefinition);
  if (checked.id !== feedId) return null;
  return { definition: checked, definitionVersion, lastChange, change, isSigned: log !== undefined };
}

function versionIn(given: Members, proof: Members, feedId: string): TakenVersion | null {
  const { change, position, record_id: id, version, cause, recorded_at: recordedAt, changed, undoes = null } = given;
  const [entry, salt, recordSalt] = [entryIn(proof.entry), bytesIn(proof.salt), bytesIn(proof.record_salt)];
  const isOne =
    isWhole(change, 1) && isWhole(position, 1) && isWhole(version, 1) && (undoes === null || isWhole(undoes, 1));
  if (!isOne || entry === null || salt === undefined || recordSalt === undefined) return null;
  if (typeof id !== 'string' || typeof recordedAt !== 'string' || !isDateTime(recordedAt)) return null;
  if (!isCause(cause) || !isTexts(changed) || !isUuid(proof.log)) return null;
  const stated = given.statement ?? null;
  const statement = stated === null ? null : statementIn(stated, feedId);
  if (statement === undefined) return null;
  const shown = isObject(given.record) ? given.record.observed_at : null;
  const observedAt = typeof shown === 'string' && isDateTime(shown) ? shown : null;
  return {
    ...{ change, position, id, version, cause, recordedAt, changed, undoes, statement, observedAt },
    ...{ log: proof.log, salt, commitment: entry.commitment },
    recordHmac: recordSalt === null ? entry.record : null,
  };
}

/** As logs are named. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether it names a log. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

function isCause(value: unknown): value is VersionCause {
  return CAUSES.includes(value as VersionCause);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** What an entry's text says that is made of salts; null for something else. */
function entryIn(text: unknown): { readonly record: Uint8Array; readonly commitment: Uint8Array } | null {
  try {
    const entry: unknown = JSON.parse(String(text));
    if (!isObject(entry)) return null;
    const [record, commitment] = [bytesIn(entry.record), bytesIn(entry.commitment)];
    return record && commitment ? { record, commitment } : null;
  } catch {
    return null;
  }
}

/** 32 bytes in base64; null for null; undefined for anything else. */
function bytesIn(text: unknown): Uint8Array | null | undefined {
  if (text === null) return null;
  if (typeof text !== 'string') return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === 32 && bytes.toString('base64') === text ? bytes : undefined;
}

/** A statement; undefined for what no record may state. */
function statementIn(given: unknown, feedId: string): PublishedRecord | undefined {
  if (!isObject(given) || typeof given.id !== 'string' || !isObject(given.data)) return undefined;
  const { id, key = null, data } = given;
  if (key !== null && typeof key !== 'string') return undefined;
  const stated: Record<string, string | null> = {};
  for (const name of STATED_FIELDS) {
    const value = given[name] ?? null;
    if (!mayState(name, value)) return undefined;
    stated[name] = value;
  }
  return {
    ...stated,
    id,
    feed_id: feedId,
    ...(key === null ? {} : { key }),
    data: data as Record<string, JsonValue>,
  } as unknown as PublishedRecord;
}

function mayState(name: (typeof STATED_FIELDS)[number], value: unknown): value is string | null {
  const { nullable, type, values } = coreField(name);
  if (value === null) return nullable || name === 'observed_at';
  if (typeof value !== 'string') return false;
  return (
    (type !== 'datetime' || isDateTime(value) || isDate(value)) && (values === undefined || values.includes(value))
  );
}
