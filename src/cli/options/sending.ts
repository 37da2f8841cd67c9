// The options of commands that send webhooks or set their destinations.
import { type Command, Option } from 'commander';
import { GazetteError } from '../../errors.ts';
import { checkSchedule, DEFAULT_SCHEDULE } from '../../webhooks/send/schedule.ts';

/** Where webhooks may go, as commander gives it. */
export interface DestinationOptions {
  readonly allowPrivateDestinations?: true;
}

/** How webhooks are sent, as commander gives it. */
export interface SendingOptions extends DestinationOptions {
  readonly webhookSchedule: readonly number[];
}

/** `--allow-private-destinations`. */
export function destinationOption(): Option {
  return new Option(
    '--allow-private-destinations',
    'allow webhooks to http addresses and to this machine; for development only',
  );
}

/** Adds the options of all commands that send. */
export function addSendingOptions(command: Command): Command {
  return command
    .addOption(destinationOption())
    .addOption(
      new Option('--webhook-schedule <seconds>', 'the delays before each attempt to deliver a webhook, such as 0,5,300')
        .default(DEFAULT_SCHEDULE, DEFAULT_SCHEDULE.join(','))
        .argParser(readSchedule),
    );
}

function readSchedule(text: string): readonly number[] {
  const delays = text.split(',').map((part) => (/^\d+(?:\.\d+)?$/.test(part.trim()) ? Number(part) : Number.NaN));
  try {
    return checkSchedule(delays);
  } catch (error) {
    throw error instanceof GazetteError ? new GazetteError('usage', `--webhook-schedule: ${error.message}`) : error;
  }
}
