// The options of commands that send webhooks or set their destinations.
import { GazetteError } from '../../errors.ts';
import { checkServers } from '../../webhooks/send/name-resolver.ts';
import { checkNetworks } from '../../webhooks/send/networks.ts';
import { checkSchedule, DEFAULT_SCHEDULE } from '../../webhooks/send/schedule.ts';
import { flag, type Options, setting, settings } from '../command.ts';

/** Where webhooks may go. */
export interface DestinationOptions {
  readonly allowPrivateDestinations?: true;
  /** Networks that may never be called, in CIDR notation. Absent: none. */
  readonly denyDestinations?: readonly string[];
  /** Absent: those of the system. */
  readonly dnsServers?: readonly string[];
}

/** How webhooks are sent. */
export interface SendingOptions extends DestinationOptions {
  readonly webhookSchedule: readonly number[];
}

/** Where webhooks may go, and how the names of receivers are looked up. */
export const DESTINATION_OPTIONS: Options<DestinationOptions> = settings({
  allowPrivateDestinations: flag('allow webhooks to http addresses and to this machine; for development only'),
  denyDestinations: {
    value: '<networks>',
    description: 'send no webhooks to these networks, although they are public, such as 198.51.100.0/24,2001:db8::/32',
    default: undefined,
    read: readNetworks,
  },
  dnsServers: {
    value: '<addresses>',
    description:
      'the name servers to ask about receivers, such as 192.0.2.53,[2001:db8::53]:5353 (default: those of the system)',
    default: undefined,
    read: readServers,
  },
});

/** What all commands have that send. */
export const SENDING_OPTIONS: Options<SendingOptions> = {
  ...DESTINATION_OPTIONS,
  webhookSchedule: setting({
    value: '<seconds>',
    description: 'the delays before each attempt to deliver a webhook, such as 0,5,300',
    default: DEFAULT_SCHEDULE,
    defaultText: DEFAULT_SCHEDULE.join(','),
    read: readSchedule,
  }),
};

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
