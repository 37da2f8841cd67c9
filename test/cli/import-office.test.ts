// `gazette import` and `export -` on files as offices have them: the options that say how a file is written, and what
// is found without them.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { folder, gazette } from './run.ts';

const LATIN1 = Buffer.from(
  'Bescheide der Gemeinde;;;\r\n\r\nNr;Titel;Datum;Gebühr\r\n1;Erweiterung;17.04.2026;1.234,50\r\n2;Umbau;3.5.2026;80,00\r\n',
  'latin1',
);
const MAP = ['--map', 'id=Nr,title=Titel,published_at=Datum,data.fee=Gebühr,source_url=https://example.org/{Nr}'];
const DEFINITION = {
  id: 'r',
  title: 'R',
  created_at: '2026-01-01T00:00:00Z',
  fields: [{ name: 'fee', type: 'number' }],
};

describe('a file from an office', () => {
  it('goes in, and what was found is said', async () => {
    const place = await folder();
    const store = ['--store', join(place, 'store.db')];
    await writeFile(join(place, 'definition.json'), JSON.stringify(DEFINITION));
    await writeFile(join(place, 'bescheide.csv'), LATIN1);
    const add = ['register', 'add', 'r', '--definition', join(place, 'definition.json'), ...store];
    expect(await gazette(add)).toMatchObject({ code: 0 });
    const forms = ['--decimal-comma', '--date-format', 'DD.MM.YYYY', '--order', 'oldest-first'];
    const taken = await gazette(['import', 'r', join(place, 'bescheide.csv'), ...MAP, ...forms, ...store]);
    expect(taken).toMatchObject({ code: 0 });
    expect(taken.stderr.split('\n')).toEqual([
      'gazette: note: the text is not UTF-8 and is read as Windows-1252: "Gebühr" in line 3; if that looks wrong, say the encoding with --encoding',
      'gazette: note: a semicolon separates the fields; --delimiter says another',
      'gazette: note: one row above the header in line 3 is not read; say the row of the header with --header-row',
      '',
    ]);
    const shown = await gazette(['record', 'show', 'r:1', '--json', ...store]);
    expect(JSON.parse(shown.stdout.toString())).toMatchObject({
      record: { published_at: '2026-04-17', data: { fee: 1234.5 } },
    });
  });

  it('is read as the options say, in import and in export', async () => {
    const place = await folder();
    const read = async (name: string, content: Uint8Array | string, ...options: string[]): Promise<unknown[]> => {
      const path = join(place, name);
      await writeFile(path, content);
      const map = ['--map', 'source_url=https://example.org/{id}', '--observed-at', '2026-05-01'];
      const { stdout, stderr } = await gazette([
        'export',
        '-',
        '--format',
        'ndjson',
        '--input',
        path,
        ...map,
        ...options,
      ]);
      if (stdout.length === 0) throw new Error(stderr);
      return stdout
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { title: unknown }).title);
    };
    expect(await read('a.tsv', 'id\ttitle\n1\tx;y,z\n')).toEqual(['x;y,z']);
    expect(await read('b.csv', 'id\ttitle\n1\ta|b|c\n', '--delimiter', 'tab')).toEqual(['a|b|c']);
    expect(await read('c.csv', 'x;y\nid;title\n1;T\n', '--header-row', '2')).toEqual(['T']);
    expect(
      await read('d.csv', Uint8Array.from([...Buffer.from('id,title\n1,'), 0xa3]), '--encoding', 'windows-1250'),
    ).toEqual(['Ł']);
    await expect(read('e.csv', 'id,title\n1,T', '--encoding', 'cp037')).rejects.toThrow(
      /encoding must be one of utf-8, .* got "cp037" \(invalid_option\)/,
    );
    await expect(read('f.ndjson', '{}', '--header-row', '2')).rejects.toThrow(
      '--header-row applies to CSV and workbooks; the input is read as ndjson (usage)',
    );
    await expect(read('g.csv', 'id', '--header-row', 'two')).rejects.toThrow(
      '--header-row must be a number from 1, got "two" (usage)',
    );
  });

  it('says what was found also when the file is refused', async () => {
    const refused = await gazette(
      ['export', '-', '--format', 'csv', '--input-format', 'csv', '--observed-at', '2026-05-01'],
      'id;title\n1;2;3\n',
    );
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('note: a semicolon separates the fields');
  });

  it('that is compressed goes in as the file inside, and the log of imports knows its own bytes', async () => {
    const place = await folder();
    const store = ['--store', join(place, 'store.db')];
    expect(await gazette(['register', 'add', 'r', '--title', 'R', ...store])).toMatchObject({ code: 0 });
    const content = 'id,title,source_url\n1,A,https://example.org/1\n2,B,https://example.org/2\n';
    const packed = gzipSync(content);
    for (const [name, bytes] of [
      ['a.csv.gz', packed],
      ['b', packed],
      ['c.csv', content],
    ] as const) {
      await writeFile(join(place, name), bytes);
      const taken = await gazette(['import', 'r', join(place, name), '--order', 'oldest-first', ...store]);
      expect(taken).toMatchObject({ code: 0 });
    }
    const { stdout } = await gazette(['imports', 'list', 'r', '--json', ...store]);
    const entries = JSON.parse(stdout.toString()) as { hmac_sha256: string; added: number }[];
    const digests = entries.map(({ hmac_sha256 }) => hmac_sha256);
    expect(entries.map(({ added }) => added).sort()).toEqual([0, 0, 2]);
    expect(new Set(digests).size).toBe(2);
  });

  it('loses no good record to one that cannot be read', async () => {
    const place = await folder();
    const store = ['--store', join(place, 'store.db')];
    expect(await gazette(['register', 'add', 'r', '--title', 'R', ...store])).toMatchObject({ code: 0 });
    const record = (id: string): string => `{"id":"${id}","title":"T","source_url":"https://example.org/${id}"}`;
    const deep = `{"id":"b","x":${'['.repeat(300)}${']'.repeat(300)}}`;
    await writeFile(join(place, 'a.json'), `[${record('a')},${deep},${record('c')}]`);
    const options = ['--skip-invalid', '--order', 'oldest-first', ...store];
    const taken = await gazette(['import', 'r', join(place, 'a.json'), ...options]);
    expect(taken.stdout.toString()).toContain('added 2, changed 0, unchanged 0, withdrawn 0, restored 0, refused 1');
    expect(await readFile(join(place, 'a.json.rejects.ndjson'), 'utf8')).toContain(
      '[1] is nested deeper than 256 levels',
    );
  });
});
