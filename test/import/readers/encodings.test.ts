// Text in whatever encoding a publisher's program writes: found where that can be told, refused with its place where it
// cannot, read as the caller says.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvReader } from '../../../src/import/readers/csv.ts';
import { jsonReader } from '../../../src/import/readers/json.ts';
import { ndjsonReader } from '../../../src/import/readers/ndjson.ts';
import type { RecordReader } from '../../../src/import/readers/raw-record.ts';
import { tries } from '../../effort.ts';
import { readAll, source, valuesOf } from '../sources.ts';
import { encoded } from './encoded.ts';

const TEXT = 'Straße,Gebühr\r\nÄußere Löwenstraße,„12 €“\r\n';
const VALUE = [{ Straße: 'Äußere Löwenstraße', Gebühr: '„12 €“' }];

/** The bytes 80 to 9F of Windows-1252 that a text here uses. */
const C1: Readonly<Record<string, number>> = { '€': 0x80, '„': 0x84, '“': 0x93, '–': 0x96 };

const windows1252 = (text: string): Uint8Array => Uint8Array.from(text, (unit) => C1[unit] ?? unit.charCodeAt(0));
const utf16be = (text: string): Uint8Array => Buffer.from(text, 'utf16le').swap16();

const POLISH = 'Łąka Kałuża Brzeźno Święta Chełm Rzeżycko Wałbrzych Gołdap Pszczółki Dzierżoniów';
const CZECH = 'Město Středočeský Příbram Vysočina Třebíč Liberec Šumperk Zdětín Břeclav Domažlice Hřensko';
const HUNGARIAN = 'Győr Mezőkövesd Kecskemét Gyöngyös Fertőd Szegvár Debrecen Békéscsaba Körmend Gyűrűs Csurgó';
const SPANISH = 'Málaga Logroño Cáceres Córdoba Cataluña Guipúzcoa Jaén Castellón Alcañiz Éibar Ceuñas Mérida';
const GERMAN = 'Würde Löwe Bär Straße Größe Füße Käse Tür Höhle Nähe Köln München Göttingen';
const NORDIC = 'Sørøya Tromsø Røros Malmö Århus Grønland Bodø Førde Værøy Kåfjord Håbo Sjælland Bjørn';
const FRENCH = 'Forêt Orléans Besançon Compiègne Nîmes Angoulême Drôme Isère Ardèche Lozère Nièvre Corrèze';

const notesOf = (reader: RecordReader): string[] => reader.notes?.().map(({ message }) => message) ?? [];

async function refusal(reader: RecordReader): Promise<string> {
  try {
    await readAll(reader);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}

describe('a text is read in the encoding that it has', () => {
  it.each<[string, Uint8Array, string | null]>([
    ['UTF-8', Buffer.from(TEXT), null],
    ['UTF-8 with a byte-order mark', Buffer.from(`\ufeff${TEXT}`), null],
    ['UTF-16LE with a byte-order mark', Buffer.from(`\ufeff${TEXT}`, 'utf16le'), 'UTF-16LE'],
    ['UTF-16BE with a byte-order mark', utf16be(`\ufeff${TEXT}`), 'UTF-16BE'],
    ['UTF-16LE without', Buffer.from(TEXT, 'utf16le'), 'UTF-16LE'],
    ['UTF-16BE without', utf16be(TEXT), 'UTF-16BE'],
    ['Windows-1252', windows1252(TEXT), 'read as Windows-1252: "Straße" in line 1'],
  ])('%s', async (_, bytes, note) => {
    for (const size of [undefined, 7, 1]) {
      const reader = csvReader(source(bytes, size));
      expect(await valuesOf(reader)).toEqual(VALUE);
      expect(notesOf(reader)).toEqual(note === null ? [] : [expect.stringContaining(note)]);
    }
  });

  it.each([
    ['windows-1250', 'Windows-1250', 'Łąka', POLISH],
    ['iso-8859-2', 'ISO-8859-2', 'Łąka', POLISH],
    ['windows-1250', 'Windows-1250', 'Město', CZECH],
    ['iso-8859-2', 'ISO-8859-2', 'Město', CZECH],
    ['windows-1250', 'Windows-1250', 'Győr', HUNGARIAN],
    ['windows-1252', 'Windows-1252', 'Málaga', SPANISH],
    ['windows-1252', 'Windows-1252', 'Würde', GERMAN],
    ['windows-1252', 'Windows-1252', 'Sørøya', NORDIC],
    ['windows-1252', 'Windows-1252', 'Forêt', FRENCH],
  ])('%s, known by its letters (%s: "%s")', async (encoding, name, word, words) => {
    const lines = ['name,n', ...words.split(' ').map((one, index) => `${one},${index}`)];
    const bytes = encoded(encoding, `${lines.join('\n')}\n`);
    for (const size of [undefined, 7]) {
      const reader = csvReader(source(bytes, size));
      expect((await valuesOf(reader)).map((value) => (value as { name: string }).name).join(' ')).toBe(words);
      const message: unknown = expect.stringContaining(`read as ${name}: "${word}" in line 2`);
      expect(reader.notes?.()).toEqual([{ code: 'encoding', message, encoding }]);
    }
  });

  it('in JSON and NDJSON as in CSV', async () => {
    const line = '{"a":"Gebühr"}';
    for (const bytes of [
      Buffer.from(line),
      windows1252(line),
      Buffer.from(line, 'utf16le'),
      utf16be(`\ufeff${line}`),
    ]) {
      expect(await valuesOf(ndjsonReader(source(bytes)))).toEqual([{ a: 'Gebühr' }]);
    }
    const document = jsonReader(source(windows1252(`[${line}]`)));
    expect(await valuesOf(document)).toEqual([{ a: 'Gebühr' }]);
    expect(notesOf(document)).toEqual([expect.stringContaining('"Gebühr" in line 1')]);
  });

  it('although the first character that tells comes megabytes behind', async () => {
    const lines = 'abcdefghij,k\n'.repeat(200_000);
    for (const [bytes, noted] of [
      [Buffer.from(`a,b\n${lines}ü,é\n`), 0],
      [windows1252(`a,b\n${lines}ü,é\n`), 1],
    ] as const) {
      const reader = csvReader(source(bytes));
      expect((await valuesOf(reader)).at(-1)).toEqual({ a: 'ü', b: 'é' });
      expect(notesOf(reader)).toHaveLength(noted);
      if (noted === 1) expect(notesOf(reader)[0]).toContain('in line 200002');
    }
  });

  it('as the caller says, under all its names', async () => {
    const polish = Uint8Array.from([0x61, 0x0a, 0xa3, 0xf3, 0x64, 0x9f, 0x0a]);
    expect(await valuesOf(csvReader(source(polish), { encoding: 'windows-1250' }))).toEqual([{ a: 'Łódź' }]);
    for (const encoding of ['latin1', 'latin-1', 'ISO-8859-1', 'cp1252']) {
      expect(await valuesOf(csvReader(source(windows1252('a\n€\n')), { encoding }))).toEqual([{ a: '€' }]);
    }
    const russian = Uint8Array.from([0x61, 0x0a, 0xcc, 0xce, 0x0a]);
    expect(await valuesOf(csvReader(source(russian), { encoding: 'koi8-r' }))).toEqual([{ a: 'лн' }]);
    const marked = csvReader(source(utf16be(`\ufeff${TEXT}`), 3), { encoding: 'utf-16' });
    expect(await valuesOf(marked)).toEqual(VALUE);
    expect(notesOf(marked)).toEqual([]);
  });

  it('whatever the text and wherever its bytes are cut', async () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'é', ' ', 'ß', '€', '„', '“', ';', 'Z', 'ü', '"') });
    const text = fc.array(letters, { minLength: 1, maxLength: 20 });
    const encodings = fc.constantFrom(
      ['utf-8', (all: string) => Buffer.from(all)] as const,
      ['utf-16le', (all: string) => Buffer.from(`\ufeff${all}`, 'utf16le')] as const,
      ['windows-1252', windows1252] as const,
    );
    await fc.assert(
      fc.asyncProperty(text, encodings, fc.integer({ min: 1, max: 9 }), async (values, [name, encode], size) => {
        const bytes = encode(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
        expect(await valuesOf(ndjsonReader(source(bytes, size), { encoding: name }))).toEqual(values);
      }),
      { numRuns: tries(100) },
    );
  });
});

describe('bytes that are no text', () => {
  const broken = (before: string, byte: number, after: string): Buffer =>
    Buffer.concat([Buffer.from(before), Buffer.from([byte]), Buffer.from(after)]);

  it.each([
    ['CSV', broken('a,b\nGebühr,1\nStraße,2\nx,', 0xfc, '\nz,3\n'), csvReader, 'line 4, column "b"'],
    ['CSV with CR', broken('a,b\rGebühr,1\rStraße,2\rx,', 0xfc, '\rz,3\r'), csvReader, 'line 4, column "b"'],
    ['CSV with all line ends', broken('a,b\r\nGebühr,1\rStraße,2\nx,', 0xfc, '\nz,3'), csvReader, 'line 4, column "b"'],
    ['NDJSON', broken('{"a":"ü"}\n{"a":"é"}\n{"a":"', 0xfc, '"}\n{"a":"z"}\n'), ndjsonReader, 'line 3'],
    ['JSON', broken('[{"a":"ü"},{"a":"é"},{"a":"', 0xfc, '"},{"a":"z"}]'), jsonReader, '[2]'],
  ] as const)('are a fault of one record: %s', async (_, bytes, read, place) => {
    for (const size of [undefined, 3]) {
      expect(await refusal(read(source(bytes, size)))).toBe(
        `file.json: ${place} has bytes that are no text; if the file has another encoding, say which with --encoding`,
      );
      const records = await readAll(read(source(bytes, size), { keepsFaults: true }));
      expect(records.map(({ fault }) => fault !== undefined)).toEqual([false, false, true, false]);
      expect(records[3]!.value).toMatchObject({ a: 'z' });
    }
  });

  it('are found in the encoding that the caller names, and in the one that is found', async () => {
    const utf16 = Buffer.concat([Buffer.from('a\nb\n', 'utf16le'), Buffer.from([0x00, 0xd8, 0x41, 0x00])]);
    const place = 'line 3, column "a" has bytes that are no text';
    expect(await refusal(csvReader(source(utf16), { encoding: 'utf-16le' }))).toContain(place);
    expect(await refusal(csvReader(source(windows1252('a\nb\nü')), { encoding: 'utf-8' }))).toContain(place);
    const japanese = Buffer.concat([encoded('shift_jis', '名称\n焼津市\n'), Buffer.from([0x81, 0xff, 0x0a])]);
    expect(await refusal(csvReader(source(japanese), { encoding: 'shift_jis' }))).toContain('line 3');
    const western = Buffer.concat([windows1252('a\nStraße\n'), Buffer.from([0x8d, 0x0a])]);
    expect(await refusal(csvReader(source(western)))).toContain(place);
    expect(await valuesOf(csvReader(source(western), { encoding: 'windows-1252' }))).toEqual([
      { a: 'Straße' },
      { a: '\x8d' },
    ]);
  });

  it('do not hide the encoding of all others', async () => {
    const lines = Array.from({ length: 2000 }, (_, index) => `${index},静岡県焼津市本町${index},中央公民館`).join('\n');
    const bytes = Buffer.concat([encoded('shift_jis', `番号,住所,名称\n${lines}\n`), Buffer.from([0xff, 0xff, 0x0a])]);
    const reader = csvReader(source(bytes), { keepsFaults: true });
    const records = await readAll(reader);
    expect(records[7]!.value).toEqual({ 番号: '7', 住所: '静岡県焼津市本町7', 名称: '中央公民館' });
    expect(records.filter(({ fault }) => fault !== undefined)).toHaveLength(1);
    expect(notesOf(reader)[0]).toContain('is read as Shift_JIS: "番号" in line 1');
  });

  it('of a file in Unicode show that it is not in the encoding that the caller names', async () => {
    expect(await refusal(csvReader(source(Buffer.from('\ufeffa')), { encoding: 'latin1' }))).toContain(
      'begins with the byte-order mark of UTF-8',
    );
  });

  it('of an encoding that nobody knows are not read', () => {
    for (const reader of [csvReader, jsonReader, ndjsonReader]) {
      expect(() => reader(source(''), { encoding: 'ebcdic' })).toThrow(
        expect.objectContaining({ code: 'invalid_option', message: expect.stringContaining('windows-1250') as string }),
      );
    }
  });
});
