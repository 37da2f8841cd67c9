// What a proposal says of itself: how many records would come to what, which fields would change, with examples, and what was
// found. It is kept with the proposal as a JSON text, printed by `gazette imports show`, and shown on the desk.
import type { JsonValue } from '../../register/canonical-json.ts';
import { counted } from '../../register/counted.ts';
import { showData } from '../../register/declared-values.ts';
import { STATED_FIELDS } from '../../register/fields.ts';
import { recordKey } from '../../register/identity.ts';
import type { Field, RegisterRecord } from '../../register/record.ts';
import type { ImportCounts } from '../../stores/contract/imports/counts.ts';
import type { Order } from '../../register/sources/order.ts';
import type { PublishedRecord } from '../../stores/contract/prepared-record.ts';
import { changedFields } from '../../stores/rows/published-record.ts';

/** How many examples a proposal has of each thing. */
export const EXAMPLES = 3;

/** How many records a finding names. */
export const NAMED = 1000;

/** How many of the refused records it lists. */
const REFUSED_LISTED = 20;

/** A record that would change in a field. */
export interface FieldExample {
  /** The record's id. */
  readonly record_id: string;
  /** The value that is stored. */
  readonly before: JsonValue;
  /** The value in the file. */
  readonly after: JsonValue;
}

/** How a field would change. */
export interface FieldReport {
  /** The name of a core field, or `data.x`, as `changed` of a version has it. */
  readonly field: string;
  /** In how many records. */
  readonly changed: number;
  /** The first three of them. */
  readonly examples: readonly FieldExample[];
  /** The greatest relative change of a number; null where no number changed into another. */
  readonly largest: (FieldExample & { readonly factor: number }) | null;
}

/** Something that was found in a file. */
export interface ReportedFinding {
  /** What it is: as in {@link ImportOptions.accept}, where it stops. */
  readonly code: string;
  /** Whether it stops the import until somebody says that it is meant. */
  readonly stops: boolean;
  /** A sentence in English, with numbers. */
  readonly message: string;
  /** How the sentence goes on: what can be done on the command line. */
  readonly ways?: string;
  /** Records that it is about, where they are known; a thousand at most. */
  readonly records?: readonly string[];
  /** What the message says, for other languages. Absent: the message alone says it. */
  readonly facts?: {
    /** The numbers of its sentence, by their names. */
    readonly counts: Readonly<Record<string, number>>;
    /** Fields, by their names in `changed` of a version, columns, or ids that it is about. */
    readonly items?: readonly {
      readonly name: string;
      readonly count?: number;
      /** Values, as the file has them. */
      readonly examples?: readonly string[];
    }[];
  };
}

/** What a finding says, without words of a language. */
export type FindingFacts = NonNullable<ReportedFinding['facts']>;

/** What a proposal says of itself. */
export interface ImportReport {
  /** How many records come to what. */
  readonly counts: ImportCounts;
  /** The first three that are new, or live again. */
  readonly added: readonly { readonly record_id: string; readonly title: string }[];
  /** The ids of the first three that are withdrawn. */
  readonly withdrawn: readonly string[];
  /** How many published records are not in the file, and stay, because it need not have all. Absent: none. */
  readonly staying?: number;
  /**
   * Where keys are made of rows: how many of the withdrawn records were compared with the new ones, and how many come anew with other
   * values. What is another is in `fields`. Absent: none.
   */
  readonly corrected?: { readonly compared: number; readonly found: number };
  /** How the file was read. Absent: it is no import of a file, or was carried out. */
  readonly reading?: {
    /** The columns of its first record, two hundred at most, each with the fields that it fills, as changes name them. */
    readonly columns: readonly { readonly name: string; readonly fields: readonly string[] }[];
    /** Fields that are made of several columns, or of none: their rules. */
    readonly rules: readonly string[];
    /** The names of a workbook's sheets, that first which was read; none where there is one. */
    readonly sheets: readonly string[];
    readonly encoding: string | null;
    readonly delimiter: string | null;
    /** The line or row of the header where it was looked for. */
    readonly header_row: number | null;
    readonly date_format: string | null;
    readonly decimal_comma: boolean;
    readonly order: Order;
    /** Whether records that the file lacks are withdrawn. */
    readonly withdraw_missing: boolean;
  };
  /** Those that change most often first. */
  readonly fields: readonly FieldReport[];
  /** The first twenty records that are as somebody set them by hand, and of which the file says something else. Absent: none. */
  readonly by_hand?: readonly {
    readonly record_id: string;
    /** What would become of it, where the file's word is taken. */
    readonly becomes: 'changed' | 'restored' | 'withdrawn';
    /** The fields in which they differ, as {@link FieldReport.field}: what is set, and what the file says. */
    readonly fields: readonly { readonly field: string; readonly before: JsonValue; readonly after: JsonValue }[];
  }[];
  /** The settings of the register that change. Absent: none. */
  readonly settings?: readonly {
    /** A member of the definition, `filterable`, or `finding` and a code. */
    readonly setting: string;
    readonly before: JsonValue;
    readonly after: JsonValue;
  }[];
  /** What was found in the file. */
  readonly findings: readonly ReportedFinding[];
  /** The first of the records that were refused. */
  readonly refused: readonly {
    /** Its place in the file. */
    readonly where: string;
    /** A sentence in English. */
    readonly reason: string;
    /** The field that is wrong, as {@link FieldReport.field}, and the code of the error. */
    readonly field?: string;
    readonly code?: string;
  }[];
}

/** How a file was read. */
export type FileReading = NonNullable<ImportReport['reading']>;

/** A record that was refused. */
export type RefusedRow = ImportReport['refused'][number];

/** A record that somebody set by hand, and what a file says of it. */
export type HandDifference = NonNullable<ImportReport['by_hand']>[number];

/** A setting of a register that changes. */
export type SettingReport = NonNullable<ImportReport['settings']>[number];

/** A record as an example. */
export type RecordExample = ImportReport['added'][number];

/** Collects how fields would change. */
export class FieldReports {
  readonly #fields: readonly Field[];
  readonly #reports = new Map<string, { changed: number; examples: FieldExample[]; largest: FieldReport['largest'] }>();
  /** How many numbers would become others. */
  numbers = 0;
  /** Those that would be ten, a hundred or a thousand times what they are, or such a part: how many in each field, and the first. */
  readonly shifted: { readonly fields: Map<string, number>; readonly examples: FieldExample[] } = {
    fields: new Map<string, number>(),
    examples: [],
  };

  /** @param fields those that the register will have */
  constructor(fields: readonly Field[]) {
    this.#fields = fields;
  }

  /** Counts a record that would change. @returns what is another */
  add(before: PublishedRecord, after: PublishedRecord, changed: readonly string[]): HandDifference['fields'] {
    const differences = valuesIn(this.#fields, [before, after], changed);
    for (const { field: name, before: was, after: is } of differences) {
      const report = this.#reports.get(name) ?? { changed: 0, examples: [], largest: null };
      this.#reports.set(name, report);
      report.changed++;
      const example = { record_id: after.id, before: was, after: is };
      if (report.examples.length < EXAMPLES) report.examples.push(example);
      const factor = name === 'key' ? null : factorOf(was, is);
      if (factor !== null) {
        this.numbers++;
        if (isShift(factor) && hasDigits(was)) {
          this.shifted.fields.set(name, (this.shifted.fields.get(name) ?? 0) + 1);
          if (this.shifted.examples.length < NAMED) this.shifted.examples.push(example);
        }
        if (magnitude(factor) > magnitude(report.largest?.factor ?? 1)) report.largest = { ...example, factor };
      }
    }
    return differences;
  }

  /** The counts, by the names of fields. */
  get counts(): ReadonlyMap<string, number> {
    return new Map([...this.#reports].map(([name, { changed }]) => [name, changed]));
  }

  /** The reports, those of fields that change most often first. */
  list(): readonly FieldReport[] {
    return [...this.#reports]
      .map(([field, report]) => ({ field, ...report }))
      .sort((a, b) => b.changed - a.changed || (a.field < b.field ? -1 : 1));
  }
}

/** Keeps the first refused records. */
export class RefusedList {
  readonly list: RefusedRow[] = [];

  add(row: RefusedRow): void {
    if (this.list.length < REFUSED_LISTED) this.list.push(row);
  }
}

/** What is another in a record, and how. @param before null: all that it says is new */
export function differencesIn(
  fields: readonly Field[],
  before: PublishedRecord | null,
  after: PublishedRecord,
): HandDifference['fields'] {
  if (before !== null) return valuesIn(fields, [before, after], changedFields(before, after, fields));
  const own = Object.keys(showData(fields, after.data)).map((name) => `data.${name}`);
  const all = valuesIn(fields, [after, after], [...STATED_FIELDS, ...own]);
  return all.filter((one) => one.after !== null).map((one) => ({ ...one, before: null }));
}

/** The values of some fields, as two statements show them. */
function valuesIn(
  fields: readonly Field[],
  statements: readonly [before: PublishedRecord, after: PublishedRecord],
  names: readonly string[],
): HandDifference['fields'] {
  const shown = statements.map(({ data }) => showData(fields, data));
  return names.map((field) => {
    const [before, after] = statements.map((statement, at) => valueOf(statement, shown[at]!, field));
    return { field, before: before!, after: after! };
  });
}

function valueOf(statement: PublishedRecord, shown: RegisterRecord['data'], name: string): JsonValue {
  if (name === 'key') return statement.key ?? recordKey(statement.id);
  if (!name.startsWith('data.')) return (statement as unknown as Readonly<Record<string, JsonValue>>)[name] ?? null;
  const own = name.slice('data.'.length);
  return (Object.hasOwn(shown, own) ? shown[own] : statement.data[own]) ?? null;
}

/** How many times the number before the number after is. Null where they are no two numbers, or one is zero. */
function factorOf(before: JsonValue, after: JsonValue): number | null {
  const [was, is] = [before, after].map(numberIn);
  return was === null || is === null || was === 0 || is === 0 ? null : is! / was!;
}

/** A number, or the text of a decimal one. */
function numberIn(value: JsonValue): number | null {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : null;
}

/** How far from equal a factor is. */
function magnitude(factor: number): number {
  return Math.abs(Math.log(Math.abs(factor)));
}

/** Whether a number has two digits at least, zeros at its ends apart: 5 may well become 50. */
function hasDigits(value: JsonValue): boolean {
  const digits = JSON.stringify(value).replaceAll('"', '').replace(/e.*/i, '').replaceAll(/[-.]/g, '');
  return digits.replaceAll(/^0+|0+$/g, '').length > 1;
}

/** Whether a factor is a power of ten up to a thousand, but for the errors of doubles. */
function isShift(factor: number): boolean {
  const power = Math.log10(factor);
  const nearest = Math.round(power);
  return nearest !== 0 && Math.abs(nearest) <= 3 && Math.abs(power - nearest) < 1e-9;
}

/** What is said of corrected rows. Null: there are none. */
export function correctedWords({ corrected }: Pick<ImportReport, 'corrected'>): string | null {
  if (corrected === undefined) return null;
  const { compared, found } = corrected;
  const all = counted(compared, 'withdrawn record');
  return `rows have no key here, so a corrected row is withdrawn and comes anew; of ${all} that ${compared === 1 ? 'was' : 'were'} compared, ${found.toLocaleString('en-US')} ${found === 1 ? 'comes' : 'come'} anew with other values`;
}

/** What may be kept of it until a record is erased: numbers, codes, settings and names of fields, and nothing that a record says. */
export function outlineOf({ counts, fields, findings, staying, corrected, settings }: ImportReport): ImportReport {
  return {
    ...{ counts, added: [], withdrawn: [], refused: [] },
    ...(staying !== undefined && { staying }),
    ...(corrected !== undefined && { corrected }),
    ...(settings !== undefined && { settings }),
    fields: fields.map(({ field, changed }) => ({ field, changed, examples: [], largest: null })),
    findings: findings.map(({ code, stops, facts }) => ({
      ...{ code, stops, message: '' },
      ...(facts !== undefined && { facts: { counts: facts.counts } }),
    })),
  };
}
