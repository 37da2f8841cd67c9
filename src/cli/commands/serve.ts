// `gazette serve`: the service over a store.
import { type Command, Option } from 'commander';
import { ConfiguredCommand } from '../configuration/configured-command.ts';
import { repeatable } from '../options/collect.ts';
import { formatModuleOption } from '../options/format-module.ts';
import { addLimitOptions } from '../options/limits.ts';
import { addMailOptions } from '../options/mail.ts';
import { addMetricsOptions, addTelemetryOption, wholeNumber } from '../options/metrics.ts';
import { productOption } from '../options/product.ts';
import { addPublicationOptions, baseUrlOption } from '../options/publication.ts';
import { addSendingOptions } from '../options/sending.ts';
import { addPaymentOptions } from '../process/payments.ts';
import type { ServeOptions } from '../process/serving.ts';
import { addLogOptions } from '../process/signing/signing.ts';
import { addServedStoreOptions } from '../options/store.ts';
import type { Io } from '../io/io.ts';

/** More processes than any machine can use. */
const MAX_WORKERS = 256;

/** Many readers may share one address, each with the six connections of a browser; no more than a sixth of Node's usual files. */
const CONNECTIONS_PER_ADDRESS = 256;

const MAX_CONNECTIONS = 65_535;

/** Adds `gazette serve` to the program. */
export function addServe(program: Command, io: Io, signal: AbortSignal): void {
  const serving = program
    .command('serve')
    .description('Serve the registers of a store over HTTP, and send webhooks if GAZETTE_SECRETS_KEY is set.');
  const command = addServedStoreOptions(serving)
    .addOption(productOption())
    .option('--port <number>', 'the port to listen on; 0 for any free one', wholeNumber(0, 65_535), 8080)
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .addOption(baseUrlOption('the one that the request names'))
    .option('--workers <number>', 'how many processes serve', wholeNumber(1, MAX_WORKERS), 1);
  addTelemetryOption(addMetricsOptions(command))
    .addOption(
      new Option(
        '--connections-per-address <number>',
        'how many connections one address may have at a time, in each process; with --trust-proxy, any number',
      )
        .argParser(wholeNumber(1, MAX_CONNECTIONS))
        .default(CONNECTIONS_PER_ADDRESS)
        .conflicts('trustProxy'),
    )
    .addOption(formatModuleOption())
    .option('--trust-proxy', 'believe X-Forwarded-For and -Proto; only behind a proxy that sets them')
    .option(
      '--trust-forwarded-host',
      'believe X-Forwarded-Host where there is no --base-url; only behind a proxy that sets it itself',
    )
    .option('--allow-basic', 'also accept a key as the password of HTTP Basic')
    .addOption(
      repeatable(
        '--mcp-allow-origin <origin>',
        "a web site whose pages may call /mcp, besides the service's own; * for all",
        'none',
      ),
    )
    .option('--mcp-budget-tokens <number>', 'how long an answer of /mcp may be, in tokens (default: 20,000)', Number);
  command.option('--no-log-callers', 'leave out of the log whose requests they are: account, key and network');
  command.option(
    '--no-hsts',
    'send no Strict-Transport-Security where the --base-url is https on port 443; it binds the whole host for a year',
  );
  command.option('--no-pages', 'serve the interface for programs alone, without the pages for people');
  addPublicationOptions(command);
  addMailOptions(command);
  addLimitOptions(command);
  addPaymentOptions(command);
  addLogOptions(command);
  addSendingOptions(command).action(async (options: ServeOptions, self: Command) => {
    // The libraries of the service are loaded only for this command.
    const { serve } = await import('../process/serving.ts');
    const configuration = self instanceof ConfiguredCommand ? self.configuration : null;
    await serve(options, configuration, io, signal);
  });
}
