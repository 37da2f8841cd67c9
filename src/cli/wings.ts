// What a wing adds to the command line: commands, and what goes on beside the service in the processes of `gazette serve`.
import type { ServiceStore } from '../stores/contract/accounts.ts';
import type { AnyOptions, Options, Undescribed, UndescribedGroup } from './command.ts';
import type { Io } from './io/io.ts';

/** A command as the help of all lists it. Only the one that is asked for is loaded, and none for that help. */
export interface ListedCommand {
  /** What follows its name. */
  readonly usage: string;
  readonly description: string;
  readonly load: () => Promise<Undescribed | UndescribedGroup>;
}

/** The commands of a wing. */
export interface WingCommands {
  /** The command of the core before which the help lists them. */
  readonly before: string;
  /** By their names. One that the core has too takes its place. */
  readonly commands: Readonly<Record<string, ListedCommand>>;
}

/** Work that goes on until it is stopped. */
export interface Beside {
  stop(): Promise<void>;
}

/** What all wings are told of the installation. */
export interface Installation {
  /** Its public address. */
  readonly baseUrl?: string;
}

/** A wing of `gazette serve`. Its help is made of it: what works is loaded once it serves. */
export interface ServingWing {
  /** Its settings. */
  readonly options: AnyOptions;
  /**
   * Starts what one process of an installation does.
   *
   * @param options as its own settings say, too
   * @returns null: nothing
   * @throws GazetteError what its settings do not allow
   */
  readonly start: (store: ServiceStore, options: Installation, io: Io) => Promise<Beside | null>;
}

/** Checks a wing's types: its settings say what it is started with. */
export function serving<Own>(spec: {
  readonly options: Options<Own>;
  readonly start: (store: ServiceStore, options: Installation & Own, io: Io) => Promise<Beside | null>;
}): ServingWing {
  return spec as unknown as ServingWing;
}
