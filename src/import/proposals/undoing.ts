// Takes an import back: what it added is withdrawn, what it changed gets the content before, what it withdrew is restored. A record
// that has changed since is left as it is, and named.
import { type ImportCounts, NO_COUNTS } from '../../stores/contract/imports/counts.ts';
import type { MadeVersion, NewImport } from '../../stores/contract/imports/log.ts';
import type { FoundRecord } from '../../stores/contract/record-keys.ts';
import { BATCH_SIZE, type RegisterEntry, type RegisterStore } from '../../stores/contract/registers.ts';
import { PreparedRecord, type PublishedRecord } from '../../stores/contract/prepared-record.ts';
import { canonicalStatement } from '../../stores/rows/published-record.ts';
import type { HeldRegister } from '../../stores/lease/held-register.ts';
import { CONTENT_AT, columnTextOrNull } from '../../stores/rows/columns.ts';
import { prepareRecord, statedIn } from '../../stores/rows/prepare.ts';
import { counted } from '../../register/counted.ts';
import { showValue, statedValue } from '../../register/declared-values.ts';
import type { Field } from '../../register/record.ts';
import { settingReports, type SettingsBack, settingsBack } from './undone-settings.ts';
import { changedFields } from '../../stores/rows/published-record.ts';
import { keyOf, movesInBatches, type NewKeyOf, takenKeys } from './new-keys.ts';
import { keepProposal } from './proposing.ts';
import { exampleOf } from './comparison.ts';
import {
  EXAMPLES,
  FieldReports,
  type ImportReport,
  NAMED,
  type RecordExample,
  type ReportedFinding,
} from './report.ts';
import type { NewProposal, ProposedRecord } from '../../stores/contract/imports/proposals.ts';

/** An undo. */
export interface Undo {
  readonly store: RegisterStore;
  readonly hold: HeldRegister;
  readonly entry: RegisterEntry;
  /** The import that is taken back. */
  readonly undone: number;
  /** The number of the undo itself. */
  readonly number: number;
  /** `renumbered` where the import gave other keys, which are given back; then nothing else of the records changes. */
  readonly cause: NewImport['cause'];
  readonly signal?: AbortSignal | undefined;
}

/** What becomes of a record when its version is taken back. */
type Fate =
  | { readonly kind: 'states'; readonly record: PreparedRecord }
  | { readonly kind: 'withdrawn' }
  /** It is left as it is: it has changed since, unless it was taken back before. */
  | { readonly kind: 'left'; readonly isNamed: boolean };

/** Keeps what takes an import back as a proposal. */
export async function proposeUndo(undo: Undo): Promise<{
  readonly proposal: Omit<NewProposal, 'fileDigest'>;
  readonly report: ImportReport;
}> {
  const { store, hold, entry, number, cause, signal } = undo;
  const { definition, top, change } = entry;
  const fields = new FieldReports(definition.fields);
  const left: string[] = [];
  const keysTaken: string[] = [];
  const [restored, gone]: [RecordExample[], string[]] = [[], []];
  let changedSince = 0;
  const counts: { -readonly [K in keyof ImportCounts]: number } = { ...NO_COUNTS };
  const unchanged = new Uint8Array((top >> 3) + 1);
  let back: SettingsBack = { sets: {}, replaces: {}, staying: [] };
  const taken = cause === 'renumbered' ? await takenBack(undo) : new Map<string, FoundRecord>();
  const moves: (NewKeyOf & { readonly record: PreparedRecord })[] = [];
  const records = async function* (): AsyncGenerator<readonly ProposedRecord[], void, undefined> {
    for await (const versions of versionsOf(undo)) {
      const [stated, withdrawn]: [ProposedRecord[], ProposedRecord[]] = [[], []];
      for (const version of versions) {
        const holder = taken.get(version.id);
        if (holder !== undefined && keysTaken.length < NAMED) keysTaken.push(version.id);
        const fate = fateOf(version, holder !== undefined, definition.fields);
        if (fate.kind === 'left') {
          counts.unchanged++;
          unchanged[version.position >> 3]! |= 1 << (version.position & 7);
          if (fate.isNamed && changedSince++ < NAMED) left.push(version.id);
        } else if (fate.kind === 'states') {
          if (cause === 'renumbered') {
            const [from, to] = [version.now!, statedIn(fate.record)].map(keyOf);
            moves.push({ record: fate.record, from: from!, to: to!, at: moves.length });
          } else stated.push({ id: version.id, record: fate.record });
          if (version.state === 'live') {
            counts.changed++;
            const before = statedIn(fate.record);
            fields.add(version.now!, before, changedFields(version.now!, before, definition.fields));
          } else {
            counts.restored++;
            if (restored.length < EXAMPLES) restored.push(exampleOf(fate.record));
          }
        } else {
          withdrawn.push({ id: version.id, record: null });
          counts.withdrawn++;
          if (gone.length < EXAMPLES) gone.push(version.id);
        }
      }
      if (stated.length > 0) yield stated;
      if (withdrawn.length > 0) yield withdrawn;
    }
    for (const batch of movesInBatches(moves)) yield batch.map(({ record }) => ({ id: record.id, record }));
  };
  let report: ImportReport | undefined;
  const proposal = await keepProposal({
    ...{ store, hold, number, change, unchanged, signal, records: records() },
    settings: async () => {
      back = await settingsBack(undo);
      const { sets, replaces } = back;
      // Whatever records come before it is approved may need the fields.
      return { cause, indifferent: [], fields: definition.fields, isWhole: sets.fields !== undefined, sets, replaces };
    },
    report: async () => {
      const findings: ReportedFinding[] = [];
      if (changedSince > 0) {
        const stay =
          changedSince === 1 ? 'has changed since, and stays as it is' : 'have changed since, and stay as they are';
        const message = `${counted(changedSince, 'record')} ${stay}`;
        const facts = { counts: { count: changedSince } };
        findings.push({ code: 'changed-since', stops: false, message, records: left, facts });
      }
      if (taken.size > 0) {
        const [have, are] = taken.size === 1 ? ['has a key', 'is'] : ['have keys', 'are'];
        const message = `${counted(taken.size, 'record')} ${have} that cannot be given back, because the one before ${are} that of another record by now`;
        const facts = { counts: { count: taken.size } };
        findings.push({ code: 'key-taken', stops: false, message, records: keysTaken, facts });
      }
      const purchases = counts.withdrawn === 0 ? 0 : await store.imports.soldOf(number);
      if (purchases > 0) {
        const message = `records that it withdraws were bought: ${counted(purchases, 'purchase')}`;
        findings.push({ code: 'purchased', stops: false, message, facts: { counts: { count: purchases } } });
      }
      if (back.staying.length > 0) {
        const names = back.staying.map((name) => ({ name }));
        const message = `of what it set of the register stays what was set otherwise since, or what records need that came since: ${back.staying.join(', ')}`;
        findings.push({ code: 'settings-stay', stops: false, message, facts: { counts: {}, items: names } });
      }
      const settings = settingReports(back.replaces, back.sets);
      report = { counts, fields: fields.list(), findings, refused: [], added: restored, withdrawn: gone, settings };
      return report;
    },
  });
  return { proposal, report: report! };
}

async function* versionsOf({
  store,
  hold,
  entry,
  undone,
}: Undo): AsyncGenerator<readonly MadeVersion[], void, undefined> {
  for (let after = 0; ;) {
    const range = { after, limit: BATCH_SIZE };
    const versions = await hold.ask(() => store.imports.made(entry.definition.id, undone, range));
    if (versions.length === 0) return;
    after = versions.at(-1)!.change;
    yield versions;
  }
}

/** The keys that cannot be given back, because others have them now, by the ids of the records. */
async function takenBack(undo: Undo): Promise<ReadonlyMap<string, FoundRecord>> {
  const keys = new Map<string, string>();
  for await (const versions of versionsOf(undo)) {
    for (const version of versions) {
      const fate = fateOf(version, false, undo.entry.definition.fields);
      if (fate.kind === 'states') keys.set(version.id, keyOf(statedIn(fate.record)));
    }
  }
  return takenKeys({ ...undo, feedId: undo.entry.definition.id }, keys);
}

/**
 * @param isTaken whether another record has the key that it had before
 * @param fields of the register: they may be others than those for which what it stated before was checked
 */
function fateOf(version: MadeVersion, isTaken: boolean, fields: readonly Field[]): Fate {
  const { wasLive, before, isTakenBack, cause, now } = version;
  if (isTaken) return { kind: 'left', isNamed: false };
  if (!isStill(version)) return { kind: 'left', isNamed: !isTakenBack };
  if (!wasLive) return { kind: 'withdrawn' };
  // What was erased cannot be had again.
  if (before !== null && cause === 'renumbered')
    return { kind: 'states', record: prepareRecord({ ...now!, key: statedIn(before).key ?? null }) };
  if (before === null || !fits(before, fields)) return { kind: 'left', isNamed: true };
  return { kind: 'states', record: keepsKey(before, now) };
}

function fits(record: PreparedRecord, fields: readonly Field[]): boolean {
  const { data } = statedIn(record);
  return fields.every((field) => showValue(field, statedValue(field, data)) !== undefined);
}

/** Whether a record is still what the import made of it: its key, or all else. */
function isStill({ cause, state, made, now }: MadeVersion): boolean {
  if (cause === 'withdrawn') return state === 'withdrawn';
  if (state !== 'live' || made === null || now === null) return false;
  if (cause === 'renumbered') return made.key === now.key;
  return canonicalStatement({ ...made, key: null }) === canonicalStatement({ ...now, key: null });
}

/** What is put back, with the key that the record has now. */
function keepsKey(before: PreparedRecord, now: PublishedRecord | null): PreparedRecord {
  const key = columnTextOrNull(now?.key ?? null);
  if (before.values[CONTENT_AT.key] === key) return before;
  const { id, values, data } = before;
  return new PreparedRecord({ id, values: values.with(CONTENT_AT.key, key), data });
}
