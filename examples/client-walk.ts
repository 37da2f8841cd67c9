// Reads a register of a running service to its end: npx node examples/client-walk.ts http://127.0.0.1:8080
// The service that `npm start` starts works. With a key in GAZETTE_API_KEY every record is read, else the latest three.
import { type ClientCache, records } from 'gazette/client';
import { isGazetteError } from 'gazette/errors';

const [, , service = 'http://127.0.0.1:8080', feedId = 'permits'] = process.argv;
const cache: ClientCache = new Map(); // the second walk asks only whether anything changed
const options = { key: process.env.GAZETTE_API_KEY, cache };

try {
  for (const walk of ['first', 'second']) {
    let count = 0;
    let newest = '';
    for await (const record of records(`${service}/api/v1/feeds/${feedId}/records`, options)) {
      if (count++ === 0) newest = record.title;
    }
    console.log(`${walk} walk: ${count} records, the newest is “${newest}”`);
  }
} catch (error) {
  if (!isGazetteError(error)) throw error;
  console.error(`${error.code}: ${error.message}`);
  process.exitCode = 1;
}
