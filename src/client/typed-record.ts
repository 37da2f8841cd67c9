// Records whose own fields have the types that a definition declares.
import type { JsonValue } from '../register/canonical-json.ts';
import type { FieldType, RegisterRecord } from '../register/record.ts';

/**
 * A record of a register with this definition, which is written `as const`: each own field is in `data`, null where the
 * record has no value.
 *
 * @example type Permit = RecordOf<typeof permits>; // Permit['data']['area']: number | null
 */
export type RecordOf<Definition> = Definition extends {
  readonly fields: readonly (infer Own extends { readonly name: string; readonly type: FieldType })[];
}
  ? Omit<RegisterRecord, 'data'> & {
      readonly data: {
        readonly [One in Own as One['name']]: One['type'] extends 'json'
          ? JsonValue
          : One['type'] extends 'boolean'
            ? boolean | null
            : (One['type'] extends 'number' ? number : One['type'] extends 'integer' ? number | string : string) | null;
      };
    }
  : RegisterRecord;
