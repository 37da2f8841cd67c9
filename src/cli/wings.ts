// What a wing adds to the command line: commands, and what goes on beside the service in the processes of `gazette serve`.
import type { ServiceStore } from '../stores/contract/accounts.ts';
import type { GazetteOptions } from '../service/gazette-options.ts';
import type { AnyOptions, CommandGroup, Options, Undescribed, UndescribedGroup } from './command.ts';
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
  /** By their names. */
  readonly commands: Readonly<Record<string, ListedCommand>>;
  /** What stands in the place of commands of the core, by their names: what is different. Default: nothing. */
  readonly instead?: Readonly<Record<string, Partial<ListedCommand>>>;
  /** Those below commands of the core, by the names of these. Default: none. */
  readonly below?: Readonly<Record<string, CommandsBelow>>;
}

/** Commands of a wing below one of the core. */
export interface CommandsBelow {
  /** The one of the core before which they stand. */
  readonly before: string;
  readonly load: () => Promise<CommandGroup['commands']>;
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
  /** Checks them, before a store is opened. Default: every value is right. @throws GazetteError what they do not allow */
  readonly check?: (options: Installation, io: Io) => Promise<void>;
  /** What each process says to its service, as the settings say. Default: nothing. @throws GazetteError what they do not allow */
  readonly service?: (store: ServiceStore, options: Installation, io: Io) => Promise<Partial<GazetteOptions>>;
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
  readonly check?: (options: Installation & Own, io: Io) => Promise<void>;
  readonly service?: (store: ServiceStore, options: Installation & Own, io: Io) => Promise<Partial<GazetteOptions>>;
  readonly start: (store: ServiceStore, options: Installation & Own, io: Io) => Promise<Beside | null>;
}): ServingWing {
  return spec as unknown as ServingWing;
}
