// What a guess is told, and what it says.
import type { FieldType, RegisterDefinition, RegisterRecord } from '../../register/record.ts';
import type { Order } from '../../register/sources/order.ts';
import type { MappingRule } from '../mapping/mapping.ts';
import type { TextFormOptions } from '../mapping/text-forms.ts';
import type { ReaderNote } from '../readers/reader-note.ts';

/** Options of a guess: what the caller says is not guessed. */
export interface GuessOptions extends TextFormOptions {
  /** The id of the register. It need not exist. */
  readonly feedId: string;
  /** The sources of fields that are known. */
  readonly mapping?: readonly MappingRule[];
  /** The core fields that no column fills, whatever columns look like. */
  readonly without?: readonly string[];
  /** The types of fields that are known, by the name of the field or of the publisher's property. */
  readonly types?: ReadonlyMap<string, FieldType>;
  /** `row`: no column identifies a record. */
  readonly key?: 'row';
  /** The names of columns that are not taken in. */
  readonly ignore?: readonly string[];
  /** The order that is known. */
  readonly order?: Order;
  /** The clock, in milliseconds since 1970. Default `Date.now`: when the shown records would be observed. */
  readonly now?: () => number;
  /** Stops the reading; it then throws `aborted`. */
  readonly signal?: AbortSignal;
}

/** What was guessed. */
export interface ImportGuess {
  /** `FIELD=SOURCE`, each for one `--map`; `parseMapping()` reads them. */
  readonly map: readonly string[];
  /** `row` where no column and no few columns tell the records apart: see `key` of `ImportOptions`. */
  readonly key: 'row' | null;
  /** A definition with the fields that the file has besides the core ones. */
  readonly definition: RegisterDefinition;
  /** The form of dates; null where they are RFC 3339, or no form is certain. */
  readonly dateFormat: string | null;
  /** Whether amounts have a decimal comma. */
  readonly decimalComma: boolean;
  /** Which end of the file is the newest, or that it should be sorted by date. */
  readonly order: Order;
  /** The columns of the file, and how each is used. */
  readonly columns: readonly {
    /** The publisher's name. */
    readonly name: string;
    /** What it fills: a core field, or `data.` and the name of a field of the definition; null: nothing. */
    readonly field: string | null;
    /** The type that all of its values fit. */
    readonly type: FieldType;
    /** In how many records it has a value. */
    readonly filled: number;
    /** Whether every record has a value, and no two have the same; of columns that were compared to the end. */
    readonly isUnique: boolean;
  }[];
  /** How many records the file has. */
  readonly records: number;
  /** How many of them an import with this guess would refuse. */
  readonly refused: number;
  /** The first records as they would be published, of those that would not be refused: at most three. */
  readonly first: readonly RegisterRecord[];
  /** What a person should look at, in sentences. */
  readonly remarks: readonly string[];
  /** What the reader found by itself: encoding, delimiter, header. */
  readonly found: readonly ReaderNote[];
}
