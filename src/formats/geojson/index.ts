// GeoJSON (RFC 7946): one FeatureCollection, a line for each record, with the values that NDJSON has. For whole registers
// whose records say where they are. A lone surrogate keeps its JSON escape.
import { canonicalJson } from '../../register/canonical-json.ts';
import { columnsOf, isCoreField } from '../../register/finding/chosen-fields.ts';
import type { Page } from '../../register/page.ts';
import { geometryReader, isGeometryField, type ReadGeometry } from '../../register/places/readers.ts';
import type { Field, RegisterRecord } from '../../register/record.ts';
import { VERSION } from '../../version.ts';
import { checkCoreFields, jsonText, ownJson } from '../check-value.ts';
import type { DocumentHead, Format, Output, Sink } from '../format.ts';
import type { Report } from '../report.ts';

/**
 * The GeoJSON writer. The geometry of a Feature is that of the record's field `geometry`, or the point of its two numbers;
 * null where it has none, or none on earth. Its properties are the core fields and the register's own ones, by name; the
 * field `geometry` is among them only where the geometry is not all of its value.
 *
 * @throws GazetteError `invalid_record` from `write()`, naming the record and the field
 */
export const geojson: Format = {
  name: 'geojson',
  mediaType: 'application/geo+json',
  extension: 'geojson',
  encoderVersion: VERSION,
  optionNames: [],
  takesFields: true,
  needs: {
    text: 'two fields of numbers, latitude and longitude, or a field geometry of the type json',
    has: ({ fields }) => geometryReader(fields) !== null,
  },
  open: (out, head, options) => new GeojsonSink(out, head, options?.report),
};

class GeojsonSink implements Sink {
  readonly #out: Output;
  readonly #report: Report | undefined;
  readonly #read: ReadGeometry;
  /** Each with the start of its member as text. */
  readonly #columns: readonly { readonly field: Field; readonly start: string }[];
  #isFirst = true;

  constructor(out: Output, { definition, fields }: DocumentHead, report: Report | undefined) {
    this.#out = out;
    this.#report = report;
    this.#read = geometryReader(definition.fields) ?? (() => null);
    this.#columns = columnsOf(definition, fields).map((field) => {
      return { field, start: `${JSON.stringify(field.name)}:` };
    });
    out.text('{"type":"FeatureCollection","features":[');
  }

  write(page: Page): void {
    for (const record of page.records) {
      this.#out.text(`${this.#isFirst ? '\n' : ',\n'}${this.#feature(record)}`);
      this.#isFirst = false;
    }
  }

  close(): void {
    this.#out.text('\n]}\n');
  }

  #feature(record: RegisterRecord): string {
    checkCoreFields(record);
    const place = this.#read(record);
    const geometry = place === null ? 'null' : canonicalJson(place);
    const properties: string[] = [];
    for (const { field, start } of this.#columns) {
      const isGeometry = isGeometryField(field);
      const value = isCoreField(field)
        ? JSON.stringify(record[field.name])
        : isGeometry
          ? jsonText(record, field, record.data.geometry ?? null)
          : ownJson(record, field, this.#report);
      // What has a geometry too is read as one that stands for it.
      if (!isGeometry || (value !== geometry && value !== 'null')) properties.push(start + value);
    }
    const id = JSON.stringify(record.id);
    return `{"type":"Feature","id":${id},"geometry":${geometry},"properties":{${properties.join(',')}}}`;
  }
}
