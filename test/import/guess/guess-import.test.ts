// What is guessed of a file: which column is what, in which forms dates and amounts are, and what a person must decide.
import { describe, expect, it } from 'vitest';
import { guessImport } from '../../../src/import/guess/guess-import.ts';
import type { GuessOptions, ImportGuess } from '../../../src/import/guess/import-guess.ts';
import { parseMapping } from '../../../src/import/mapping/mapping.ts';
import { contentReader } from '../../../src/import/readers/file/content-reader.ts';
import { csvReader } from '../../../src/import/readers/csv.ts';
import { jsonReader } from '../../../src/import/readers/json.ts';
import type { RecordReader } from '../../../src/import/readers/raw-record.ts';
import { source } from '../sources.ts';

const NOW = Date.parse('2026-05-01T00:00:00Z');

function guessCsv(text: string, options: Partial<GuessOptions> = {}): Promise<ImportGuess> {
  return guessImport(() => csvReader(source(text, undefined, 'f.csv')), { feedId: 'r', now: () => NOW, ...options });
}

function guessJson(records: readonly unknown[]): Promise<ImportGuess> {
  const text = JSON.stringify(records);
  return guessImport(() => jsonReader(source(text)), { feedId: 'r', now: () => NOW });
}

const URL_REMARK = /^no column has the web address of a record/;

describe('the mapping', () => {
  it('has the id that is filled and different everywhere, and the columns that publishers call so', async () => {
    const guess = await guessCsv(
      'Code,Case number,Subject,Short description,Type,Decision date,Link\n' +
        'A,1,First,One,x,2026-01-02,https://e.org/1\nA,2,Second,,x,2026-01-03,https://e.org/2\nB,3,Third,Two,y,,https://e.org/3\n',
    );
    expect(guess).toMatchObject({
      map: [
        'id=Case number',
        'source_url=Link',
        'published_at=Decision date',
        'title=Subject',
        'summary=Short description',
        'document_type=Type',
        'data.code=Code',
      ],
      order: 'oldest-first',
      records: 3,
      refused: 0,
      remarks: [],
      definition: { id: 'r', title: 'r', fields: [{ name: 'code', label: 'Code', type: 'text' }] },
    });
    expect(guess.first.map(({ id, title, data }) => ({ id, title, data }))).toEqual([
      { id: 'r:1', title: 'First', data: { code: 'A' } },
      { id: 'r:2', title: 'Second', data: { code: 'A' } },
      { id: 'r:3', title: 'Third', data: { code: 'B' } },
    ]);
    expect(guess.columns.find(({ name }) => name === 'Case number')).toEqual({
      ...{ name: 'Case number', field: 'id', type: 'integer', filled: 3, isUnique: true },
    });
    expect(guess.columns[0]).toEqual({ name: 'Code', field: 'data.code', type: 'text', filled: 3, isUnique: false });
  });

  it('has paths into objects where no column of the records tells them apart, as in GeoJSON', async () => {
    const feature = (n: number): object => ({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [n, 1] },
      properties: { code: `C${n}`, name: `Place ${n}`, 'a.b': n, published: '2026-01-02' },
    });
    const { map, refused, columns, definition } = await guessJson([feature(1), feature(2)]);
    expect(map.slice(0, 4)).toEqual([
      'id=properties.code',
      'source_url=https://source-unknown.invalid/{properties.code}',
      'published_at=properties.published',
      'title=properties.name',
    ]);
    expect(refused).toBe(0);
    expect(columns.map(({ name, field }) => [name, field])).toEqual([
      ['geometry', 'data.geometry'],
      ['properties.code', 'id'],
      ['properties.name', 'title'],
      ['properties.published', 'published_at'],
    ]);
    expect(definition.fields.map(({ type }) => type)).toContain('json');
  });

  it('looks inside of objects and lists where records are nested, and asks first what the object is called', async () => {
    const record = (n: number): object => ({
      ref: `W/${n}`,
      office: { name: 'Works' },
      subject: { text: { de: `Wehr ${n}` } },
      links: [{ href: `https://e.org/${n}` }],
    });
    const { map } = await guessJson([record(1), record(2)]);
    expect(map).toEqual(['id=ref', 'source_url=links.0.href', 'title=subject.text.de']);
  });

  it('has an id although a line with totals below the table has none, and no amount instead', async () => {
    const guess = await guessCsv('Nr,Title,Link,Fee\n1,A,https://e.org/1,5.5\n2,B,https://e.org/2,7.5\n,,,13.0\n');
    expect(guess.map).toEqual(['id=Nr', 'source_url=Link', 'title=Title', 'data.fee=Fee']);
    expect([guess.records, guess.refused]).toEqual([3, 1]);
    const twice = await guessCsv('Nr,Title,Fee\n1,A,5.5\n,B,7.5\n,C,8.5\n2,D,1\n');
    expect(twice.map[0]).toBe('id=Title');
  });

  it('makes the id of the fewest columns that tell the records apart, where none does alone', async () => {
    const lines = Array.from({ length: 1200 }, (_, n) => `${n % 7},${n % 3},X${Math.floor(n / 7)},${n}.5,`);
    // Only at the end of a long file two columns are not enough.
    lines.push('1,0,X0,3.5,last');
    const guess = await guessCsv(`Nr,Kind,Place,Fee,Note\n${lines.join('\n')}\n`);
    expect(guess.map.slice(0, 2)).toEqual([
      'id={Nr}-{Kind}-{Place}',
      'source_url=https://source-unknown.invalid/{Nr}-{Kind}-{Place}',
    ]);
    expect([guess.records, guess.refused]).toEqual([1201, 0]);
    expect(guess.first.map(({ key, title }) => [key, title])).toEqual([
      ['0-0-X0', 'X0'],
      ['1-1-X0', 'X0'],
      ['2-2-X0', 'X0'],
    ]);
    expect(guess.remarks).toContainEqual(
      'no column has a different value in every record: the id is made of "Nr", "Kind" and "Place"; say another with --map id=SOURCE',
    );
    const gap = await guessCsv('Nr,Note,Title\n1,,A\n1,x,A\n2,,A\n');
    expect([gap.map[0], gap.refused]).toEqual(['id={Nr}-{Note|}', 0]);
  });

  it('doubts a header whose names are values', async () => {
    const { remarks } = await guessCsv('Name,1,2,3\nFord,4,7,2\nWeir,2,5,8\n');
    expect(remarks).toContainEqual(expect.stringMatching(/^a column is called "1": if the first line is a record/));
    const none = await guessCsv('1,Ford,2026-01-01\n2,Weir,2026-01-02\n');
    expect(none.remarks).toContainEqual(expect.stringMatching(/^the first row looks like the others/));
    expect(none.records).toBe(2);
    const years = await guessCsv('Nr,Name,2025\n1,Ford,3\n2,Weir,4\n');
    expect(years.remarks).not.toContainEqual(expect.stringMatching(/^a column is called/));
  });

  it('has a key for the title that is called a name, where no other column is', async () => {
    const { map } = await guessCsv('Kind,Name\na long word,A\na long word,B\n');
    expect(map.slice(0, 3)).toEqual(['id=Name', 'source_url=https://source-unknown.invalid/{Name}', 'title=Name']);
  });

  it('proposes a template where no column is an absolute URL, and a default where some records have none', async () => {
    const none = await guessCsv('id,title,link\n2026/1,T,/doc/1\n');
    expect(none.map).toContain('source_url=https://source-unknown.invalid/{id}');
    expect(none.remarks).toContainEqual(expect.stringMatching(URL_REMARK));
    const some = await guessCsv('id,title,link\n1,T,https://e.org/1\n2,U,\n');
    expect(some.map).toContain('source_url={link|https://source-unknown.invalid/}');
    expect(some.first.map(({ source_url }) => source_url)).toEqual([
      'https://e.org/1',
      'https://source-unknown.invalid/',
    ]);
    expect(some.remarks).toContainEqual(
      '"link" has an address in 1 record only: write the address of the others instead of https://source-unknown.invalid/',
    );
  });

  it.each<readonly [string, string]>([
    ['where rows are equal', 'Nr,Kind,Title\n1,a,A\n1,a,A\n2,b,A\n'],
    [
      'where the column of the likeliest name has a value twice',
      'code,day\nE1,2026-01-01\nE1,2026-01-01\nE2,2026-01-01\n',
    ],
    ['instead of coordinates', 'name,address,lat\nA,X,1.5\nA,X,2.5\nA,Y,1.5\nB,X,1.5\n'],
    ['instead of a pair of coordinates', 'name,place\nA,"48.2, 11.5"\nA,"48.3, 11.5"\n'],
    ['instead of amounts', 'town,votes\nA,"1,709"\nA,871\nB,871\nB,12\n'],
    ['instead of counts', 'town,votes\nA,1709\nA,871\nB,871\nB,12\n'],
    ['instead of what is called a number of something', 'town,Number of votes\nA,1709\nA,871\n'],
    ['instead of a count with the words of a number', 'town,Registration (number of people)\nA,1709\nA,871\n'],
    ['instead of times of measurement', 'time,level\n2026-01-01T10:00:00Z,5\n2026-01-01T11:00:00Z,5\n'],
    ['instead of times in another form', 'Datum;Zähler\n01.02.2026 10:00;5\n01.02.2026 11:00;7\n'],
    ['instead of days that happen to differ', 'subject,day\nA,2026-01-01\nA,2026-01-02\n'],
    ['instead of texts that are too long', `subject,kind\n${'م'.repeat(40)},a\n${'م'.repeat(41)},a\n`],
    [
      'instead of texts that are too long together',
      `a,b\n${['ممممم', 'ننننن'].map((x) => ['ي', 'ه'].map((y) => `${x.repeat(4)},${y.repeat(20)}\n`).join('')).join('')}`,
    ],
    ['where nothing is text', 'a,b\n1,2\n1,2\n'],
  ])('makes the key of the row %s', async (_, text) => {
    const guess = await guessCsv(text);
    expect(guess.key).toBe('row');
    expect(guess.map.filter((rule) => rule.startsWith('id='))).toEqual([]);
    expect(guess).toMatchObject({ refused: 0 });
    expect(guess.first.length).toBeGreaterThan(1);
    expect(guess.remarks).toContainEqual(
      'two rows can be alike in every column that could be their id, so a record is known by its whole row: a corrected row is a new record, and the old one is withdrawn; each file has to hold all rows, because rows that it lacks are withdrawn',
    );
  });

  it.each<readonly [string, string, string]>([
    ['a number that comes first', 'n,title\n10,A\n9,A\n', 'id=n'],
    [
      'a number that is given out in many records',
      `place,ballot,votes\n${Array.from({ length: 1200 }, (_, n) => `P${n % 9},${(n * 7) % 1201},${n % 300}\n`).join('')}`,
      'id=ballot',
    ],
    ['a number that is called an id', 'title,size,permitNr\nA,3,10\nA,4,9\n', 'id=permitNr'],
    ['a code of digits', 'title,size,AGS\nA,3,09162000\nA,4,09163000\n', 'id=AGS'],
    ['a day that comes first', 'day,level\n2026-01-01,5\n2026-01-02,5\n', 'id=day'],
    ['a place and a year', 'town,year,votes\nA,2024,5\nA,2025,5\nB,2024,5\n', 'id={town}-{year}'],
    [
      'a place and a kind instead of a day',
      'town,kind,day\nA,x,2026-01-01\nA,y,2026-01-02\nB,x,2026-01-03\nB,y,2026-01-03\n',
      'id={town}-{kind}',
    ],
    ['a place and a day', 'town,votes,day\nA,5,2026-01-01\nA,6,2026-01-02\nB,5,2026-01-01\n', 'id={town}-{day}'],
  ])('has the id from %s', async (_, text, id) => {
    const guess = await guessCsv(text);
    expect([guess.map[0], guess.key]).toEqual([id, null]);
  });

  it('refuses what an import refuses: an id that the caller says and that comes twice', async () => {
    const guess = await guessCsv('Nr,Title\n1,A\n1,B\n2,B\n', { mapping: parseMapping(['id=Nr']) });
    expect(guess).toMatchObject({ records: 3, refused: 1 });
    expect(guess.remarks).toContainEqual(expect.stringContaining('line 3: id "r:1" is also that of line 2'));
  });

  it('makes the key of the row where the caller says so, and takes nothing of ignored columns', async () => {
    const guess = await guessCsv('id,title,seen\n1,A,x\n2,B,y\n', { key: 'row', ignore: ['seen'] });
    expect([guess.key, guess.columns.map(({ name }) => name), guess.remarks.length]).toEqual([
      'row',
      ['id', 'title'],
      3,
    ]);
    expect(guess.map.filter((rule) => rule.startsWith('id='))).toEqual([]);
  });

  it('says how to leave out a last line with totals, and says it of no other line', async () => {
    const said: unknown = expect.stringMatching(/^that is the last one, .*--skip-invalid/);
    const rows = ['1,T,https://e.org/1', '2,U,https://e.org/2', '3,V,https://e.org/3'];
    const remarksOf = async (...all: string[]): Promise<readonly string[]> =>
      (await guessCsv(`Nr,title,link\n${all.join('\n')}\n`)).remarks;
    expect(await remarksOf(...rows, ',Sum,')).toContainEqual(said);
    expect(await remarksOf(...rows)).not.toContainEqual(said);
    expect(await remarksOf(rows[0]!, ',Sum,', rows[1]!)).not.toContainEqual(said);
    expect(await remarksOf(...rows, ',Sum,', ',Sum,')).not.toContainEqual(said);
    const table = 'Nr,title,fee\n1,A,2\n2,B,3\n3,C,4\n,Total,9\n';
    const open = (): RecordReader => csvReader(source(table, undefined, 'f.csv'), { keepsFaults: true });
    const total = (await guessImport(open, { feedId: 'r', now: () => NOW })).remarks;
    expect(total.filter((remark) => remark.includes('--skip-invalid'))).toEqual([
      expect.stringContaining('line 5 is a total, not a record'),
    ]);
  });

  it('keeps what the caller says', async () => {
    const mapping = parseMapping(['title=b', 'data.kind=c']);
    const types = new Map([['kind', 'text' as const]]);
    const guess = await guessCsv('a,b,c,title\n1,x,7,T\n2,y,8,U\n', { mapping, types, order: 'newest-first' });
    expect(guess.map.slice(0, 3)).toEqual(['title=b', 'data.kind=c', 'id=a']);
    expect(guess.definition.fields).toEqual([
      { name: 'kind', label: 'c', type: 'text' },
      { name: 'title_2', label: 'title', type: 'text' },
    ]);
    expect(guess.order).toBe('newest-first');
  });

  it.each(['lfd. Nr.', '/nr', 'Name, Vorname', 'a=b', 'Größe'])(
    'names a column %s so that it is found',
    async (name) => {
      const guess = await guessJson([
        { [name]: 'b', title: 'T', url: 'https://e.org/' },
        { [name]: 'a', title: 'T', url: 'https://e.org/' },
      ]);
      expect(guess.first.map(({ id }) => decodeURIComponent(id))).toHaveLength(2);
      expect(guess.columns[0]).toMatchObject({ field: 'id', isUnique: true });
    },
  );

  it('takes no column whose name a mapping cannot say', async () => {
    const { map, refused } = await guessJson([{ 'x, title={': 'b', nr: '1', title: 'T', url: 'https://e.org/' }]);
    expect(map).toEqual(['id=nr', 'source_url=url', 'title=title']);
    expect(refused).toBe(0);
  });
});

it('takes no birth, end or change for the date of publication, by the words of a name alone', async () => {
  const published = async (name: string): Promise<boolean> => {
    const { map } = await guessCsv(`id,title,${name}\n1,First,2026-01-02\n2,Second,2026-01-03\n`);
    return map.includes(`published_at=${name}`);
  };
  for (const name of ['Due date', 'dueDate', 'Datum narození', 'Gültig bis', '有效期至'])
    expect(await published(name)).toBe(false);
  for (const name of ['Residue date', 'Sendedatum']) expect(await published(name)).toBe(true);
});

it('has filters for columns from whose few values a reader may choose', async () => {
  const lines = Array.from({ length: 20 }, (_, n) => `${n},Title ${n},${n % 3},${n % 2 === 0},${n}.5,same,K${n % 11}`);
  const { definition } = await guessCsv(`id,title,ward,open,fee,constant,street\n${lines.join('\n')}\n`);
  const filters = definition.fields.filter(({ filterable }) => filterable === true).map(({ name }) => name);
  expect(filters).toEqual(['ward', 'open']);
});

describe('the forms', () => {
  const dated = (...dates: string[]): string =>
    ['id,title,url,date', ...dates.map((date, at) => `${at},T${at},https://e.org/,${date}`)].join('\n');

  it.each([
    ['DD.MM.YYYY', ['1.2.2026', '3.2.2026']],
    ['DD/MM/YYYY', ['01/02/2026', '13/02/2026']],
    ['MM/DD/YYYY', ['01/02/2026', '02/13/2026']],
    ['YYYY-MM-DD', ['2026-02-01 10:00', '2026-02-03 11:00:00']],
  ])('finds dates as %s', async (format, dates) => {
    const guess = await guessCsv(dated(...dates));
    expect(guess).toMatchObject({ dateFormat: format, order: 'oldest-first', refused: 0 });
    expect(guess.map).toContain('published_at=date');
  });

  it('does not decide which number is the day where no value shows it', async () => {
    const guess = await guessCsv(dated('01/02/2026', '03/04/2026'));
    expect(guess.dateFormat).toBeNull();
    expect(guess.map.some((rule) => rule.startsWith('published_at'))).toBe(false);
    expect(guess.remarks[0]).toBe(
      'the dates in "date" may be DD/MM/YYYY or MM/DD/YYYY: no value shows which number is the day; say it with --date-format',
    );
    const said = await guessCsv(dated('01/02/2026', '03/04/2026'), { dateFormat: 'MM/DD/YYYY' });
    expect(said.first[0]?.published_at).toBe('2026-01-02');
  });

  it('proposes to sort by date where the dates run both ways', async () => {
    const guess = await guessCsv(dated('2026-01-05', '2026-01-01', '2026-01-04', '2026-01-02'));
    expect(guess.order).toBe('by-date');
    expect(guess.remarks).toEqual([expect.stringMatching(/^the dates run both ways/)]);
  });

  it.each([
    ['1.234,50', '7', true, 'number'],
    ['0,5', '12', true, 'number'],
    ['1,234', '5,678', false, 'text'],
    ['1.5', '2', false, 'number'],
  ])('reads %s and %s with a decimal comma: %s', async (one, other, decimalComma, type) => {
    const guess = await guessCsv(`id;title;url;x\n1;T;https://e.org/;${one}\n2;T;https://e.org/;${other}\n`);
    expect(guess).toMatchObject({ decimalComma, definition: { fields: [{ name: 'x', type }] } });
  });

  it('reads a point as a point where another column has a comma', async () => {
    const guess = await guessCsv('id;title;url;x;lat\n1;T;https://e.org/;0,5;48.13\n2;T;https://e.org/;0,6;48.2\n');
    expect(guess.decimalComma).toBe(false);
    expect(guess.remarks[0]).toBe(
      'amounts have a comma in "x" and a point in "lat"; those with a comma stay text unless you give --decimal-comma',
    );
  });
});

it('a column is compared to the end of a long file, and only the first of many are', async () => {
  const rows = Array.from({ length: 1500 }, (_, at) => ({
    ...Object.fromEntries(Array.from({ length: 12 }, (__, column) => [`c${column}`, `${at}-${column}`])),
    c3: at === 1400 ? '7-3' : `${at}-3`,
    url: 'https://e.org/',
  }));
  const { columns } = await guessJson(rows);
  const unique = columns.filter(({ isUnique }) => isUnique).map(({ name }) => name);
  expect(unique).toEqual(['c0', 'c1', 'c2', 'c4', 'c5', 'c6', 'c7']);
});

it('an encoding that letters show is told with a word of it, for a person to judge', async () => {
  const bytes = Buffer.from('id,title,source_url\n1,Geb\xfchr,https://e.org/1\n', 'latin1');
  const { remarks } = await guessImport(() => csvReader(source(bytes, undefined, 'f.csv')), { feedId: 'r' });
  expect(remarks).toContainEqual(expect.stringContaining('is read as Windows-1252: "Gebühr" in line 2'));
});

it('an empty file has no records', async () => {
  expect(await guessJson([])).toMatchObject({ records: 0, refused: 0, columns: [], first: [] });
});

it('a format that only the content shows, and a delimiter that the first line says, are told as values', async () => {
  const read = (text: string): Promise<ImportGuess> =>
    guessImport(() => contentReader(source(text, undefined, 'file'), (_, content) => csvReader(content)), {
      feedId: 'r',
      now: () => NOW,
    });
  const guess = await read('sep=:\nid:title:n\n1:T:0.5\n');
  expect(guess.found).toMatchObject([{ format: 'csv' }, { delimiter: ':' }]);
  expect(guess.definition.fields).toMatchObject([{ name: 'n', type: 'number' }]);
});
