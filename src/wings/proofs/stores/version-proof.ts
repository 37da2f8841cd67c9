// What proves a version, as answers and pages show it.
import { toBase64 } from '../tlog/base64.ts';
import { canonicalJson, type JsonValue } from '../../../register/canonical-json.ts';
import type { RegisterRecord } from '../../../register/record.ts';
import type { ProvedVersion } from './contract/logs.ts';

/** What proves a version. */
export interface VersionProof {
  /** The text that is hashed. */
  readonly entry: string;
  /** The UUID that its commitment contains. */
  readonly log: string;
  /** The key of its `record`, in base64; null once it was erased. */
  readonly record_salt: string | null;
  /** The key of its `commitment`, in base64; null once it was erased. */
  readonly salt: string | null;
}

/** What proves a version, for those who may read it. */
export function versionProof({ entry, log, recordSalt, salt }: ProvedVersion): VersionProof {
  return {
    entry: Buffer.from(entry).toString(),
    log,
    record_salt: recordSalt === null ? null : toBase64(recordSalt),
    salt: salt === null ? null : toBase64(salt),
  };
}

/** Whether a statement has no member and no value that the record does not show too. */
export function saysNoMore(statement: Readonly<Record<string, JsonValue>>, record: RegisterRecord): boolean {
  const { data, ...stated } = statement;
  return isWithin(stated, { ...record }) && isWithin(data as RegisterRecord['data'], record.data);
}

function isWithin(some: Readonly<Record<string, JsonValue>>, all: Readonly<Record<string, JsonValue>>): boolean {
  return Object.entries(some).every(
    ([name, value]) => Object.hasOwn(all, name) && canonicalJson(value) === canonicalJson(all[name]!),
  );
}
