// The reference XML writer, on xmlbuilder2 (optional peer): the native writer's document, byte for byte. It builds one
// small tree per record, which keeps memory flat; the package's own streaming interface takes many times as long.
import { create } from 'xmlbuilder2';
import type { Page } from '../../register/page.ts';
import { columnsOf } from '../../register/finding/chosen-fields.ts';
import type { Field, RegisterRecord } from '../../register/record.ts';
import { checkCoreFields, CORE_CHECKS, coreText, fieldText } from '../check-value.ts';
import type { DocumentHead, Format, FormatOptions, Output, Sink } from '../format.ts';
import { replaceForbidden } from '../xml/text.ts';
import { XmlWriter } from '../xml/writer.ts';
import {
  MARKED_TYPES,
  RECORD_ATTRIBUTES,
  registerAttributes,
  REGISTER_NAMESPACE,
  ROOT_ELEMENT,
  xml,
} from '../xml/xml.ts';

/** Options passed to the package; the layout of a document is not one of them. */
const WRITER_OPTIONS = { headless: true, allowEmptyTags: true } as const;

/**
 * The XML writer on xmlbuilder2.
 *
 * @throws GazetteError as the native writer does.
 */
export const referenceXml: Format = {
  ...xml,
  encoderVersion: null,
  open: (out, head, options) => new ReferenceXmlSink(out, head, options),
};

class ReferenceXmlSink implements Sink {
  readonly #fields: readonly Field[];
  readonly #isChosen: (name: string) => boolean;
  readonly #xml: XmlWriter;

  constructor(out: Output, head: DocumentHead, options: FormatOptions | undefined) {
    const chosen =
      head.fields === undefined ? null : new Set(columnsOf(head.definition, head.fields).map(({ name }) => name));
    this.#isChosen = (name) => chosen === null || chosen.has(name);
    this.#fields = head.definition.fields.filter(({ name }) => this.#isChosen(name));
    this.#xml = new XmlWriter(out, options?.report);
    const root = create({ encoding: 'UTF-8' }).ele(ROOT_ELEMENT, { xmlns: REGISTER_NAMESPACE });
    for (const [name, value] of registerAttributes(head)) {
      if (value !== null) root.att(name, attribute(value));
    }
    const empty = root.doc().end({ allowEmptyTags: true });
    // The empty document is split between the root's tags, where the records go.
    this.#write(breakLine(empty.slice(0, -`</${ROOT_ELEMENT}>`.length)), null);
  }

  write(page: Page): void {
    for (const record of page.records) this.#write(this.#record(record), record.id);
  }

  close(): void {
    this.#xml.text(`</${ROOT_ELEMENT}>\n`);
  }

  #write(markup: string, recordId: string | null): void {
    const clean = replaceForbidden(markup, this.#xml);
    if (!clean.isWellFormed()) this.#xml.isReplaced = true;
    this.#xml.text(`${clean}\n`);
    this.#xml.end(recordId);
  }

  #record(record: RegisterRecord): string {
    checkCoreFields(record);
    const element = create().ele('record', { id: attribute(record.id) });
    if (record.position !== null && this.#isChosen('position')) element.att('position', String(record.position));
    if (this.#isChosen('version')) element.att('version', String(record.version));
    element.txt('\n');
    const add = (name: string, value: string | null, type?: string): void => {
      if (value === null) return;
      element.ele(name, type === undefined ? {} : { type }).txt(text(value));
      element.txt('\n');
    };
    const mark = ({ type }: Pick<Field, 'type'>): string | undefined => (MARKED_TYPES.has(type) ? type : undefined);
    for (const core of CORE_CHECKS) {
      if (RECORD_ATTRIBUTES.has(core.name) || !this.#isChosen(core.name)) continue;
      add(core.name, coreText(record, core, record[core.name]), mark(core));
    }
    for (const field of this.#fields) add(field.name, fieldText(record, field), mark(field));
    return element.toString(WRITER_OPTIONS);
  }
}

/** The package takes `&lt;` in a text for an entity and has no reference for CR, so both are escaped beforehand. */
function text(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('\r', '&#13;');
}

function attribute(value: string): string {
  return text(value).replaceAll('\t', '&#9;').replaceAll('\n', '&#10;');
}

/** Puts the XML declaration on its own line. */
function breakLine(start: string): string {
  return start.replace('?><', '?>\n<');
}
