// What a person sets of a register: how it is described, which fields filter, and what stops an import. Each change is an import of
// the log, as work by hand is: it can wait for somebody's approval.
import { GazetteError } from '../../errors.ts';
import { FINDING_CODES, type FindingActions, FINDINGS } from '../../import/proposals/finding-codes.ts';
import { keepProposal } from '../../import/proposals/proposing.ts';
import type { SettingReport } from '../../import/proposals/report.ts';
import { canonicalJson, type JsonValue } from '../../register/canonical-json.ts';
import { defineRegister } from '../../register/definition.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import { NO_COUNTS } from '../../stores/contract/imports/counts.ts';
import type { ImportBasis } from '../../stores/contract/imports/log.ts';
import type { RegisterEntry, RegisterStore } from '../../stores/contract/registers.ts';
import { holdRegister } from '../../stores/lease/hold-register.ts';
import { unknownFeed } from '../../stores/rows/register.ts';
import { type ImportDone, proposeOrDo, type UndoOptions } from './imports.ts';

/** The settings of a register. */
export interface ShownSettings {
  readonly title: string;
  readonly description: string;
  readonly language: string | null;
  readonly rights: string | null;
  /** The names of the fields that filter. */
  readonly filterable: readonly string[];
  /** What is done with every finding. */
  readonly findings: Required<FindingActions>;
}

/** The settings of a register as they are. @throws GazetteError `unknown_feed` */
export async function settingsOf(store: RegisterStore, { definition }: RegisterEntry): Promise<ShownSettings> {
  const { findings } = await store.imports.basis(definition.id);
  return shownOf(definition, findings);
}

function shownOf(
  { title, description, language, rights, fields }: RegisterDefinition,
  findings: ImportBasis['findings'],
): ShownSettings {
  const filterable = fields.filter((field) => field.filterable === true).map(({ name }) => name);
  return { title, description, language, rights, filterable, findings: { ...FINDINGS, ...findings } };
}

/**
 * Sets what is given, all of it.
 *
 * @param options.read the settings that were read; others are not overwritten. Default: whatever they are
 * @throws GazetteError `unknown_feed`; `item_changed` for other settings than were read; `invalid_definition`, naming the member;
 *   `invalid_option` where nothing would change; `register_busy`; `aborted`
 */
export async function changeSettings(
  store: RegisterStore,
  feedId: string,
  given: ShownSettings,
  options: UndoOptions & { readonly read?: ShownSettings; readonly now?: () => number },
): Promise<ImportDone> {
  const { now = Date.now, read, who } = options;
  return holdRegister(store, feedId, { ...options, what: 'register update', now }, async (hold) => {
    const entry = await hold.ask(() => store.register(feedId));
    if (entry === null) throw unknownFeed(feedId);
    const { definition } = entry;
    const known = (await hold.ask(() => store.imports.basis(feedId))).findings;
    const before = shownOf(definition, known);
    if (read !== undefined && !isEqual(before, read)) {
      throw new GazetteError('item_changed', `the settings of register ${feedId} are others than were read`);
    }
    const { filterable, findings, ...described } = given;
    const others = definition.fields.map((field) => ({ ...field, filterable: filterable.includes(field.name) }));
    const defined = defineRegister({ ...definition, ...described, fields: others });
    const { fields } = defined;
    const after = shownOf(defined, findings);
    const settings = reportOf(before, after);
    if (settings.length === 0) {
      throw new GazetteError('invalid_option', `register ${feedId} has these settings already`);
    }
    const actions = FINDING_CODES.flatMap((code) => {
      const isDefault = after.findings[code] === FINDINGS[code];
      return isDefault ? [] : [[code, after.findings[code]] as const];
    });
    const { title, description, language, rights } = definition;
    const replaces = { title, description, language, rights, findings: known };
    const hasFields = !isEqual(before.filterable, after.filterable);
    const sets = { ...described, findings: Object.fromEntries(actions), ...(hasFields && { fields }) };
    const what = { kind: 'settings', file: feedId, cause: 'source_change', who } as const;
    return proposeOrDo({ store, feedId, hold, what, now }, options, async (number) => {
      const report = {
        ...{ counts: NO_COUNTS, fields: [], findings: [], refused: [], added: [], withdrawn: [] },
        settings,
      };
      const proposal = await keepProposal({
        ...{ store, hold, number, change: entry.change, unchanged: new Uint8Array(), records: [] },
        settings: {
          ...{ cause: 'source_change', indifferent: [], isWhole: false },
          ...{ fields: definition.fields, sets, replaces },
        },
        report: () => report,
      });
      return { proposal, report };
    });
  });
}

function reportOf(before: ShownSettings, after: ShownSettings): readonly SettingReport[] {
  const listed = ({ findings, ...settings }: ShownSettings): readonly (readonly [string, JsonValue])[] => [
    ...Object.entries(settings),
    ...FINDING_CODES.map((code) => [`finding ${code}`, findings[code]] as const),
  ];
  const others = listed(after);
  return listed(before).flatMap(([setting, was], at) => {
    const is = others[at]![1];
    return isEqual(was, is) ? [] : [{ setting, before: was, after: is }];
  });
}

function isEqual(one: unknown, other: unknown): boolean {
  return canonicalJson(one as JsonValue) === canonicalJson(other as JsonValue);
}
