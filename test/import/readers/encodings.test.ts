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

/** Text in an encoding of one byte for each character, by the platform's table. */
function encoded(encoding: string, text: string): Uint8Array {
  const decoder = new TextDecoder(encoding);
  const bytes = new Map(Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]));
  return Uint8Array.from(text, (unit) => bytes.get(unit)!);
}

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

describe('a text that is not in its encoding is refused', () => {
  it('with the place, where most of it is UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('a\nGebühr\nStraße\n'), Buffer.from([0xfc, 0x0a])]);
    expect(await refusal(csvReader(source(bytes)))).toContain('line 4: not UTF-8 at byte 18');
  });

  it('with the place, where a byte has no meaning in Windows-1252 either', async () => {
    const bytes = Buffer.concat([windows1252('a\nü\n'), Buffer.from([0x8d, 0x0a])]);
    const told = await refusal(csvReader(source(bytes)));
    expect(told).toContain('line 3: neither UTF-8 nor Windows-1252; say the encoding with --encoding');
    expect(await valuesOf(csvReader(source(bytes), { encoding: 'windows-1252' }))).toEqual([{ a: 'ü' }, { a: '\x8d' }]);
  });

  it('with the place, where the caller names another', async () => {
    const utf16 = Buffer.concat([Buffer.from('a\nb\n', 'utf16le'), Buffer.from([0x00, 0xd8, 0x41, 0x00])]);
    expect(await refusal(csvReader(source(utf16), { encoding: 'utf-16le' }))).toContain('line 3: not utf-16le');
    expect(await refusal(csvReader(source(windows1252('a\nü')), { encoding: 'utf-8' }))).toContain(
      'line 2: not UTF-8 at byte 2',
    );
    expect(await refusal(csvReader(source(Buffer.from('\ufeffa')), { encoding: 'latin1' }))).toContain(
      'begins with the byte-order mark of UTF-8',
    );
  });

  it('at once, where the name is unknown', () => {
    for (const reader of [csvReader, jsonReader, ndjsonReader]) {
      expect(() => reader(source(''), { encoding: 'ebcdic' })).toThrow(
        expect.objectContaining({ code: 'invalid_option', message: expect.stringContaining('windows-1250') as string }),
      );
    }
  });
});
