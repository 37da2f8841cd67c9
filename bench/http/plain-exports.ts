// What a developer would otherwise write: a Hono route, `SELECT … LIMIT 100 OFFSET ?`, and the usual package for each
// format. No keys, no validators, no guard: it does less than the service in all but the reading and the writing.
import { DatabaseSync } from 'node:sqlite';
import { stringify } from 'csv-stringify/sync';
import ExcelJS from 'exceljs';
import { Feed } from 'feed';
import { Hono } from 'hono';
import { create } from 'xmlbuilder2';
import { COLUMNS } from './registers.ts';
import { DEFINITION } from '../data.ts';

type Row = Readonly<Record<string, string | number | null>>;

const LIMIT = 100;

/** The routes `/export.{format}?offset=N` over the plain table. */
export function plainExports(path: string): Hono {
  const database = new DatabaseSync(path, { readOnly: true });
  const select = database.prepare(`SELECT * FROM records ORDER BY position DESC LIMIT ${LIMIT} OFFSET ?`);
  const rowsAt = (offset: string | undefined): readonly Row[] => select.all(Number(offset ?? 0)) as readonly Row[];

  const app = new Hono();
  app.get('/export.csv', (context) => {
    const text = stringify(rowsAt(context.req.query('offset')) as Row[], { header: true, columns: [...COLUMNS] });
    return send(text, 'text/csv; charset=utf-8');
  });
  app.get('/export.xlsx', async (context) => {
    const workbook = new ExcelJS.Workbook();
    const sheet = workbook.addWorksheet(DEFINITION.title);
    sheet.columns = COLUMNS.map((name) => ({ header: name, key: name }));
    sheet.addRows(rowsAt(context.req.query('offset')) as Row[]);
    const body = await workbook.xlsx.writeBuffer();
    return send(new Uint8Array(body), 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet');
  });
  app.get('/export.xml', (context) => {
    const record = rowsAt(context.req.query('offset')).map(({ id, position, version, ...elements }) => ({
      '@id': id,
      '@position': position,
      '@version': version,
      ...Object.fromEntries(Object.entries(elements).filter(([, value]) => value !== null)),
    }));
    return send(create({ register: { record } }).end(), 'application/xml; charset=utf-8');
  });
  app.get('/export.rss', (context) => send(feedOf(rowsAt(context.req.query('offset'))).rss2(), 'application/rss+xml'));
  app.get('/export.atom', (context) =>
    send(feedOf(rowsAt(context.req.query('offset'))).atom1(), 'application/atom+xml'),
  );
  return app;
}

function feedOf(rows: readonly Row[]): Feed {
  const feed = new Feed({
    id: DEFINITION.homepage!,
    title: DEFINITION.title,
    link: DEFINITION.homepage!,
    copyright: '',
  });
  for (const row of rows) {
    feed.addItem({
      id: String(row.id),
      title: String(row.title),
      link: String(row.source_url),
      date: new Date(String(row.updated_at ?? row.observed_at)),
      ...(row.published_at === null ? {} : { published: new Date(String(row.published_at)) }),
      ...(row.summary === null ? {} : { description: String(row.summary) }),
      ...(row.content === null ? {} : { content: String(row.content) }),
      ...(row.author === null ? {} : { author: [{ name: String(row.author) }] }),
    });
  }
  return feed;
}

function send(body: string | Uint8Array<ArrayBuffer>, mediaType: string): Response {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return new Response(bytes, { headers: { 'Content-Type': mediaType, 'Content-Length': String(bytes.length) } });
}
