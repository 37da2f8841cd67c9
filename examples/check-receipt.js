// Checks a receipt to cite with the public keys of the service that issued it, and says which text was bought. Install its
// package, then start it with the address of the service that you trust, and with the receipt:
//
//   npm install jose
//   node examples/check-receipt.js https://registers.example.org eyJ…
import { createRemoteJWKSet, jwtVerify } from 'jose';

const [service = 'http://127.0.0.1:8080', receipt = ''] = process.argv.slice(2);

const issuer = `${service}/api/v1`;
const keys = createRemoteJWKSet(new URL(`${issuer}/receipt-keys`));
const { payload } = await jwtVerify(receipt, keys, { issuer, typ: 'gazette-receipt+jwt', algorithms: ['EdDSA'] });
const { record_id: id, content_version: version, change, feed_id: feed, iat } = payload;
console.log(`version ${version} of ${id}, change ${change} of ${feed}, bought ${new Date(iat * 1000).toISOString()}`);
