// What the service says of files in English is said in the reader's language at the desk: every sentence that it can make is known.
import { describe, expect, it } from 'vitest';
import { guessImport } from '../../src/import/guess/guess-import.ts';
import { FINDING_CODES } from '../../src/import/proposals/finding-codes.ts';
import { csvReader } from '../../src/import/readers/csv.ts';
import { saidOf, withoutOptions } from '../../src/templates/desk/imports/found.ts';
import { deFindings } from '../../src/templates/languages/desk/findings-de.ts';
import { enFindings } from '../../src/templates/languages/desk/findings-en.ts';
import { deRemarks } from '../../src/templates/languages/desk/remarks-de.ts';
import { type DeskRemarksTexts, enRemarks } from '../../src/templates/languages/desk/remarks-en.ts';
import { wordingIn } from '../../src/templates/wording.ts';
import { source } from '../import/sources.ts';

/** Files of which something is to be said. */
const FILES: readonly string[] = [
  'Name,1,2,3\nFord,4,7,2\nWeir,2,5,8\n',
  'Nr,Betreff,Beginn,Ende\n1,a,2026-01-02,2026-02-01\n2,b,2026-01-05,2026-01-07\n3,c,2026-01-01,2026-01-09\n',
  'a,b\nx,y\nx,y\nx,z\n',
  'a,b,link\nx,1,https://example.org/1\nx,2,\ny,1,\n',
  'Nr,title,when\n1,a,01/02/2026\n2,,03/04/2026\n3,c,05/06/2026\n',
  'Nr,title,net,gross\n1,a,"1,5",1.5\n2,b,"2,25",2.25\n3,n/a,-,3.5\n',
  'id,title,feed_id\n1,a,x\n1,b,y\n,Sum,\n',
];

const remarksOf = async (text: string): Promise<readonly string[]> => {
  const bytes = Buffer.from(text, 'latin1');
  const open = () => csvReader(source(bytes, undefined, 'f.csv'));
  return (await guessImport(open, { feedId: 'r' })).remarks;
};

const placesIn = (text: string): readonly string[] => text.match(/\{[a-z]+\}/g)?.sort() ?? [];

it('says every finding in every language, by its code and in a sentence with its numbers', () => {
  const ofUndos = ['changed-since', 'key-taken', 'purchased', 'settings-stay'];
  for (const code of [...FINDING_CODES, 'hand-kept', ...ofUndos]) {
    const texts = [enFindings, deFindings].flatMap(({ codes, sentences }) => [codes[code], sentences[code]]);
    expect([code, texts.every((text) => text !== undefined && text !== '')]).toEqual([code, true]);
    expect(placesIn(deFindings.sentences[code]!)).toEqual(placesIn(enFindings.sentences[code]!));
  }
});

it('says of a finding what holds after a decision, too; what waits for one, and what a list below is of, stands in a hint', () => {
  for (const { sentences, hints, codes } of [enFindings, deFindings]) {
    const texts = [...Object.values(codes), ...Object.values(sentences)];
    expect(texts.filter((text) => /:$|\b(?:would|below|here|würden?|nähme|unten|hier)\b/.test(text))).toEqual([]);
    expect(Object.keys(hints).filter((code) => sentences[code] === undefined)).toEqual([]);
  }
  expect(Object.keys(deFindings.hints)).toEqual(Object.keys(enFindings.hints));
});

describe('what is said of a file', () => {
  it('is said in German, whatever the file is, and nothing of the command line', async () => {
    const wording = wordingIn('de');
    const remarks = (await Promise.all([...FILES, 'Nr,title\n1,Gebühr\n2,x\n'].map(remarksOf))).flat();
    expect(remarks.length).toBeGreaterThan(15);
    for (const remark of remarks) {
      const said = saidOf(wording, remark);
      expect([remark, said === null]).toEqual([remark, false]);
      expect(said!.text).not.toMatch(/--[a-z]|\{|\b(?:the|and|is|records?)\b/);
      const english = saidOf(wordingIn('en'), remark)!;
      expect(english.text).not.toMatch(/--[a-z]|\{/);
    }
  });

  it.each([
    ['f.csv: its only record was refused: f.csv: line 2: data.x must be a number, got "y"', 'Der einzige Eintrag'],
    ['f.csv: all 3 records were refused, the first: [0]: title must be set', 'Alle 3 Einträge'],
    ['f.csv: there are no records', 'In der Datei sind keine Einträge.'],
    ['f.csv is empty', 'Die Datei ist leer.'],
    ['f.xls is an old workbook; save it as .xlsx', 'Die Datei ist keine, die gelesen werden kann.'],
    ['f.csv: begins with the byte-order mark of UTF-16LE, but is to be read as utf-8; leave out', 'Die Datei beginnt'],
    [
      'the sheet "Daten" is read, not "Info", "Alt"; --pick names another',
      'Gelesene Blätter: "Daten". Nicht gelesen: "Info", "Alt".',
    ],
    ['f.json: is an object, not an array of records; say where the array is with --pick PATH', 'keine Liste'],
    ['the records are those of "a.b"; say others with --pick', 'Die Einträge sind die von "a.b".'],
    ['2 rows above the header in row 3 are not read; say the row of the header with --header-row', 'Was über den'],
    ['a semicolon separates the fields; --delimiter says another', 'Die Felder werden so getrennt'],
    [
      'f.csv: line 3: no column has a name; if the header is in another row, say which with --header-row',
      'Keine Spalte',
    ],
    ['has bytes that are no text; if the file has another encoding, say which with --encoding', 'Manche Bytes'],
    ['line 9 is a total, not a record: it has no key; --skip-invalid leaves it out', 'eine Summe'],
  ])('is known: %s', (sentence, german) => {
    expect(saidOf(wordingIn('de'), sentence)!.text).toContain(german);
  });

  it.each([
    ['x has no such path; say it with --map a=B, or --key row; twice', 'x has no such path; twice'],
    ['keys differ: give these the new keys with gazette record renumber r --map FILE', 'keys differ'],
    ['a--b is no date, got "1"', 'a--b is no date, got "1"'],
    ['say it with --pick PATH', ''],
    ['the file has two lists (--pick b); "a" is read', 'the file has two lists; "a" is read'],
    ['there are two lists. Say --pick b, or --pick c. "a" is read', 'there are two lists. "a" is read'],
    [
      'must be a number, got "1; gazette import x, or --key"; say --missing',
      'must be a number, got "1; gazette import x, or --key"',
    ],
    ['bytes are no text; if the file has another encoding, say which with --encoding', 'bytes are no text'],
    ["no title; say where it is with --map 'title=a; b', or where no column is one, give --key row", 'no title'],
    ['"a" is a text; change it with: gazette register retype r a=number', '"a" is a text'],
  ])('has no words of the command line: %s', (sentence, shown) => {
    expect(withoutOptions(sentence)).toBe(shown);
  });

  it('names the same values in every language', () => {
    for (const code of Object.keys(enRemarks) as (keyof DeskRemarksTexts)[]) {
      expect([code, placesIn(deRemarks[code])]).toEqual([code, placesIn(enRemarks[code])]);
    }
  });
});
