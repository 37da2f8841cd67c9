// The pages as a coat: an owner signed in, who sends the forms of her pages without a script.
import { accountSignIns } from '../../../src/operate/sign-in.ts';
import { createGazette } from '../../../src/service/create-gazette.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { SecretBox } from '../../../src/webhooks/send/secret-box.ts';
import {
  type AccountCoat,
  type CoatKind,
  type EndpointWish,
  type KeyWish,
  refused,
} from '../../contracts/account-coat.ts';
import { SECRETS_KEY } from '../../contracts/full-store.ts';
import { Browser, elements, type Page, textOf } from '../../pages/account/browser.ts';
import { BASE_URL } from '../../world.ts';
import { parse } from 'parse5';

/** The pages. */
export const PAGES: CoatKind = {
  name: 'the pages',
  // A page says in words what is wrong with a form, and shows nothing of what is not the account's own.
  codes: {
    ...{ unknown_key: 'not_found', unknown_endpoint: 'not_found', unknown_delivery: 'not_found' },
    ...{ invalid_option: 'said', unknown_feed: 'said', destination_refused: 'said', no_next_secret: 'said' },
  },
  saysRule: true,
  isOperators: false,
  open: async () => {
    const store = SqliteStore.open(':memory:');
    const service = createGazette({
      ...{ store, limits: null, logger: { info: () => undefined, error: () => undefined } },
      endpoints: { box: () => SecretBox.fromHex(SECRETS_KEY) },
    });
    const signIns = accountSignIns(store);
    return {
      store,
      coatOf: async (accountId) => {
        const browser = new Browser(service.fetch);
        const page = await browser.open(`${BASE_URL}/sign-in/${await signIns.createLink(accountId)}`);
        await browser.submit(page, 'sign-in');
        return coatOf(browser);
      },
      dispose: async () => {
        await service.close();
        await store.close();
      },
    };
  },
};

type Fields = Readonly<Record<string, string | readonly string[] | null>>;

function coatOf(browser: Browser): AccountCoat {
  const open = async (path: string): Promise<Page> => answered(await browser.open(`${BASE_URL}/account/${path}`));
  /** Sends a form of a page. One of a page that is not there is sent with the token of another: a form can be forged. */
  const send = async (path: string, form: string, fields: Fields, action = ''): Promise<Page> => {
    const page = await browser.open(`${BASE_URL}/account/${path}`);
    if (page.forms.some(({ id }) => id === form)) return answered(await browser.submit(page, form, fields));
    const { fields: known } = (await open('keys')).forms.find(({ id }) => id === 'new-key')!;
    const all = new URLSearchParams({ token: known.get('token')!, once: known.get('once')! });
    for (const [name, value] of Object.entries(fields)) for (const one of [value ?? []].flat()) all.append(name, one);
    return answered(await browser.post(`${BASE_URL}/account/${path}${action}`, all));
  };
  const ids = (page: Page, kind: string): readonly string[] => [
    ...new Set(page.links.flatMap((href) => new RegExp(`/account/${kind}/([a-z]+_\\w+)`).exec(href)?.[1] ?? [])),
  ];
  const grace = (hours: number | undefined): Fields => (hours === undefined ? {} : { grace: String(hours) });
  return {
    createKey: async (wish, expires = '') =>
      shown(/gz_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}/, await send('keys', 'new-key', { ...grants(wish), expires })),
    updateKey: (id, wish) => send(`keys/${id}`, 'key', grants(wish)),
    rotateKey: async (id, hours) =>
      shown(/gz_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}/, await send(`keys/${id}`, 'rotate-key', grace(hours), '/rotate')),
    revokeKey: (id) => send(`keys/${id}`, 'revoke-key', {}, '/revoke'),
    keyIds: async () => ids(await open('keys'), 'keys'),
    addEndpoint: async (wish) =>
      shown(/whsec_[A-Za-z0-9+/=]+/, await send('endpoints', 'new-endpoint', subscription(wish))),
    updateEndpoint: (id, wish) => send(`endpoints/${id}`, 'endpoint', subscription(wish)),
    setEnabled: async (id, isEnabled) => {
      const name = isEnabled ? 'enable' : 'disable';
      await send(`endpoints/${id}`, `${name}-endpoint`, {}, `/${name}`);
    },
    removeEndpoint: (id) => send(`endpoints/${id}`, 'remove-endpoint', {}, '/remove'),
    testEndpoint: (id) => send(`endpoints/${id}`, 'test-endpoint', {}, '/test'),
    prepareSecret: async (id) =>
      shown(/whsec_[A-Za-z0-9+/=]+/, await send(`endpoints/${id}`, 'prepare-secret', {}, '/rotate-secret')),
    activateSecret: (id, hours) => send(`endpoints/${id}`, 'activate-secret', grace(hours), '/activate-secret'),
    endpointIds: async () => ids(await open('endpoints'), 'endpoints'),
    deliveryIds: async (endpointId) => ids(await open(`deliveries?endpoint=${endpointId}`), 'deliveries'),
    statuses: async (id) => {
      const list = elements(parse((await open(`deliveries/${id}`)).html), 'ol').map(textOf);
      return [...list.join().matchAll(/answered (\d{3})/g)].map(([, status]) => Number(status));
    },
    replayDelivery: (id) => send(`deliveries/${id}`, 'replay-delivery', {}, '/replay'),
    replayMissed: (id, since = '') => send(`endpoints/${id}`, 'replay-endpoint', { since }, '/replay'),
  };
}

/** A page that is no refusal. */
function answered(page: Page): Page {
  if (page.status < 400) return page;
  throw refused(page.status === 422 ? 'said' : page.status === 404 ? 'not_found' : `${page.status}`, text(page));
}

function text({ html }: Page): string {
  return textOf(parse(html));
}

function shown(pattern: RegExp, { html }: Page): string {
  return pattern.exec(html)?.[0] ?? '';
}

function grants({ name, scopes, feeds, limit, budget, perDay }: KeyWish): Fields {
  const [requests = '', seconds = ''] = limit?.split('/') ?? [];
  return {
    ...(name === undefined ? {} : { name: name ?? '' }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(feeds === undefined ? {} : { feeds: feeds ?? [] }),
    ...(limit === undefined ? {} : { limit: requests, seconds }),
    ...(budget === undefined ? {} : { budget: euros(budget), ...(budget === null ? { per_day: '' } : {}) }),
    ...(perDay === undefined ? {} : { per_day: euros(perDay) }),
  };
}

/** Cents as somebody writes them. */
function euros(cents: number | null): string {
  return cents === null ? '' : String(cents / 100).replace('.', ',');
}

function subscription({ url, feeds, types, filters, isStandard }: EndpointWish): Fields {
  const pairs =
    filters && Object.entries(filters).flatMap(([name, values]) => values.map((value) => `${name}=${value}`));
  return {
    ...(url === undefined ? {} : { url }),
    ...(feeds === undefined ? {} : { feeds }),
    ...(types === undefined ? {} : { types }),
    ...(pairs === undefined ? {} : { filters: pairs.join('\r\n') }),
    ...(isStandard === undefined ? {} : { standard: isStandard ? 'yes' : null }),
  };
}
