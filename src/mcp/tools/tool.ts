// What a tool is, and what it works with.
import type { AuthenticatedRequest } from '../../access/route.ts';
import type { FilterField } from '../../register/fields.ts';
import type { TierOptions } from '../../register/tier.ts';
import type { RegisterEntry, RegisterStore } from '../../stores/contract/registers.ts';
import type { RegisterViews } from '../../views/registers.ts';
import type { JsonObject } from '../protocol.ts';

/** What all calls share. */
export interface ToolServices {
  readonly store: Pick<RegisterStore, 'registers'>;
  readonly registers: RegisterViews;
  readonly tiers: TierOptions;
  /** What pages can be asked for by. Default: {@link FILTERS}. */
  readonly filters?: readonly FilterField[];
}

/** One call. */
export interface ToolCall extends Pick<AuthenticatedRequest, 'access' | 'api' | 'stamp'> {
  readonly request: Pick<AuthenticatedRequest['request'], 'signal'>;
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
