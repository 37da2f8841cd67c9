// What people ask for: pages in their languages, and the pages of an account, from the link to the end of the session.
import type { Answer, Question } from './ask.ts';
import type { Ask } from './account-questions.ts';
import { must } from './processes.ts';

const PAGES = [
  '/',
  '/?q=water',
  '/?page=2',
  '/?offset=3',
  '/guide',
  '/permits',
  '/feeds/permits',
  '/feeds/permits?q=water',
  '/feeds/permits?q=%22',
  '/feeds/permits?document_type=adopted',
  '/feeds/permits?document_type=none',
  '/feeds/permits?data.country=NL&published_since=2025',
  '/feeds/permits?offset=100',
  '/feeds/permits?offset=1000',
  '/feeds/permits?limit=x',
  '/feeds/permits?none=1',
  '/feeds/notices',
  '/feeds/notices?q=valve',
  '/feeds/notices?offset=2&limit=2',
  '/feeds/hostile',
  '/feeds/shop',
  '/feeds/shop?q=Sitzung',
  '/feeds/minutes',
  '/feeds/void',
  '/feeds/none',
  '/records/permits:2025-0154',
  '/records/permits:2026-0191',
  '/records/permits:2025-0154/proof',
  '/records/permits:none',
  '/records/notices:PE-2025~2F0031',
  '/records/notices:PE-2026-0005/proof',
  '/records/hostile:danger-01',
  '/records/shop:1',
  '/records/shop:13',
  '/records/shop:5',
  '/records/shop:14',
  '/records/minutes:3',
  '/records/minutes:3/proof',
  '/records/minutes:13/proof?version=1',
  '/none',
  '/sign-in',
  '/sign-in/none',
  `/sign-in/${'0'.repeat(40)}`,
  '/account',
  '/account/keys',
  '/account/credit/buyer',
  '/assets/none.css',
] as const;

/** Pages without a session. */
export function* pages(): Generator<Question> {
  const html = { accept: 'text/html' };
  for (const path of PAGES) {
    yield { path, headers: html };
    yield { path, headers: { ...html, 'accept-language': 'de' } };
  }
  for (const path of ['/', '/feeds/permits', '/sign-in']) {
    yield { path, headers: { ...html, 'accept-language': 'fr, de;q=0.5' } };
    yield { path, headers: { ...html, cookie: 'gazette=none; language=de' } };
    yield { path, method: 'HEAD', headers: html };
    yield { path: `${path}?lang=de`, headers: html };
    yield { path, headers: { accept: 'application/json' } };
  }
  for (const path of ['/account', '/sign-in', '/sign-out', '/account/keys'])
    yield { path, method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=b' };
}

const ACCOUNT_PAGES = [
  '/account',
  '/account/keys',
  '/account/keys/new',
  '/account/endpoints',
  '/account/endpoints/new',
  '/account/deliveries',
  '/account/ledger',
  '/account/ledger.csv',
  '/account/none',
  '/',
  '/feeds/permits',
  '/feeds/shop',
  '/records/permits:2025-0154',
  '/records/shop:1',
  '/records/shop:6',
] as const;

/** Pages of an owner: the way in, everything that is there, forms with and without their token, and the way out. */
export async function askAsOwner(ask: Ask, account: string): Promise<void> {
  const link = await must('account', 'sign-in', account, '--base-url', 'https://gazette.example');
  const path = new URL(link).pathname;
  const note = account;
  const site = { accept: 'text/html', origin: 'https://gazette.example', 'sec-fetch-site': 'same-origin' };
  const form = { ...site, 'content-type': 'application/x-www-form-urlencoded' };
  const confirm = await ask({ path, note, headers: site });
  const page = cookieOf(confirm);
  const token = tokenIn(confirm);
  const without = { ...form, ...page };
  await ask({ path, method: 'POST', note: `${note} without a token`, headers: without, body: '' });
  await ask({
    path,
    method: 'POST',
    note: `${note} from elsewhere`,
    headers: { ...without, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    body: token,
  });
  const begun = await ask({ path, method: 'POST', note, headers: without, body: token });
  await ask({ path, method: 'POST', note: `${note} again`, headers: without, body: token });
  const session = cookieOf(begun);
  const signedIn = { ...site, ...session };
  let keys: Answer | null = null;
  for (const asked of ACCOUNT_PAGES) {
    for (const language of ['en', 'de']) {
      const answer = await ask({ path: asked, note, headers: { ...signedIn, 'accept-language': language } });
      if (asked === '/account/keys' && language === 'en') keys = answer;
    }
  }
  const post = (action: string, fields: Readonly<Record<string, string>>, from: Answer): Promise<Answer> =>
    ask({
      path: action,
      method: 'POST',
      note,
      headers: { ...form, ...session },
      body: `${tokenIn(from)}&${new URLSearchParams(fields).toString()}`,
    });
  for (const fields of [{ name: 'by hand', scope: 'read' }, { name: 'x'.repeat(200) }, { name: '', until: 'x' }])
    await post('/account/keys', fields, keys!);
  await ask({ path: '/account/keys', note: `${note} afterwards`, headers: signedIn });
  await post('/sign-out', {}, keys!);
  await ask({ path: '/account', note: `${note} signed out`, headers: signedIn });
}

function cookieOf({ headers }: Answer): Readonly<Record<string, string>> {
  const cookie = headers['set-cookie']?.split(';')[0];
  return cookie === undefined ? {} : { cookie };
}

/** The hidden fields of the last form of a page. */
function tokenIn({ text }: Answer): string {
  const fields = Array.from(
    text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g),
    ([, name, value]) => [name!, value!],
  );
  return new URLSearchParams(Object.fromEntries(fields) as Record<string, string>).toString();
}
