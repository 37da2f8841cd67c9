// The options of the service: what `createGazette()` takes.
import type { RateLimitOptions } from '../access/rate-limits.ts';
import type { Format, FormatOptions } from '../formats/format.ts';
import type { PublicationOptions } from '../http/description/publication.ts';
import type { McpOptions } from '../mcp/route.ts';
import type { UploadReading } from '../operate/desk/upload-work.ts';
import type { EndpointsOptions } from '../operate/endpoints.ts';
import type { PaymentProvider } from '../views/selling.ts';
import type { TierOptions } from '../register/tier.ts';
import type { ServiceStore } from '../stores/contract/accounts.ts';
import type { LimitCounter } from '../stores/contract/nodes/counter.ts';
import type { TelemetryApi } from '../telemetry/api.ts';
import type { MailOptions } from './owners.ts';
import type { Plugin } from './plugins/plugin.ts';
import type { Wing } from './wing.ts';

/** The methods that the service needs of a logger; pino has them. */
export interface Logger {
  /** Logs a success. */
  info(fields: object, message: string): void;
  /** Logs a failure; `fields.err` is the thrown value. */
  error(fields: object, message: string): void;
}

/** Options of `createGazette()`. */
export interface GazetteOptions extends PublicationOptions {
  /** Registers, accounts and keys. The caller owns it: `close()` leaves it open. */
  readonly store: ServiceStore;
  /** The deployment for which keys are valid (specification 5.4). Default `gazette`. */
  readonly product?: string;
  /**
   * The public URL before `/api/v1`, such as `https://example.org/registers`. Default: the URL of the request,
   * including its mount point. Set it if there is a proxy or a cache in front of the service.
   */
  readonly baseUrl?: string;
  /**
   * Whether the last value each of `X-Forwarded-Proto` and `-For`, which the nearest proxy added, is trusted. Set it
   * only behind a proxy that sets these fields. Default false.
   */
  readonly trustProxy?: boolean;
  /**
   * Whether the last value of `X-Forwarded-Host` is trusted too: links then name that host, unless there is a `baseUrl`.
   * Set it only behind a proxy that sets this field itself. Most proxies pass on what the client sent. Default false.
   */
  readonly trustForwardedHost?: boolean;
  /**
   * Whether the service answers below any path, because the server that it is mounted in decides. If false, it answers
   * at the root and below the path of `baseUrl`, and any other path is 404. Default true.
   */
  readonly anyPrefix?: boolean;
  /** Whether HTTP Basic with the key as password is accepted too. Default false. */
  readonly allowBasic?: boolean;
  /** How much a caller may request; null disables all limits. */
  readonly limits?: RateLimitOptions | null;
  /** Counts requests for several processes. Default: the store's; a store in a file has none, and this process counts. */
  readonly limitCounter?: LimitCounter;
  /** How much the public tier sees. */
  readonly tiers?: TierOptions;
  /**
   * The formats of exports, each at `export.` and its name: `[...EXPORT_FORMATS, tsv]` adds one to gazette's own.
   * Default: `EXPORT_FORMATS`.
   */
  readonly formats?: readonly Format[];
  /** Options of each format, by its name. */
  readonly formatOptions?: Readonly<Record<string, FormatOptions>>;
  /** Whether there are pages for people at the root. Default true. */
  readonly pages?: boolean;
  /** Whether there is a desk for editors, at `/desk`. It is one of the pages. Default false. */
  readonly desk?: boolean;
  /** `other`: what an editor proposes at the desk, another one approves. Default: the editor may, too. */
  readonly approve?: 'other';
  /**
   * Where files lie that editors upload at the desk: a folder on a disk of this machine, which is made for its owner alone, and
   * the most bytes of a file (default 200,000,000). Default: they can upload none.
   */
  readonly uploads?: { readonly folder: string; readonly maxBytes?: number };
  /** How they are read; the command line does it in threads. Default: by this process, between its answers. @internal */
  readonly uploadReading?: UploadReading;
  /**
   * How webhook endpoints are kept that owners of accounts add: with the key that encrypts their secrets, and the rules for
   * their addresses. Default: owners can add none.
   */
  readonly endpoints?: Omit<EndpointsOptions, 'now'>;
  /** How links to sign in are sent by e-mail. Default: the operator hands them out (`gazette account sign-in`, `gazette editor
   * sign-in`). */
  readonly mail?: MailOptions;
  /** Who moves money for records that are bought, besides prepaid credit. Default: nobody. */
  readonly providers?: readonly PaymentProvider[];
  /** What others add: routes, pages, tools and figures. Default: nothing. */
  readonly plugins?: readonly Plugin[];
  /** Its wings. Default: all. @internal */
  readonly wings?: readonly Wing[];
  /** How the MCP route answers, and which pages may use it. */
  readonly mcp?: McpOptions;
  /** Bytes of finished pages to keep in memory. Default 32 MiB; 0 disables the cache. */
  readonly cacheBytes?: number;
  /** Gets one line per answer and per failure. Default: failures go to `console.error`, and answers are not logged. */
  readonly logger?: Logger;
  /** Whether lines say whose request it was: account, key, and the network of the address. Default true. */
  readonly logCallers?: boolean;
  /** The module `@opentelemetry/api`: makes spans of requests and of what they ask of the store. Default: none are made. */
  readonly telemetry?: TelemetryApi;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
  /** Default: a random UUID. */
  readonly createRequestId?: () => string;
}
