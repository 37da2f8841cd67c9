// The proof of a copy: every record is what a signed version says, and none is missing that was signed before the copy was begun.
import { setTimeout as sleepFor } from 'node:timers/promises';
import { isObject } from '../../../checks.ts';
import { jsonOf, type Requester, where } from '../../../client/requester.ts';
import { GazetteError } from '../../../errors.ts';
import { openCheckpoint } from '../tlog/checkpoint.ts';
import { parseVerifierKey, type VerifierKey } from '../tlog/keys.ts';
import { parsePolicy } from '../tlog/policy.ts';
import type { Field } from '../../../register/record.ts';
import { type Proved, provedChanges } from './changes.ts';
import { CopiedRecords } from './copied-records.ts';
import type { BegunCopy, CompleteCopy, CopyProved, CopyProver, Listing, ProveOptions } from '../../../mirror/prover.ts';
import { readListedHead, registerPlace, type WatchOptions } from './listed-head.ts';
import { ProvedRecords } from './record.ts';
import { keptText, LastCheckpoint, readKept } from './last-checkpoint.ts';
import type { ProvedChange } from './version.ts';

/** How often a signature that is not there yet is waited for, and how long, in milliseconds. */
const [UNSIGNED_TRIES, UNSIGNED_PAUSE_MS] = [5, 2000];

/** Proves copies by the logs of their registers. @throws GazetteError `invalid_log_key`, `invalid_option` for a key or a policy that is none */
export function proveCopies({ vkey, policy }: ProveOptions): (copy: BegunCopy) => CopyProver {
  const key = parseVerifierKey(vkey);
  if (policy !== undefined) parsePolicy(policy);
  return (copy) => new CopyByLog(copy, key, { vkey, policy });
}

/** A copy, proved by its register's log. */
class CopyByLog implements CopyProver {
  readonly #copy: BegunCopy;
  readonly #key: VerifierKey;
  readonly #options: Pick<WatchOptions, 'vkey' | 'policy'>;
  /** What was kept of the log the last time. */
  readonly #seen: LastCheckpoint;

  constructor(copy: BegunCopy, key: VerifierKey, options: Pick<WatchOptions, 'vkey' | 'policy'>) {
    this.#copy = copy;
    this.#key = key;
    this.#options = options;
    this.#seen = new LastCheckpoint(`${copy.path}.note`);
  }

  /** The signed checkpoint. @throws GazetteError as `provedChanges()` */
  async begin(): Promise<string> {
    const { feed, requester, client } = this.#copy;
    const { head, ofLogs } = await this.#seen.watching(async () =>
      readListedHead(registerPlace(feed, this.#options.vkey, requester), {
        ...{ ...this.#options, kept: await this.#seen.read(), now: client.now ?? Date.now },
        // Before everything is read in vain, the witnesses are waited for here too.
        pause: (ms) => this.#pause(ms),
      }),
    );
    await this.#seen.keep(keptText({ checkpoint: head.checkpoint, ofLogs }));
    return head.checkpoint;
  }

  /** @throws GazetteError as `provedChanges()` */
  async prove({ asOf, signed, records, lines }: CompleteCopy): Promise<CopyProved> {
    const { feed, requester, client } = this.#copy;
    const held = new CopiedRecords(records);
    for await (const line of lines) held.add(line.toString());
    const { size } = openCheckpoint(signed, this.#key.name, [this.#key]);
    const comparison = new Comparison(asOf, held, size, new ProvedRecords(await fieldsOf(feed, requester)));
    const { ofLogs } = readKept(await this.#seen.read(), this.#key.name);
    let head: Pick<Proved, 'size' | 'kept'> = { size: 0, kept: keptText({ checkpoint: signed, ofLogs }) };
    let listing: Listing | null = null;
    for (let tried = 0; ; tried++) {
      const { size: since, kept } = head;
      await this.#seen.watching(async () => {
        const onProved = (proved: Proved): void => {
          head = proved;
          listing = proved.listing;
        };
        const changes = provedChanges(feed, { ...client, ...this.#options, kept, since, onProved });
        for await (const change of changes) comparison.take(change);
      });
      const { unproved } = held;
      if (unproved === null) break;
      if (tried === UNSIGNED_TRIES)
        throw new GazetteError('invalid_proof', `what position ${unproved} says must be in the log: it is not signed`);
      await this.#pause(UNSIGNED_PAUSE_MS);
    }
    comparison.end();
    await this.#seen.keep(head.kept);
    return { to: size, listing, erased: held.erased, isErased: (index) => held.isErased(index) };
  }

  async #pause(ms: number): Promise<void> {
    const { client } = this.#copy;
    await (client.sleep ?? pause)(ms, client.signal);
  }
}

async function pause(ms: number): Promise<void> {
  await sleepFor(ms);
}

/** A copy, compared with one version after the other. */
class Comparison {
  readonly #asOf: number;
  readonly #held: CopiedRecords;
  readonly #signed: number;
  readonly #shown: ProvedRecords;
  /** Positions that the copy lacks, and the log does not. */
  readonly #missing = new Set<number>();

  constructor(asOf: number, held: CopiedRecords, signed: number, shown: ProvedRecords) {
    this.#asOf = asOf;
    this.#held = held;
    this.#signed = signed;
    this.#shown = shown;
  }

  /** @throws GazetteError `invalid_proof` */
  take(change: ProvedChange): void {
    const [asOf, held] = [this.#asOf, this.#held];
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
