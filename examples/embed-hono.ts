// Exports in a Hono application: http://127.0.0.1:8080/open-data/feeds/permits/records/export.csv
import { serve } from '@hono/node-server';
import { exportHandler } from 'gazette';
import { Hono } from 'hono';
import { permits } from './permits.ts';

const port = Number(process.env.PORT ?? 8080);
const exports = exportHandler(permits);
const app = new Hono().all('/open-data/*', (context) => exports(context.req.raw));
serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () => {
  console.log(`http://127.0.0.1:${port}/open-data/feeds/permits/records/export.csv`);
});
