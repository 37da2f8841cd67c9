// Records with some of their fields: the elements that were asked for, in the order of the schema.
import { isCoreField } from '../../register/finding/chosen-fields.ts';
import type { Field, RegisterRecord } from '../../register/record.ts';
import { checkContentType, checkCoreFields, checkText, checkTime, checkUrl, fieldText } from '../check-value.ts';
import { numberText } from '../number-text.ts';
import { escapeAttribute, escapeText } from './text.ts';
import type { XmlWriter } from './writer.ts';

/** The fields that were asked for. */
export interface ChosenElements {
  readonly hasPosition: boolean;
  readonly hasVersion: boolean;
  /** The fields that have an element, with the markup around it. */
  readonly elements: readonly { readonly field: Field; readonly open: string; readonly close: string }[];
}

/** Writes a record. @throws GazetteError `invalid_record`, naming the record and the field */
export function writeChosen(record: RegisterRecord, chosen: ChosenElements, xml: XmlWriter): void {
  checkCoreFields(record);
  const { position, version } = record;
  xml.text('<record id="');
  xml.escaped(record.id, escapeAttribute);
  if (chosen.hasPosition && position !== null) xml.text(`" position="${numberText(position)}`);
  if (chosen.hasVersion) xml.text(`" version="${numberText(version)}`);
  xml.text('">\n');
  for (const { field, open, close } of chosen.elements) {
    const text = isCoreField(field) ? coreText(record, field) : fieldText(record, field);
    if (text === null) continue;
    xml.text(open);
    xml.escaped(text, escapeText);
    xml.text(close);
  }
  xml.text('</record>\n');
}

function coreText(
  record: RegisterRecord,
  { name, type }: Field & { readonly name: keyof RegisterRecord },
): string | null {
  const value = record[name];
  if (value === null) return null;
  if (name === 'content_type') return checkContentType(record);
  if (type === 'datetime') return checkTime(record, name, value);
  return type === 'url' ? checkUrl(record, name, value) : checkText(record, name, value);
}
