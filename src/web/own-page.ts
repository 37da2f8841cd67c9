// Whether a form was sent from a page of this service: the first of the two checks against requests that other sites
// make a browser send (CSRF). The other is the token in the form.
import { GazetteError, quote } from '../errors.ts';
import type { ServedRequest } from './served-request.ts';

/**
 * Refuses a form that another site may have sent. Every browser sends `Origin` with a form (Fetch 3.1), and one that knows
 * `Sec-Fetch-Site` (Fetch Metadata 2.3) says there what it found itself.
 *
 * @throws GazetteError `origin_refused`
 */
export function checkOwnPage({ request, api }: Pick<ServedRequest, 'request' | 'api'>): void {
  const own = new URL(api).origin;
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  if (origin === own && (site === null || site === 'same-origin')) return;
  throw new GazetteError(
    'origin_refused',
    `a form must be sent from a page of ${own}, got ${origin === null ? 'no Origin' : `Origin ${quote(origin)}`}${site === null ? '' : ` and Sec-Fetch-Site ${quote(site)}`}`,
  );
}
