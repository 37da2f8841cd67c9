// What others add to a service: routes, tools, pages, metrics and commands of their own, over what the caller may see.
import type { JsonValue } from '../../register/canonical-json.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import type { RegisterSource } from '../../register/sources/source.ts';
import type { Tier } from '../../register/tier.ts';
import type { RegisterEntry } from '../../stores/contract/registers.ts';
import type { Markup } from '../../templates/markup.ts';

/** An object of JSON: a schema (JSON Schema 2020-12), the arguments of a tool, its answer. */
export type JsonObject = Readonly<Record<string, JsonValue>>;

/** A register as the caller sees it. */
export interface PluginRegister {
  /** What its publisher says of it. */
  readonly definition: RegisterDefinition;
  /** `pro`: all of it. `public`: its latest records, or previews for who buys single records. */
  readonly tier: Tier;
  /** Its records, as far as the caller sees them. */
  readonly source: RegisterSource;
}

/** What is asked of a plugin, and by whom. */
export interface PluginCall {
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /**
   * A register as the caller sees it.
   *
   * @throws GazetteError `unknown_feed`, `insufficient_scope` for a key that does not open it
   */
  readonly register: (feedId: string) => Promise<PluginRegister>;
  /** The registers that there are, by id, in pages. What their entries say is everybody's to read. */
  readonly registers: () => AsyncIterable<readonly RegisterEntry[]>;
}

/** A request for a route or a page of a plugin. */
export interface PluginRequest extends PluginCall {
  /** The public URL of `/api/v1`. */
  readonly api: string;
  /** The parameters of the path, decoded. They may be any text. */
  readonly params: Readonly<Record<string, string>>;
  /** The parameters of the query: of a route as its `query` describes them, of a page as they came. */
  readonly query: JsonObject;
  /** The language of a page (BCP 47), in which its texts are to be if they can; of a route `en`. */
  readonly language: string;
}

/** A route below `/api/v1`. It answers GET and HEAD. */
export interface PluginRoute {
  /** Parameters are in braces, such as `/months/{year}`. */
  readonly path: string;
  /** `pro`: it needs a key, or paid access. Default `public`. */
  readonly access?: Tier;
  /** A line for openapi.json and the reference. */
  readonly summary: string;
  /** More of it, in Markdown. Default: the summary. */
  readonly description?: string;
  /** The parameters of its query: texts, integers, numbers or booleans. What they refuse is `invalid_parameter`. Default: none. */
  readonly query?: Readonly<Record<string, JsonObject>>;
  /** Default `application/json`. */
  readonly mediaType?: string;
  /** The schema of the answer, for openapi.json. Default: any. */
  readonly schema?: JsonObject;
  /** Answers: a text or bytes, and of `application/json` any value of JSON. */
  readonly answer: (request: PluginRequest) => JsonValue | Uint8Array | Promise<JsonValue | Uint8Array>;
}

/** A page for people, at the root, in the frame that all pages have. */
export interface PluginPage {
  /** Parameters are in braces, such as `/months/{year}`. */
  readonly path: string;
  /** Gives what it is about, and what is below the header: made by `markup`, which escapes every value. */
  readonly answer: (
    request: PluginRequest,
  ) => { readonly title: string; readonly main: Markup } | Promise<{ readonly title: string; readonly main: Markup }>;
}

/** A tool for agents. */
export interface PluginTool {
  /** In lower-case letters and underscores. */
  readonly name: string;
  /** What people see of it. */
  readonly title: string;
  /** What it does, for the model that chooses it. */
  readonly description: string;
  /** Its arguments: the schema of an object. What it refuses is told to the agent. */
  readonly inputSchema: JsonObject;
  /** Its answer: the schema of an object. Default: any object. */
  readonly outputSchema?: JsonObject;
  /** Answers with an object. One that is longer than answers to agents may be is refused. */
  readonly run: (args: JsonObject, call: PluginCall) => JsonObject | Promise<JsonObject>;
}

/** A figure of registers for the operator's monitoring. */
export interface PluginMetric {
  /** Begins with `plugin_`. */
  readonly name: string;
  /** What it says, for Prometheus. */
  readonly help: string;
  /** Gives the figure of each register, by its id. The call sees all of every register. */
  readonly read: (call: PluginCall) => Promise<ReadonlyMap<string, number>>;
}

/** A command of `gazette`, over a store, which it only reads. */
export interface PluginCommand {
  /** What it does, for the help. */
  readonly description: string;
  /** `<name>`, or `[name]` where it may be missing, and what the help says of it. */
  readonly arguments?: readonly (readonly [name: `<${string}>` | `[${string}]`, description: string])[];
  /**
   * By their names in camel case: `perYear` is `--per-year`. `value` is what stands for the value in the help, null for a flag,
   * which has none; `description` is what the help says of it.
   */
  readonly options?: Readonly<Record<string, { readonly value: `<${string}>` | null; readonly description: string }>>;
  /** Runs it. What it throws is said on standard error, and it has failed. */
  readonly run: (call: PluginCommandCall) => void | Promise<void>;
}

/** A command that was given. Who can read a store sees all of it. */
export interface PluginCommandCall extends PluginCall {
  /** In their order; undefined where one is missing. */
  readonly args: readonly (string | undefined)[];
  /** Those that were given: a text, or true for a flag. */
  readonly options: Readonly<Record<string, string | true | undefined>>;
  /** For data. */
  readonly stdout: { readonly write: (text: string) => unknown };
  /** For messages. */
  readonly stderr: { readonly write: (text: string) => unknown };
}

/** Something that others add to a service. */
export interface Plugin {
  /** In lower-case letters, digits and hyphens; no two of a service have the same. */
  readonly name: string;
  /** Its routes. Default: none; and so for all that follows. */
  readonly routes?: readonly PluginRoute[];
  /** Its tools for agents. */
  readonly tools?: readonly PluginTool[];
  /** Its pages for people. */
  readonly pages?: readonly PluginPage[];
  /** Its figures for the operator. */
  readonly metrics?: readonly PluginMetric[];
  /** Its commands, by their names. */
  readonly commands?: Readonly<Record<string, PluginCommand>>;
}
