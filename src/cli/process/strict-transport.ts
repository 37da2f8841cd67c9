// HTTP Strict Transport Security (RFC 6797): browsers that were here once ask no more without TLS. It binds a whole host, so that
// only the service's own server says it, where the operator has named an address that is the host's usual one.
import type { WebHandler } from '../../adapters/node.ts';
import type { Fetch } from '../../http/app.ts';
import type { HeaderFields } from '../../web/representation.ts';
import type { ServeOptions } from '../options/serving.ts';

/** A year. */
const STRICT: HeaderFields = { 'strict-transport-security': 'max-age=31536000' };

/** The header fields that every answer has besides its own: none unless the public address is https on port 443. */
export function transportFields({ baseUrl, hsts }: Pick<ServeOptions, 'baseUrl' | 'hsts'>): HeaderFields {
  const url = hsts && baseUrl !== undefined ? URL.parse(baseUrl) : null;
  return url?.protocol === 'https:' && url.port === '' ? STRICT : {};
}

/** The service with further header fields in each of its answers. */
export function withFields(fetch: Fetch, fields: HeaderFields): WebHandler {
  if (Object.keys(fields).length === 0) return fetch;
  const answer: Fetch['answer'] = async (request, info) => {
    const answered = await fetch.answer(request, info);
    return { ...answered, headers: { ...answered.headers, ...fields } };
  };
  return Object.assign(fetch.bind(undefined), { answer });
}
