// A browser without a script engine: it keeps cookies as they ask, follows redirects, reads forms, and sends them with the
// fields that browsers send. Tests give it other cookies and fields to be somebody worse.
import { parse } from 'parse5';
import type { DefaultTreeAdapterMap } from 'parse5';
import type { RequestOrigin } from '../../../src/web/incoming-request.ts';

type Node = DefaultTreeAdapterMap['node'];
type Element = DefaultTreeAdapterMap['element'];

/** A page as it was answered. */
export interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly url: string;
  readonly html: string;
  readonly forms: readonly Form[];
  /** The addresses of its links, absolute. */
  readonly links: readonly string[];
}

/** A form of a page, with its fields as they are. */
export interface Form {
  readonly id: string;
  readonly action: string;
  readonly fields: URLSearchParams;
}

/** How a request differs from what this browser would send. */
export interface Sending {
  /** Null: the field is left out. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Whether redirects are followed. Default true. */
  readonly isFollowing?: boolean;
}

/** What it asks. */
type Fetch = (request: Request, origin?: RequestOrigin) => Promise<Response>;

/** Who uses a browser. */
export interface BrowserOptions {
  /** Default `en`. */
  readonly language?: string;
  readonly remoteAddress?: string;
}

/** A browser, with its own cookies. */
export class Browser {
  readonly #cookies = new Map<string, string>();
  /** Every field `Set-Cookie` that came. */
  readonly setCookies: string[] = [];
  readonly #fetch: Fetch;
  readonly #language: string;
  readonly #remoteAddress: string;

  constructor(fetch: Fetch, { language = 'en', remoteAddress = '203.0.113.7' }: BrowserOptions = {}) {
    this.#fetch = fetch;
    this.#language = language;
    this.#remoteAddress = remoteAddress;
  }

  /** Its cookies, by their names. */
  get cookies(): Map<string, string> {
    return this.#cookies;
  }

  /** Its cookies, as it sends them. */
  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Opens an address. */
  open(url: string, sending: Sending = {}): Promise<Page> {
    return this.#send(url, 'GET', null, {
      ...sending,
      headers: { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', ...sending.headers },
    });
  }

  /** Sends a form of a page, its fields changed. @param changed null leaves a field out */
  submit(
    page: Page,
    id: string,
    changed: Readonly<Record<string, string | readonly string[] | null>> = {},
    sending: Sending = {},
  ): Promise<Page> {
    const form = page.forms.find((one) => one.id === id);
    if (form === undefined) throw new Error(`no form ${id} at ${page.url}: ${page.forms.map((one) => one.id).join()}`);
    const fields = new URLSearchParams(form.fields);
    for (const [name, value] of Object.entries(changed)) {
      fields.delete(name);
      for (const one of value === null ? [] : [value].flat()) fields.append(name, one);
    }
    return this.post(form.action, fields, sending);
  }

  /** Sends fields to an address, as a form of a page of the same origin does. */
  post(url: string, fields: URLSearchParams, sending: Sending = {}): Promise<Page> {
    const own = { origin: new URL(url).origin, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' };
    return this.#send(url, 'POST', fields.toString(), { ...sending, headers: { ...own, ...sending.headers } });
  }

  async #send(url: string, method: string, body: string | null, sending: Sending): Promise<Page> {
    const { cookie } = this;
    const headers = new Headers({ accept: 'text/html,*/*;q=0.8', 'accept-language': this.#language });
    if (cookie !== '') headers.set('cookie', cookie);
    if (body !== null) headers.set('content-type', 'application/x-www-form-urlencoded');
    for (const [name, value] of Object.entries(sending.headers ?? {})) {
      if (value === null) headers.delete(name);
      else headers.set(name, value);
    }
    const request = new Request(url, { method, headers, ...(body === null ? {} : { body }) });
    const response = await this.#fetch(request, { remoteAddress: this.#remoteAddress });
    for (const field of response.headers.getSetCookie()) this.#keep(field);
    const location = response.headers.get('location');
    if (location !== null && sending.isFollowing !== false) return this.open(new URL(location, url).href);
    return pageOf(response, url, await response.text());
  }

  #keep(field: string): void {
    this.setCookies.push(field);
    const [pair = '', ...attributes] = field.split('; ');
    const at = pair.indexOf('=');
    const name = pair.slice(0, at);
    if (attributes.includes('Max-Age=0')) this.cookies.delete(name);
    else this.cookies.set(name, pair.slice(at + 1));
  }
}

function pageOf(response: Response, url: string, html: string): Page {
  const root = parse(html);
  const forms = elements(root, 'form').map((form) => ({
    id: attribute(form, 'id') ?? '',
    action: new URL(attribute(form, 'action') ?? '', url).href,
    fields: fieldsOf(form),
  }));
  const links = elements(root, 'a').flatMap((link) => {
    const href = attribute(link, 'href');
    return href === null ? [] : [new URL(href, url).href];
  });
  return { status: response.status, headers: response.headers, url, html, forms, links };
}

/** The fields that a form would send (HTML 4.10.22.4), without its buttons. */
function fieldsOf(form: Element): URLSearchParams {
  const fields = new URLSearchParams();
  for (const control of [...elements(form, 'input'), ...elements(form, 'textarea')]) {
    const name = attribute(control, 'name');
    const isBox = attribute(control, 'type') === 'checkbox';
    if (name === null || (isBox && attribute(control, 'checked') === null)) continue;
    fields.append(name, control.tagName === 'textarea' ? textOf(control) : (attribute(control, 'value') ?? ''));
  }
  for (const select of elements(form, 'select')) {
    const options = elements(select, 'option');
    const chosen = options.find((one) => attribute(one, 'selected') !== null) ?? options[0];
    const name = attribute(select, 'name');
    if (name !== null && chosen !== undefined) fields.append(name, attribute(chosen, 'value') ?? textOf(chosen));
  }
  return fields;
}

/** All elements of a name, in their order. */
export function elements(node: Node, name: string): Element[] {
  const own = 'tagName' in node && node.tagName === name ? [node] : [];
  const children = 'childNodes' in node ? node.childNodes : [];
  return [...own, ...children.flatMap((child) => elements(child, name))];
}

/** The text in an element. */
export function textOf(node: Node): string {
  if ('value' in node) return node.value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

function attribute({ attrs }: Element, name: string): string | null {
  return attrs.find((one) => one.name === name)?.value ?? null;
}
