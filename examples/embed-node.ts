// Exports in a plain node:http server: http://127.0.0.1:8080/feeds/permits/records/export.csv
import { createServer } from 'node:http';
import { exportHandler, toNodeListener } from 'gazette';
import { permits } from './permits.ts';

const port = Number(process.env.PORT ?? 8080);
createServer(toNodeListener(exportHandler(permits))).listen(port, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${port}/feeds/permits/records/export.csv`);
});
