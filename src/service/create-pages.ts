// The pages of a service: the readers' over its registers, with the way in which it knows who asks.
import { PUBLIC_ACCESS } from '../access/access.ts';
import { ADDRESS_LIMIT, KEY_LIMIT, type RateLimitOptions } from '../access/rate-limits.ts';
import type { Format } from '../formats/format.ts';
import type { Publication } from '../http/description/publication.ts';
import type { PageSide } from '../http/page-side.ts';
import type { ServiceContext } from '../http/service-context.ts';
import type { WholeRegisters } from '../http/whole/registers.ts';
import { ownerRoutes } from '../pages/account/routes.ts';
import { recogniser } from '../pages/account/session.ts';
import { referenceHeader } from '../pages/frame.ts';
import { pageRoutes, refusePage } from '../pages/routes.ts';
import type { PageOptions } from '../pages/services.ts';
import type { ApiKeyEntry } from '../stores/contract/accounts.ts';
import { REGISTERS_PAGE_SIZE } from '../stores/contract/catalogue.ts';
import type { Choices } from '../templates/account/key-parts.ts';
import { deskRoutes } from '../pages/desk/routes.ts';
import type { Desk } from './desk.ts';
import { OverdueWatch } from '../operate/registers/overdue.ts';
import type { Owners } from './owners.ts';
import type { Plugin } from './plugins/plugin.ts';
import { checkPaths } from './plugins/check.ts';
import type { OpenedWing } from './wing.ts';
import { pluginPage } from './plugins/surfaces.ts';

/** What the pages show of the service. */
export interface PagesOptions extends Publication {
  readonly formats: readonly Format[];
  readonly wholes: WholeRegisters;
  /** As the service has them; null: none. */
  readonly limits: RateLimitOptions | null | undefined;
  /** What owners of accounts need. Null: nobody can sign in. */
  readonly owners: Owners | null;
  /** What editors need. Null: there is no desk. */
  readonly desk: Desk | null;
  /** The product of keys. */
  readonly product: string;
  readonly wings: readonly OpenedWing[];
  readonly now: () => number;
  readonly plugins: readonly Plugin[];
}

/** Creates them. */
export function createPages(service: ServiceContext, given: PagesOptions): PageSide {
  const { formats, wholes, limits, owners, desk, product, wings, now, plugins, ...publication } = given;
  const options: PageOptions = {
    service: publication,
    formats,
    wholes,
    limits: limitsOf(limits),
    hasAccounts: owners !== null,
    overdue: new OverdueWatch(service.store, now),
    async readingKey(accountId) {
      const own = owners?.ownAccount(accountId);
      const works = (key: ApiKeyEntry): boolean =>
        own?.keyStateOf(key) === 'active' && key.product === product && key.scopes.includes('read');
      return (await own?.keys())?.find(works) ?? null;
    },
  };
  const refuse: PageSide['refuse'] = (context, problem, answer) => refusePage(context, problem, answer, options);
  const header: PageSide['header'] = (context) => referenceHeader(context, options);
  const added = plugins.flatMap(({ pages = [] }) => pages.map((page) => pluginPage(service, options, page)));
  const own = [...pageRoutes(service, options), ...wings.flatMap((wing) => wing.pages?.(service, options) ?? [])];
  checkPaths(own, added);
  const routes = [...own, ...added];
  if (owners === null) return { routes, recognise: () => Promise.resolve(PUBLIC_ACCESS), refuse, header };
  const registers = async (chosen: readonly string[]): Promise<Choices> => {
    const { store } = service;
    const page = await store.catalogue.page({ offset: 0, limit: REGISTERS_PAGE_SIZE });
    const titles = new Map(page.registers.map(({ definition: { id, title } }) => [id, title]));
    // One that is gone is shown as chosen too: left out, the form would choose none, which means all.
    for (const id of chosen) if (!titles.has(id)) titles.set(id, (await store.register(id))?.definition.title ?? id);
    return { registers: [...titles].map(([id, title]) => ({ id, title })), areAll: page.nextOffset === null };
  };
  const owned = { ...owners, registers, product, options, now };
  return {
    routes: [
      ...routes,
      ...ownerRoutes(owned),
      ...wings.flatMap((wing) => wing.ownerPages?.(owned, service) ?? []),
      // Who works at the desk is not led to an account from there.
      ...(desk === null ? [] : deskRoutes({ ...desk, options: { ...options, hasAccounts: false } })),
    ],
    recognise: recogniser(owners.signIns, now),
    refuse,
    header,
  };
}

/** The limits that the guide names. */
function limitsOf(limits: RateLimitOptions | null = {}): PageOptions['limits'] {
  if (limits === null) return { perKey: null, perAddress: null };
  const { perKey = KEY_LIMIT, perAddress = ADDRESS_LIMIT } = limits;
  return { perKey, perAddress };
}
