// What the plan of an import is made of.
import type { FieldType, RegisterDefinition } from '../../register/record.ts';
import type { RawValue, RecordReader } from '../readers/raw-record.ts';
import type { IgnoredColumns } from '../rows/ignored-columns.ts';
import type { FoundField } from './columns.ts';
import type { MappingRule } from './mapping.ts';
import type { TextForms } from './text-forms.ts';

/** What a plan is made of. */
export interface PlanOptions {
  /** The file. */
  readonly reader: RecordReader;
  /** The rules, with their targets as `resolveTargets()` gives them. */
  readonly rules: readonly MappingRule[];
  /** The register; without fields where these are found. */
  readonly definition: RegisterDefinition;
  /**
   * The fields that were found in the file before; `while reading`: every property that no core field takes becomes one,
   * and `found()` of the plan has them after the last record. Default: those of the definition.
   */
  readonly fields?: readonly FoundField[] | 'while reading';
  /** In how many records fields were found; null, the default: in all. */
  readonly sampled?: number | null;
  /** Types of fields that are found, by the name of the field or of the property. */
  readonly types?: ReadonlyMap<string, FieldType>;
  /** The same where {@link types} says nothing, of columns that the file need not have. */
  readonly describedTypes?: ReadonlyMap<string, FieldType>;
  /** Whether the types of found fields depend on texts. Default true. */
  readonly readsTexts?: boolean;
  /** The `observed_at` of every record without its own. Default null: each has one. */
  readonly observedAt?: string | null;
  /** Whether a field may also come from the property of its label, as those do that were found in a file. Default false. */
  readonly takesLabels?: boolean;
  /** How amounts and dates are written. Default: as in JSON and RFC 3339. */
  readonly forms?: TextForms;
  /** With which the keys of rows are made, null without a secret. Default: a rule or the property `id` has the keys. */
  readonly rowSecret?: Uint8Array | null | undefined;
  /** The columns that are not taken in. Default: none. */
  readonly ignored?: IgnoredColumns;
  /** The file's first records: objects that all of them have are columns in columns. Default: none are. */
  readonly sample?: readonly RawValue[];
}
