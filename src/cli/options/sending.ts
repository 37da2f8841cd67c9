// The options of commands that send webhooks or set their destinations.
import { type Command, Option } from 'commander';
import { GazetteError } from '../../errors.ts';
import { checkServers } from '../../webhooks/send/name-resolver.ts';
import { checkNetworks } from '../../webhooks/send/networks.ts';
import { checkSchedule, DEFAULT_SCHEDULE } from '../../webhooks/send/schedule.ts';

/** Where webhooks may go, as commander gives it. */
export interface DestinationOptions {
  readonly allowPrivateDestinations?: true;
  /** Networks that may never be called, in CIDR notation. Absent: none. */
  readonly denyDestinations?: readonly string[];
  /** Absent: those of the system. */
  readonly dnsServers?: readonly string[];
}

/** How webhooks are sent, as commander gives it. */
export interface SendingOptions extends DestinationOptions {
  readonly webhookSchedule: readonly number[];
}

/** Adds the options that say where webhooks may go and how the names of receivers are looked up. */
export function addDestinationOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--allow-private-destinations',
        'allow webhooks to http addresses and to this machine; for development only',
      ),
    )
    .addOption(
      new Option(
        '--deny-destinations <networks>',
        'send no webhooks to these networks, although they are public, such as 198.51.100.0/24,2001:db8::/32',
      ).argParser(readNetworks),
    )
    .addOption(
      new Option(
        '--dns-servers <addresses>',
        'the name servers to ask about receivers, such as 192.0.2.53,[2001:db8::53]:5353 (default: those of the system)',
      ).argParser(readServers),
    );
}

/** Adds the options of all commands that send. */
export function addSendingOptions(command: Command): Command {
  return addDestinationOptions(command).addOption(
    new Option('--webhook-schedule <seconds>', 'the delays before each attempt to deliver a webhook, such as 0,5,300')
      .default(DEFAULT_SCHEDULE, DEFAULT_SCHEDULE.join(','))
      .argParser(readSchedule),
  );
}

function readNetworks(text: string): readonly string[] {
  const networks = text.split(',').map((network) => network.trim());
  return asUsage('--deny-destinations', () => checkNetworks('destinations', networks));
}

function readServers(text: string): readonly string[] {
  return asUsage('--dns-servers', () => checkServers(text.split(',').map((address) => address.trim())));
}

function readSchedule(text: string): readonly number[] {
  const delays = text.split(',').map((part) => (/^\d+(?:\.\d+)?$/.test(part.trim()) ? Number(part) : Number.NaN));
  return asUsage('--webhook-schedule', () => checkSchedule(delays));
}

/** What the library refuses is a wrong use of the option. */
function asUsage<T>(option: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof GazetteError ? new GazetteError('usage', `${option}: ${error.message}`) : error;
  }
}
