// What pages need of the service that they are part of, and of a request.
import type { AuthenticatedRequest, RouteOf } from '../access/route.ts';
import type { KeyHolder } from '../access/scopes.ts';
import type { Format } from '../formats/format.ts';
import type { FilterField } from '../register/finding/filters.ts';
import type { PageQuery } from '../register/page.ts';
import type { OverdueWatch } from '../operate/registers/overdue.ts';
import type { Tier, TierOptions } from '../register/tier.ts';
import type { ApiKeyEntry } from '../stores/contract/accounts.ts';
import type { RegisterStore } from '../stores/contract/registers.ts';
import type { ServiceTexts } from '../templates/layout.ts';
import type { RegisterView, RegisterViews } from '../views/registers.ts';
import type { Sight } from '../views/sight.ts';
import type { Selling } from '../views/selling.ts';
import type { SignedStates } from '../views/signed.ts';
import type { RateLimit } from '../web/rate-limit.ts';
import type { HeaderFields, HttpResponse, WrittenBody } from '../web/representation.ts';

/** A request for a page. */
export interface PageContext extends AuthenticatedRequest {
  /** The path without the mount prefix. */
  readonly path: string;
  readonly parameters: URLSearchParams;
  /** Header fields of the answer. */
  readonly headers: HeaderFields;
  readonly isPage: boolean;
  /** Looks again whether the reader may have the answer, while it is sent. @throws GazetteError */
  readonly admitAgain: () => Promise<void>;
  /** Counts what the public sees of older records. @throws GazetteError `rate_limited` */
  readonly countPreviews: (times: number) => Promise<void>;
}

/** A page that can be answered from a cache, or not at all. */
export interface PageResource {
  /** The register it is read from; null if it belongs to none. */
  readonly view: RegisterView | null;
  /** Its strong entity tag; null: a digest of the body. */
  readonly etag: string | null;
  readonly isText: true;
  readonly isDated?: boolean;
  /** Whether only its reader may keep it, although no key opens it. Default false. */
  readonly isPrivate?: boolean;
  readonly mayNotExist?: boolean;
  /** @param signal aborts once nobody waits for it any more */
  write(signal: AbortSignal): WrittenBody | Promise<WrittenBody>;
}

/** What all pages share. */
export interface PageServices {
  readonly store: Pick<RegisterStore, 'catalogue' | 'register' | 'ids' | 'values'>;
  readonly registers: RegisterViews;
  readonly tiers: TierOptions;
  readonly sight: Sight<KeyHolder>;
  readonly selling: Selling | undefined;
  readonly signed: SignedStates | undefined;
  readonly filters: readonly FilterField[];
  /** The query, checked against the register. @throws GazetteError `invalid_parameter`, `unknown_parameter` */
  asked<Query extends Pick<PageQuery, 'asOf' | 'filter' | 'fields'>>(view: RegisterView, query: Query): Query;
  /** What the reader may see of a register. */
  tierOf(context: PageContext, view: RegisterView): Tier;
  /** The entity tag of what a tier sees of a register. */
  tagOf(context: PageContext, view: RegisterView, kind: string, shape: unknown): string;
  /** Answers a GET or HEAD. */
  answer(context: PageContext, resource: PageResource): Promise<HttpResponse>;
}

/** How pages present the service. */
export interface PageOptions {
  readonly service: ServiceTexts & { readonly keysUrl: string | null };
  /** The names and media types of the formats that are served. */
  readonly formats: readonly Pick<Format, 'name' | 'mediaType' | 'needs'>[];
  /** Whole registers: their formats, and how they are answered. */
  readonly wholes: {
    readonly formats: PageOptions['formats'];
    answer(
      context: PageContext,
      pathParameters: Readonly<Record<string, string>>,
      parameters: URLSearchParams,
    ): Promise<HttpResponse>;
  };
  /** How much a caller may request; null: any number. */
  readonly limits: { readonly perKey: RateLimit | null; readonly perAddress: RateLimit | null };
  /** Whether somebody can sign in. */
  readonly hasAccounts: boolean;
  /** Whether registers wait for files for longer than they say. */
  readonly overdue: Pick<OverdueWatch, 'of'>;
  /** The newest key of an account that reads records of this service now; null: it has none. */
  readonly readingKey: (accountId: string) => Promise<ApiKeyEntry | null>;
}

/** A route of the pages. */
export type PageRoute = RouteOf<PageContext>;
