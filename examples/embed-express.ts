// Exports in an Express server, below a path and behind a check of your own. Without the token the answer is 401:
// curl -H 'X-Token: open' http://127.0.0.1:8080/open-data/feeds/permits/records/export.atom
import express from 'express';
import { exportHandler, toNodeListener } from 'gazette';
import { permits } from './permits.ts';

const port = Number(process.env.PORT ?? 8080);
const app = express();
app.use('/open-data', (request, response, next) => {
  if (request.get('x-token') === 'open') next();
  else response.status(401).send('a token is required\n');
});
app.use('/open-data', toNodeListener(exportHandler(permits, { baseUrl: `http://127.0.0.1:${port}/open-data` })));
app.listen(port, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${port}/open-data/feeds/permits/records/export.atom`);
});
