// The black-box suite of every host that serves exports: real sockets, the specification's own client loop, validators,
// refusals, a client that hangs up. It knows nothing but an address.
import { describe, expect, it } from 'vitest';
import { hangUp } from './hang-up.ts';
import { sampleRecords } from './sample-register.ts';

/** The records every host of the suite serves: the sample register's first 250. */
export const SERVED_RECORDS = 250;

/** Where the host of a suite listens, once it does. */
export interface ExportServer {
  /** The address of the exports up to `/export.<format>`. */
  readonly address: string;
}

/** Runs the suite against one host; `server()` is asked inside each test. */
export function describeExportServer(name: string, server: () => ExportServer): void {
  const get = (path: string, init?: RequestInit): Promise<Response> =>
    fetch(path.startsWith('http') ? path : server().address + path, init);
  const linkOf = (response: Response): string | undefined =>
    /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];

  describe(`exports served by ${name}`, () => {
    it('lead the specification’s client through every record by Link alone', async () => {
      const ids: string[] = [];
      const pages: number[] = [];
      let next: string | undefined = `${server().address}/export.csv?limit=100`;
      while (next !== undefined) {
        const response = await get(next, { headers: { authorization: 'Bearer key' } });
        expect(response.status).toBe(200);
        const found = (await response.text()).match(/^permits:[\w-]+/gm) ?? [];
        ids.push(...found);
        pages.push(found.length);
        next = linkOf(response);
      }
      expect(pages).toEqual([100, 100, 50]);
      expect(ids).toEqual(sampleRecords(SERVED_RECORDS).map((record) => record.id));
    });

    it.each([
      ['csv', 'text/csv; charset=utf-8; header=present', 'id,'],
      ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'PK'],
      ['xml', 'application/xml; charset=utf-8', '<?xml'],
      ['rss', 'application/rss+xml; charset=utf-8', '<?xml'],
      ['atom', 'application/atom+xml; charset=utf-8', '<?xml'],
    ])('have the media type, the length and the bytes of %s', async (format, mediaType, start) => {
      const response = await get(`/export.${format}?limit=7`);
      const body = Buffer.from(await response.arrayBuffer());
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe(mediaType);
      expect(response.headers.get('content-length')).toBe(String(body.length));
      expect(body.toString('latin1').startsWith(start)).toBe(true);
      expect(linkOf(response)).toBe(`${server().address}/export.${format}?limit=7&offset=7&as_of=250`);
    });

    it('keep the filters along the way', async () => {
      const response = await get('/export.csv?limit=10&document_type=adopted&facility_id=FAC-21');
      expect(linkOf(response)).toBeUndefined();
      const expected = sampleRecords(SERVED_RECORDS).filter(
        (record) => record.document_type === 'adopted' && record.facility_id === 'FAC-21',
      );
      expect(expected.length).toBeGreaterThan(0);
      expect((await response.text()).match(/^permits:/gm)).toHaveLength(expected.length);
    });

    it('answer 304 to their own tag', async () => {
      const etag = (await get('/export.xlsx')).headers.get('etag')!;
      const again = await get('/export.xlsx', { headers: { 'if-none-match': etag } });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    });

    it('answer HEAD with the head of GET', async () => {
      const [head, whole] = [await get('/export.csv', { method: 'HEAD' }), await get('/export.csv')];
      for (const name of ['content-type', 'content-length', 'etag', 'link', 'content-disposition']) {
        expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name)]);
      }
      expect(await head.text()).toBe('');
      await whole.arrayBuffer();
    });

    it.each([
      ['GET', '/export.csv?limit=101', 400, 'invalid_parameter'],
      ['GET', '/export.csv?limit=0', 400, 'invalid_parameter'],
      ['GET', '/export.csv?limit=abc', 400, 'invalid_parameter'],
      ['GET', '/export.csv?offset=-1', 400, 'invalid_parameter'],
      ['GET', '/export.pdf', 404, 'unknown_format'],
    ])('refuse %s %s with %i %s', async (method, path, status, code) => {
      const response = await get(path, { method });
      expect(response.status).toBe(status);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
      expect(await response.json()).toMatchObject({ code, status });
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('go on serving after clients that hang up', async () => {
      await hangUp(`${server().address}/export.csv`);
      expect((await get('/export.csv')).status).toBe(200);
    });
  });
}
