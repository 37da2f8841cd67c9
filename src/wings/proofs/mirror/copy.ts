// The proof of a copy: every record is what a signed version says, and none is missing that was signed before the copy was begun.
import { setTimeout as sleepFor } from 'node:timers/promises';
import { isObject } from '../../../checks.ts';
import type { ClientOptions } from '../../../client/client-options.ts';
import { jsonOf, type Requester, where } from '../../../client/requester.ts';
import { GazetteError } from '../../../errors.ts';
import { openCheckpoint } from '../tlog/checkpoint.ts';
import { parseVerifierKey } from '../tlog/keys.ts';
import type { Field } from '../../../register/record.ts';
import { type Proved, provedChanges } from './changes.ts';
import type { CopiedRecords } from './copied-records.ts';
import { keptText, readKept } from './kept.ts';
import { type Listing, readListedHead, registerPlace } from './listed-head.ts';
import { ProvedRecords } from './record.ts';
import type { LastCheckpoint } from './last-checkpoint.ts';
import type { ProvedChange } from './version.ts';

/** How a copy is proved. */
export interface CopyProof {
  /** The key of the register's log. */
  readonly vkey: string;
  /** What was kept of the log the last time. */
  readonly seen: LastCheckpoint;
  /** Which witnesses must have signed the log of logs. */
  readonly policy: Uint8Array | string | undefined;
  /** How the changes are requested. */
  readonly client: Omit<ClientOptions, 'cache'>;
}

/** How often a signature that is not there yet is waited for, and how long, in milliseconds. */
const [UNSIGNED_TRIES, UNSIGNED_PAUSE_MS] = [5, 2000];

/** The signed checkpoint before a copy is begun. @throws GazetteError as `provedChanges()` */
export async function signedBefore(feed: URL, proof: CopyProof, requester: Requester): Promise<string> {
  const { vkey, policy, seen, client } = proof;
  const { head, ofLogs } = await seen.watching(async () =>
    readListedHead(registerPlace(feed, vkey, requester), {
      ...{ vkey, kept: await seen.read(), policy, now: client.now ?? Date.now },
      // Before everything is read in vain, the witnesses are waited for here too.
      pause: (ms) => (client.sleep ?? pause)(ms, client.signal),
    }),
  );
  await seen.keep(keptText({ checkpoint: head.checkpoint, ofLogs }));
  return head.checkpoint;
}

/** A copy to prove. */
export interface ProvableCopy {
  readonly feed: URL;
  /** The view of the copy: the register's highest position when it began. */
  readonly asOf: number;
  /** The checkpoint of before it began. */
  readonly signed: string;
  readonly held: CopiedRecords;
}

/** What is proved of a copy. */
export interface CopyProved {
  /** The number of the change to which it is complete and unrewritten. */
  readonly to: number;
  /** What the log of logs says of the register's log; null: there is none. */
  readonly listing: Listing | null;
}

/**
 * Compares a copy with what its register's log has signed, and says which of its records were erased meanwhile.
 *
 * @returns the number of the change to which the copy is complete and unrewritten, and what the log of logs says
 * @throws GazetteError as `provedChanges()`
 */
export async function proveCopy(copy: ProvableCopy, proof: CopyProof, requester: Requester): Promise<CopyProved> {
  const { vkey, policy, seen, client } = proof;
  const { feed, held, signed } = copy;
  const key = parseVerifierKey(vkey);
  const { size } = openCheckpoint(signed, key.name, [key]);
  const comparison = new Comparison(copy, size, new ProvedRecords(await fieldsOf(feed, requester)));
  const { ofLogs } = readKept(await seen.read(), key.name);
  let head: Pick<Proved, 'size' | 'kept'> = { size: 0, kept: keptText({ checkpoint: signed, ofLogs }) };
  let listing: Listing | null = null;
  for (let tried = 0; ; tried++) {
    const { size: since, kept } = head;
    await seen.watching(async () => {
      const onProved = (proved: Proved): void => {
        head = proved;
        listing = proved.listing;
      };
      const changes = provedChanges(feed, { ...client, vkey, kept, policy, since, onProved });
      for await (const change of changes) comparison.take(change);
    });
    const { unproved } = held;
    if (unproved === null) break;
    if (tried === UNSIGNED_TRIES)
      throw new GazetteError('invalid_proof', `what position ${unproved} says must be in the log: it is not signed`);
    await (client.sleep ?? pause)(UNSIGNED_PAUSE_MS, client.signal);
  }
  comparison.end();
  await seen.keep(head.kept);
  return { to: size, listing };
}

async function pause(ms: number): Promise<void> {
  await sleepFor(ms);
}

/** A copy, compared with one version after the other. */
class Comparison {
  readonly #copy: ProvableCopy;
  readonly #signed: number;
  readonly #shown: ProvedRecords;
  /** Positions that the copy lacks, and the log does not. */
  readonly #missing = new Set<number>();

  constructor(copy: ProvableCopy, signed: number, shown: ProvedRecords) {
    this.#copy = copy;
    this.#signed = signed;
    this.#shown = shown;
  }

  /** @throws GazetteError `invalid_proof` */
  take(change: ProvedChange): void {
    const { asOf, held } = this.#copy;
    const { position, version, cause } = change;
    const record = this.#shown.after(change);
    const isGone = cause === 'withdrawn' || cause === 'redacted';
    if (position > asOf) {
      // What came later is not part of the copy. What was signed before it began is.
      if (change.change <= this.#signed) throw differs(change, `the register ends at position ${asOf} for this copy`);
      return;
    }
    const at = held.find(position);
    if (at === -1) {
      if (isGone) this.#missing.delete(position);
      else if (change.change <= this.#signed) this.#missing.add(position);
      return;
    }
    const own = held.versionAt(at);
    if (version < own) return;
    if (cause === 'redacted' || (version === own && change.isErased)) held.erase(at);
    else if (version > own && change.change <= this.#signed) throw differs(change, `the copy was given version ${own}`);
    else if (version === own && (isGone || !held.prove(at, record))) throw differs(change, 'the copy says otherwise');
  }

  /** @throws GazetteError `invalid_proof` for records that the copy lacks */
  end(): void {
    const [position] = this.#missing;
    if (position === undefined) return;
    throw new GazetteError(
      'invalid_proof',
      `the copy lacks position ${position}, which the log has, and no withdrawal`,
    );
  }
}

function differs({ change, position, version }: ProvedChange, how: string): GazetteError {
  const signed = `change ${change}, version ${version} of position ${position}, is signed`;
  return new GazetteError('invalid_proof', `${signed}, but ${how}`);
}

async function fieldsOf(feed: URL, requester: Requester): Promise<readonly Field[]> {
  const answer = jsonOf(await requester.get(feed, 'application/json'));
  if (isObject(answer) && isObject(answer.definition) && areFields(answer.definition.fields))
    return answer.definition.fields;
  throw new GazetteError('invalid_answer', `${where(feed)} must answer the definition of the register`);
}

function areFields(fields: unknown): fields is readonly Field[] {
  const isField = (field: unknown): boolean => isObject(field) && areTexts([field.name, field.type]) && areNames(field);
  return Array.isArray(fields) && fields.every(isField);
}

function areNames({ source_names: names }: Readonly<Record<string, unknown>>): boolean {
  return names === undefined || (Array.isArray(names) && areTexts(names));
}

function areTexts(values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string');
}
