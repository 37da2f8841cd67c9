// `gazette record`: shows one record of a store with its history, works on it by hand, or erases it for legal reasons.
import { GazetteError } from '../../errors.ts';
import { Editors } from '../../operate/desk/editors.ts';
import { Records } from '../../operate/records.ts';
import type { RecordVersion } from '../../register/record.ts';
import type { ServiceStore } from '../../stores/contract/accounts.ts';
import type { PendingPurge } from '../../stores/contract/purges.ts';
import type { StoredRecord } from '../../stores/contract/registers.ts';
import { feedIdOf } from '../../stores/rows/register.ts';
import { command, type UndescribedGroup, flag, JSON_OUTPUT, type ValuesOf, YES } from '../command.ts';
import { confirm } from '../io/confirm.ts';
import { printFields, printJson, say } from '../io/say.ts';
import { userName } from '../io/user-name.ts';
import { sayPending } from '../process/unfinished.ts';
import { STORE, withStore } from '../options/store.ts';
import { WAIT, waitOptions } from '../options/wait.ts';
import type { Io } from '../io/io.ts';
import { BY_HAND } from './record/by-hand.ts';
import { RENUMBER } from './record/renumber.ts';

/** What `gazette record redact --json` prints: schemas/redaction.schema.json. */
interface RedactionAnswer {
  readonly id: string;
  readonly result: 'erased' | 'erased_before' | 'lifted' | 'not_erased';
  readonly pending: {
    readonly asked_at: string;
    readonly parts: readonly string[];
    readonly failure: string | null;
  } | null;
  readonly beyond: readonly string[];
}

const RECORD = ['<record_id>', 'such as permits:2026-0417'] as const;

const REDACT_OPTIONS = {
  store: STORE,
  yes: YES,
  purge: flag('also rewrite what the database keeps of it: tables, indexes and statistics (SQLite always does)'),
  lift: flag('let imports take an erased record in again, and erase nothing'),
  wait: WAIT,
  json: JSON_OUTPUT,
};

/** `gazette record`. */
export const recordCommand: UndescribedGroup = {
  commands: {
    show: command({
      description: 'Show a record and its versions.',
      arguments: [RECORD],
      options: { store: STORE, json: JSON_OUTPUT },
      run: ([id], options, { io }) =>
        withStore(options, io, (store) => show(new Records(store), id, options.json === true, io)),
    }),
    ...BY_HAND,
    renumber: RENUMBER,
    redact: command({
      description: 'Erase the content of all versions of a record permanently, for legal reasons.',
      arguments: [RECORD],
      options: REDACT_OPTIONS,
      run: ([id], options, { io, signal }) => withStore(options, io, (store) => redact(store, id, options, io, signal)),
    }),
  },
};

async function show(records: Records, id: string, asJson: boolean, io: Io): Promise<void> {
  const stored = await records.find(id);
  if (!asJson) {
    showRecord(stored, io);
    for await (const versions of records.versions(id)) for (const version of versions) showVersion(version, io);
    return;
  }
  const versions = (await Array.fromAsync(records.versions(id))).flat();
  const { feedId, position, version, state, record } = stored;
  // schemas/record.schema.json
  printJson(io, { id: stored.id, feed_id: feedId, position, version, state, record, versions });
}

async function redact(
  store: ServiceStore,
  id: string,
  options: ValuesOf<typeof REDACT_OPTIONS>,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  const records = new Records(store);
  const { lift, purge = false } = options;
  if (lift === true && purge) throw new GazetteError('usage', '--purge erases, and --lift does not: pass one of them');
  await records.find(id);
  if (lift === true) {
    const isLifted = await records.lift(id, waitOptions(options, io, signal));
    if (options.json === true) {
      printRedaction(io, { id, result: isLifted ? 'lifted' : 'not_erased', pending: null, beyond: [] });
      return;
    }
    say(io, isLifted ? `imports take ${id} in again; what was erased stays erased` : `${id} is not erased`);
    return;
  }
  const question = `Erase the content of all versions of ${id} permanently?`;
  if (options.yes !== true && !(await confirm(io, question))) throw new GazetteError('aborted', 'nothing was erased');
  const isNew = await records.erase(id, { ...waitOptions(options, io, signal), purge });
  if (isNew) {
    const done = { feed: feedIdOf(id), subject: id };
    await new Editors(store).note({ who: userName(), role: 'operator' }, 'record_redacted', done);
  }
  const { pending, beyond: places } = await records.left({ purge });
  const beyond = ROW_ID.test(id)
    ? [...places, 'its id, which was made of the row: whoever has the store could confirm a guess of the row']
    : places;
  if (options.json === true) {
    printRedaction(io, { id, result: isNew ? 'erased' : 'erased_before', pending: toPending(pending), beyond });
    return;
  }
  say(io, isNew ? `erased the content of ${id}` : `${id} was erased before`);
  if (pending !== null) sayPending(io, pending);
  say(io, 'its content may still be in');
  for (const place of beyond) say(io, `- ${place}`);
}

/** The id of a record whose key was made of its row. */
const ROW_ID = /:[0-9a-f]{24}(?:-[1-9]\d*)?$/;

function toPending(pending: PendingPurge | null): RedactionAnswer['pending'] {
  if (pending === null) return null;
  const { askedAt, parts, failure = null } = pending;
  return { asked_at: askedAt, parts, failure };
}

function printRedaction(io: Io, answer: RedactionAnswer): void {
  printJson(io, answer);
}

function showRecord({ id, feedId, position, version, state, record }: StoredRecord, io: Io): void {
  const { data = {}, ...core } = record ?? { id, feed_id: feedId, position, version };
  printFields(io, [
    ['state', state],
    ...Object.entries(core),
    ...Object.entries(data).map(([name, value]) => [`data.${name}`, value] as const),
  ]);
  io.stdout.write('\n');
}

function showVersion({ version, recorded_at, cause, undoes, changed }: RecordVersion, { stdout }: Io): void {
  const why = undoes === undefined ? cause : `${cause} (takes import ${undoes} back)`;
  stdout.write(`version ${version}  ${recorded_at}  ${why}  ${changed.join(', ')}`.trimEnd() + '\n');
}
