// An object whose methods make spans: the service's store. A span is made only while another one is under way that somebody
// reads, as that of a request is: what the service does by itself has none.
import { isObject } from '../checks.ts';
import type { TelemetryApi } from './api.ts';
import { endFailed, endSpan, SPAN_KIND, tracerOf } from './spans.ts';

/** What {@link traced} is told. */
export interface TracedOptions {
  /** What the names of spans begin with. */
  readonly prefix: string;
  /** Methods that return at once, and are called often: of the object, and of its parts. */
  readonly untraced?: readonly string[];
  /** Members and results of methods whose methods are traced too. */
  readonly parts?: readonly string[];
  /** Methods that return at once what belongs to something with a name: its methods are traced too, and those of its members. */
  readonly given?: readonly string[];
}

type Method = (...given: unknown[]) => unknown;

/** The object, with a span for each call that is made within another span. */
export function traced<Target extends object>(target: Target, api: TelemetryApi, options: TracedOptions): Target {
  const { prefix, untraced = [], parts = [], given = [] } = options;
  const known = new Map<string | symbol, { readonly of: unknown; readonly seen: unknown }>();
  const partOf = (part: unknown, name: string, deeper: Pick<TracedOptions, 'parts'> = {}): unknown =>
    isObject(part) ? traced(part, api, { prefix: `${prefix}${name}.`, untraced, ...deeper }) : part;
  const seenAs = (value: unknown, name: string | symbol): unknown => {
    if (typeof name === 'symbol' || untraced.includes(name)) return boundTo(target, value);
    if (typeof value !== 'function') return parts.includes(name) ? partOf(value, name) : value;
    if (given.includes(name)) {
      return (owner: { readonly name: string }) => {
        const part: unknown = Reflect.apply(value as Method, target, [owner]);
        const members = isObject(part) ? Object.entries(part).filter(([, member]) => isObject(member)) : [];
        return partOf(part, owner.name, { parts: members.map(([member]) => member) });
      };
    }
    const call = spanning(api, `${prefix}${name}`, (...given) => Reflect.apply(value as Method, target, given));
    if (!parts.includes(name)) return call;
    return async (...given: unknown[]) => partOf(await call(...given), name);
  };
  // Getters and methods have private members of the object, not of its proxy.
  const get = (_: object, name: string | symbol): unknown => {
    const value: unknown = Reflect.get(target, name, target);
    const before = known.get(name);
    if (before !== undefined && before.of === value) return before.seen;
    const seen = seenAs(value, name);
    known.set(name, { of: value, seen });
    return seen;
  };
  // A proxy of the object itself would have to give what a frozen one has, unchanged.
  return new Proxy<Target>(Object.create(target) as Target, {
    get,
    ownKeys: () => Reflect.ownKeys(target),
    getOwnPropertyDescriptor(_, name) {
      const own = Reflect.getOwnPropertyDescriptor(target, name);
      return own && { value: get(target, name), enumerable: own.enumerable === true, configurable: true };
    },
  });
}

function boundTo(target: object, value: unknown): unknown {
  return typeof value === 'function' ? (...given: unknown[]) => Reflect.apply(value as Method, target, given) : value;
}

/** A method that makes a span of each call; of a walk, one of each step. */
function spanning(api: TelemetryApi, operation: string, call: Method): Method {
  return (...given) => {
    if (!operation.endsWith(WALK)) return within(api, operation, () => call(...given));
    const steps = (call(...given) as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    // Between two steps the reader is at work.
    const next = (): Promise<IteratorResult<unknown>> => within(api, operation, () => steps.next());
    const walk = { next, return: async () => (await steps.return?.()) ?? { done: true, value: undefined } };
    return { [Symbol.asyncIterator]: () => walk };
  };
}

/** The name of methods that return an `AsyncIterable`. */
const WALK = '.walk';

function within<T>(api: TelemetryApi, operation: string, work: () => T): T {
  if (api.trace.getActiveSpan()?.isRecording() !== true) return work();
  const attributes = { 'gazette.store.operation': operation };
  const span = tracerOf(api).startSpan(`store ${operation}`, { kind: SPAN_KIND.internal, attributes });
  const fail = (error: unknown): never => {
    endFailed(span, error);
    throw error;
  };
  let result: T;
  try {
    result = api.context.with(api.trace.setSpan(api.context.active(), span), work);
  } catch (error) {
    return fail(error);
  }
  if (!(result instanceof Promise)) {
    endSpan(span, {});
    return result;
  }
  return result.then((value: unknown) => {
    endSpan(span, {});
    return value;
  }, fail) as T;
}
