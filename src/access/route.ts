// A route of the service, on any surface: who may use it, what it answers, and its description in openapi.json.
import type { RegisterDefinition } from '../register/record.ts';
import type { Tier } from '../register/tier.ts';
import type { Documentation } from '../web/documentation.ts';
import type { HttpResponse } from '../web/representation.ts';
import type { ServedRequest } from '../web/served-request.ts';
import type { KeyScope } from '../stores/contract/accounts.ts';
import type { Access } from './access.ts';

/** A request whose sender is known. */
export interface AuthenticatedRequest extends ServedRequest {
  readonly access: Access;
  /** What the log is to say of it. */
  readonly notes: RequestNotes;
}

/** What is learned of a request for the log, as the client gave it: it may be any text. */
export interface RequestNotes {
  /** The register, by its feed id. */
  register?: string | undefined;
  /** The method of a message for agents. */
  mcpMethod?: string | undefined;
  /** The tool that it calls. */
  mcpTool?: unknown;
}

/** A route that needs only the facts about a request that `Context` contains. */
export interface RouteOf<Context> {
  /** Parameters are in braces, as in OpenAPI. A parameter within a segment is given with the text before it. */
  readonly path: string;
  /** The lowest tier that may use it. */
  readonly access: Tier;
  /** What a key must be for. Default: `read` where a key is needed or changes the answer; elsewhere any key will do. */
  readonly scope?: KeyScope;
  /** Whether everybody may use it for an open register. Default false. */
  readonly isOpenable?: boolean;
  /**
   * Whether it is there only for a record whose register has prices; without a record, where any has. It stays once anything was
   * sold. Default false.
   */
  readonly isSold?: boolean;
  /** Whether a receipt opens something here, as where records are paid for. Default false. */
  readonly opensByReceipt?: boolean;
  /**
   * Whether the answer is made again to find out whether the client has it: a 304 then counts as any other answer. Default
   * false.
   */
  readonly isRemade?: boolean;
  /** Null: served but not documented. */
  readonly documentation: Documentation | null;
  /** The description in the document of one register, where that is another one. */
  readonly documentationFor?: (definition: RegisterDefinition) => Documentation;
  /** The descriptions of methods that `documentation` does not describe, by their names. */
  readonly otherDocumentation?: Readonly<Record<string, Documentation>>;
  /** The methods besides OPTIONS. Default GET and HEAD. */
  readonly methods?: readonly string[];
  /** Whether requests are counted, authenticated and cached; probes are not. Default true. */
  readonly isMetered?: boolean;
  /**
   * Answers a request that is allowed.
   *
   * @param pathParameters decoded; may contain any text
   */
  answer(context: Context, pathParameters: Readonly<Record<string, string>>): HttpResponse | Promise<HttpResponse>;
}
