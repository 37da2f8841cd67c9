// The interface of a tool, and what tools need.
import type { FilterField } from '../../register/finding/filters.ts';
import type { AuthenticatedRequest } from '../../access/route.ts';
import { checkFeed, type KeyHolder } from '../../access/scopes.ts';
import type { JsonValue } from '../../register/canonical-json.ts';
import type { RegisterRecord } from '../../register/record.ts';
import type { RegisterEntry, RegisterStore } from '../../stores/contract/registers.ts';
import { feedIdOf } from '../../stores/rows/register.ts';
import type { RegisterView, RegisterViews } from '../../views/registers.ts';
import type { Sight } from '../../views/sight.ts';
import type { SignedStates } from '../../views/signed.ts';
import type { JsonObject } from '../protocol.ts';

/** What all calls share. */
export interface ToolServices {
  readonly sight: Sight<KeyHolder>;
  readonly store: Pick<RegisterStore, 'catalogue' | 'register' | 'recordKeys' | 'values' | 'changes'>;
  /** Absent: nothing is signed. */
  readonly signed?: SignedStates | undefined;
  readonly registers: RegisterViews;
  /** How agents buy records. Absent: they buy none. */
  readonly buying?: Buying;
  /** Whether owners of accounts can sign in to pages of this service. Default false. */
  readonly hasOwnerPages?: boolean;
  /** Tools besides gazette's own. Default: none. */
  readonly others?: readonly Tool[];
  /** The filters of pages. Default: {@link FILTERS}. */
  readonly filters?: readonly FilterField[];
}

/** One call. */
export interface ToolCall extends Pick<AuthenticatedRequest, 'api' | 'stamp'> {
  readonly access: KeyHolder;
  readonly request: Pick<AuthenticatedRequest['request'], 'signal'>;
  /** The payment that came with it (x402). Absent: none. */
  readonly payment?: JsonValue;
  /** Where the owner of an account adds credit. Absent: no page does. */
  readonly topUpUrl?: string;
  /** The page on which the owner of an account, signed in, sees what is left. Absent: nobody can sign in. */
  readonly creditUrl?: (accountId: string) => string;
  /** Takes members of the result's `_meta`. */
  readonly onMeta?: (meta: JsonObject) => void;
  /** Whether it reads a resource, which hosts do unasked: nothing is bought so. */
  readonly isResource?: true;
  /** The maximum size of the answer in bytes, both forms together; see budget.ts for how they are counted. */
  readonly room: number;
}

/** What a call says of buying. */
export interface PurchaseArguments {
  /** What tells the purchase from its repetition. */
  readonly purchaseId?: string | undefined;
  /** For how much it is bought at most. */
  readonly expectedPrice?: string | undefined;
}

/** How agents buy records. */
export interface Buying {
  /** The schemas of a tool that can cost something. */
  described(schemas: ToolSchemas): ToolSchemas;
  /** The arguments that buy, and the others. @throws GazetteError `invalid_parameter` */
  asked(given: JsonObject): { readonly rest: JsonObject; readonly asked: PurchaseArguments };
  /** What is said of a record that the caller bought before, and asks to buy again; nothing where nothing is asked for. */
  before(id: string, asked: PurchaseArguments, call: ToolCall): Promise<JsonObject>;
  /**
   * Buys a record that the caller may not read yet.
   *
   * @returns the record, and what is said of the purchase in the answer; null where nothing is sold
   * @throws GazetteError `expected_price_required`, `price_changed`; `payment_required` and others of 402, with the answer of x402 where it can be paid for so
   */
  buy(view: RegisterView, id: string, asked: PurchaseArguments, call: ToolCall): Promise<BoughtRecord | null>;
}

/** What a tool takes and answers. */
type ToolSchemas = Pick<ToolDefinition, 'inputSchema' | 'outputSchema'>;

/** A record, and what is said of its purchase. */
export interface BoughtRecord {
  readonly record: RegisterRecord;
  readonly bought: JsonObject;
}

/** A register that the caller's key opens. @throws GazetteError `insufficient_scope`, `unknown_feed` */
export async function viewFor(
  { registers }: Pick<ToolServices, 'registers'>,
  feedId: string,
  { access, stamp }: Pick<ToolCall, 'access' | 'stamp'>,
): Promise<RegisterView> {
  checkFeed(access, feedId);
  return registers.view(feedId, stamp);
}

/** The register of a record, if the caller's key opens it. @throws GazetteError `insufficient_scope`, `unknown_record` */
export async function viewOfRecordFor(
  { registers }: Pick<ToolServices, 'registers'>,
  recordId: string,
  { access, stamp }: Pick<ToolCall, 'access' | 'stamp'>,
): Promise<RegisterView> {
  checkFeed(access, feedIdOf(recordId));
  return registers.viewOfRecord(recordId, stamp);
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
  /** @param registers some of those there are, and one that sells, if any does: schemas name their fields */
  define(registers: readonly RegisterEntry[], api: string): Omit<ToolDefinition, 'name' | 'annotations'>;
  /**
   * Runs it.
   *
   * @throws GazetteError for invalid arguments, with a message that helps the caller to fix them
   */
  run(args: JsonObject, call: ToolCall): Promise<JsonObject>;
}

/** Every tool only reads, is idempotent, and accesses nothing outside this service. */
export const ANNOTATIONS: JsonObject = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
