// The options of `gazette serve`: the settings of an installation.
import { SERVING } from '../../wings/serving.ts';
import type { PublicationOptions } from '../../http/description/publication.ts';
import { choice, list, type Options, settings, text, flag, unless, whole } from '../command.ts';
import { FORMAT_MODULE, type FormatModuleOptions } from './format-module.ts';
import { PLUGIN, type PluginOptions } from './plugin.ts';
import { PRODUCT } from './keys.ts';
import { LIMIT_OPTIONS, type LimitOptions } from './limits.ts';
import { METRICS_OPTIONS, type MetricsOptions, TELEMETRY_OPTIONS, type TelemetryOptions } from './metrics.ts';
import { BASE_URL, PUBLICATION_OPTIONS } from './publication.ts';
import { SENDING_OPTIONS, type SendingOptions } from './sending.ts';
import { SERVED_STORE_OPTIONS, type ServedStoreOptions } from './store.ts';

/** More processes than any machine can use. */
const MAX_WORKERS = 256;

/** Many readers may share one address, each with the six connections of a browser; no more than a sixth of Node's usual files. */
const CONNECTIONS_PER_ADDRESS = 256;

const MAX_CONNECTIONS = 65_535;

/** What `gazette serve` is told. */
export interface ServeOptions
  extends
    ServedStoreOptions,
    SendingOptions,
    FormatModuleOptions,
    PluginOptions,
    PublicationOptions,
    LimitOptions,
    MetricsOptions,
    TelemetryOptions {
  readonly product: string;
  readonly port: number;
  readonly host: string;
  readonly baseUrl?: string;
  readonly workers: number;
  readonly connectionsPerAddress: number;
  readonly trustProxy?: true;
  readonly trustForwardedHost?: true;
  readonly allowBasic?: true;
  readonly mcpAllowOrigin: readonly string[];
  readonly mcpBudgetTokens?: number;
  readonly logCallers: boolean;
  readonly hsts: boolean;
  readonly pages: boolean;
  readonly desk?: true;
  readonly approve?: 'other';
  /** Absent: nothing is sent by e-mail. */
  readonly smtp?: string;
  /** Absent: `no-reply@` and the host of the public address. */
  readonly mailFrom?: string;
}

/** The settings of an installation. */
export const SERVE_OPTIONS: Options<ServeOptions> = settings({
  ...SERVED_STORE_OPTIONS,
  product: PRODUCT,
  port: { ...whole('the port to listen on; 0 for any free one', 0, 65_535, 8080), commonVariable: 'PORT' },
  host: { ...text('<address>', 'the address to listen on', '127.0.0.1'), commonVariable: 'HOST' },
  baseUrl: { ...BASE_URL, description: `${BASE_URL.description} (default: the one that the request names)` },
  workers: whole('how many processes serve', 1, MAX_WORKERS, 1),
  ...METRICS_OPTIONS,
  ...TELEMETRY_OPTIONS,
  connectionsPerAddress: {
    ...whole(
      'how many connections one address may have at a time, in each process; with --trust-proxy, any number',
      1,
      MAX_CONNECTIONS,
      CONNECTIONS_PER_ADDRESS,
    ),
    conflicts: 'trustProxy',
  },
  formatModule: FORMAT_MODULE,
  plugin: PLUGIN,
  trustProxy: flag('believe X-Forwarded-For and -Proto; only behind a proxy that sets them'),
  trustForwardedHost: flag(
    'believe X-Forwarded-Host where there is no --base-url; only behind a proxy that sets it itself',
  ),
  allowBasic: flag('also accept a key as the password of HTTP Basic'),
  mcpAllowOrigin: list(
    '<origin>',
    "a web site whose pages may call /mcp, besides the service's own; * for all",
    'none',
  ),
  mcpBudgetTokens: {
    value: '<number>',
    description: 'how long an answer of /mcp may be, in tokens (default: 20,000)',
    default: undefined,
    read: Number,
  },
  logCallers: unless('leave out of the log whose requests they are: account, key and network'),
  hsts: unless(
    'send no Strict-Transport-Security where the --base-url is https on port 443; it binds the whole host for a year',
  ),
  pages: unless('serve the interface for programs alone, without the pages for people'),
  desk: flag('serve the desk, too: pages at /desk for those who keep the registers (gazette editor)'),
  approve: choice('<who>', 'other: what an editor proposes at the desk, another editor approves', ['other']),
  ...PUBLICATION_OPTIONS,
  smtp: text(
    '<url>',
    'the mail server that sends links to sign in and says when a webhook endpoint fails, such as smtps://user:password@mail.example.org; needs nodemailer and --base-url',
  ),
  mailFrom: text('<address>', 'the sender of these mails (default: no-reply@ and the host of --base-url)'),
  ...LIMIT_OPTIONS,
  ...(Object.assign({}, ...SERVING.map(({ options }) => options)) as object),
  ...SENDING_OPTIONS,
});
