// What a tool is, and what it works with.
import type { Access } from '../../access/access.ts';
import type { IncomingRequest } from '../../web/incoming-request.ts';
import type { TierOptions } from '../../register/tier.ts';
import type { RegisterSource } from '../../register/source.ts';
import type { RegisterEntry, RegisterStore } from '../../stores/contract/registers.ts';
import type { JsonObject } from '../protocol.ts';

/** A register as it stands at this moment. */
export interface RegisterSight {
  readonly entry: RegisterEntry;
  readonly source: RegisterSource;
  /** Another one once anything in it has changed. */
  readonly revision: string;
}

/** How registers are found. */
export interface RegisterFinder {
  /**
   * @param stamp the store's stamp from before, where it has one: under the same one nothing is asked for
   * @throws GazetteError `unknown_feed`
   */
  view(feedId: string, stamp?: number): Promise<RegisterSight>;
  /**
   * @param stamp as in {@link view}
   * @throws GazetteError `unknown_record`
   */
  viewOfRecord(recordId: string, stamp?: number): Promise<RegisterSight>;
}

/** What all calls share. */
export interface ToolServices {
  readonly store: Pick<RegisterStore, 'registers' | 'record' | 'history'>;
  readonly registers: RegisterFinder;
  readonly tiers: TierOptions;
}

/** One call. */
export interface ToolCall {
  readonly request: Pick<IncomingRequest, 'signal'>;
  readonly access: Access;
  /** The public address of the API. */
  readonly api: string;
  /** The store's stamp when the answer was begun; undefined where it has none. */
  readonly stamp: number | undefined;
  /** How many bytes the answer may have, both forms of it together; budget.ts says how they are counted. */
  readonly room: number;
}

/** A tool as `tools/list` shows it. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  readonly annotations: JsonObject;
}

/** A tool. */
export interface Tool {
  readonly name: string;
  /** @param registers those there are: schemas name their fields */
  define(registers: readonly RegisterEntry[], api: string): Omit<ToolDefinition, 'name' | 'annotations'>;
  /**
   * Runs it.
   *
   * @throws GazetteError what is wrong with the arguments, in words that whoever sent them can mend it by
   */
  run(args: JsonObject, call: ToolCall): Promise<JsonObject>;
}

/** Every tool only reads, what it reads is the same however often, and it reaches no further than this service. */
export const ANNOTATIONS: JsonObject = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
