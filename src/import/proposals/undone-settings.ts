// What an undo puts back of the register itself: what is still as the import set it, and what no record needs.
import { canonicalJson, type JsonValue } from '../../register/canonical-json.ts';
import { showData, statementNames } from '../../register/declared-values.ts';
import type { Field } from '../../register/record.ts';
import type { ProposedSettings } from '../../stores/contract/imports/proposals.ts';
import type { RegisterSettings } from '../../stores/contract/imports/settings.ts';
import type { PublishedRecord } from '../../stores/contract/prepared-record.ts';
import { BATCH_SIZE, type RegisterEntry, type RegisterStore } from '../../stores/contract/registers.ts';
import type { HeldRegister } from '../../stores/lease/held-register.ts';
import { FINDING_CODES, FINDINGS } from './finding-codes.ts';
import type { SettingReport } from './report.ts';
import { textOf } from '../../value-text.ts';

/** An undo. */
interface Undo {
  readonly store: RegisterStore;
  readonly hold: HeldRegister;
  readonly entry: RegisterEntry;
  /** The import that is taken back. */
  readonly undone: number;
  /** The number of the undo itself. */
  readonly number: number;
}

/** What is put back of the register itself. */
export interface SettingsBack extends Pick<ProposedSettings, 'sets' | 'replaces'> {
  /** The names of those that stay, because they were set otherwise since, or records need them. */
  readonly staying: readonly string[];
}

/** Finds what is still as the import set it. Called when all records of the undo were kept: what others need is known then. */
export async function settingsBack(undo: Undo): Promise<SettingsBack> {
  const { store, hold, entry, undone } = undo;
  const { before, after, now } = await hold.ask(() => store.imports.proposals.replaced(entry.definition.id, undone));
  const isSame = (name: string, one: object, other: object): boolean =>
    canonicalJson(pick(one, name)) === canonicalJson(pick(other, name));
  const changed = Object.keys(after).filter((name) => !isSame(name, now, before));
  const areFieldsNeeded = changed.includes('fields') && (await areNeeded(undo, after.fields!, before.fields!));
  const isStill = (name: string): boolean => isSame(name, now, after) && !(name === 'fields' && areFieldsNeeded);
  const still = changed.filter(isStill);
  return {
    sets: pick(before, ...still),
    replaces: pick(after, ...still),
    staying: changed.filter((name) => !isStill(name)),
  };
}

function pick(all: object, ...names: readonly string[]): Record<string, JsonValue> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
}

/** Whether records that stay as they are would show other values by the fields of before. */
async function areNeeded(
  { store, hold, entry, undone, number }: Undo,
  fields: readonly Field[],
  before: readonly Field[],
): Promise<boolean> {
  const shown = (each: readonly Field[], { data }: PublishedRecord): string =>
    canonicalJson(Object.fromEntries(Object.entries(showData(each, data)).filter(([, value]) => value !== null)));
  for (let after = 0; ;) {
    const range = { undo: number, after, limit: BATCH_SIZE };
    const live = await hold.ask(() => store.imports.changedSince(entry.definition.id, undone, range));
    if (live.length === 0) return false;
    if (live.some(({ now }) => shown(fields, now!) !== shown(before, now!))) return true;
    after = live.at(-1)!.change;
  }
}

/** What is said of settings that are put back. */
export function settingReports(
  before: Partial<RegisterSettings>,
  after: Partial<RegisterSettings>,
): readonly SettingReport[] {
  const [others, own] = [after, before].map((all) => new Map(Object.entries(all).flatMap(toldOf)));
  return [...own!].flatMap(([setting, was]) => {
    const is = others!.get(setting) ?? null;
    return canonicalJson(was) === canonicalJson(is) ? [] : [{ setting, before: was, after: is }];
  });
}

/** A setting as it is told, or several. */
function toldOf([name, value]: readonly [string, unknown]): readonly (readonly [setting: string, value: JsonValue])[] {
  if (name === 'findings') {
    const actions = value as RegisterSettings['findings'];
    return FINDING_CODES.map((code) => [`finding ${code}`, actions[code] ?? FINDINGS[code]] as const);
  }
  if (name === 'fields') {
    const fields = value as readonly Field[];
    const filterable = fields.filter((field) => field.filterable === true).map((field) => field.name);
    return [
      ['fields', fields.flatMap(statementNames)],
      ['filterable', filterable],
    ];
  }
  if (name !== 'reading') return [[name, value as JsonValue]];
  const said = Object.entries(JSON.parse((value as string | null) ?? '{}') as Record<string, JsonValue>);
  return [[name, said.flatMap(([option, is]) => [is].flat().map((one) => `${option}: ${textOf(one)}`))]];
}
