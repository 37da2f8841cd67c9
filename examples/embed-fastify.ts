// Exports in a Fastify server, with Fastify's own check before them. Without the token the answer is 401:
// curl -H 'X-Token: open' http://127.0.0.1:8080/feeds/permits/records/export.rss
import Fastify from 'fastify';
import { exportHandler, toFastifyHandler } from 'gazette';
import { permits } from './permits.ts';

const port = Number(process.env.PORT ?? 8080);
const app = Fastify();
app.addHook('onRequest', async (request, reply) => {
  if (request.headers['x-token'] !== 'open') await reply.code(401).send('a token is required\n');
});
app.all('/feeds/*', toFastifyHandler(exportHandler(permits, { baseUrl: `http://127.0.0.1:${port}` })));
await app.listen({ port, host: '127.0.0.1' });
console.log(`http://127.0.0.1:${port}/feeds/permits/records/export.rss`);
