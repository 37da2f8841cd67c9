// The part of `@opentelemetry/api` that is used, described by its shape: a program that traces passes the module, and no
// other loads it. `gazette serve --telemetry` does so.

/** A module that is `@opentelemetry/api` (1.4 or later), or works like it. Its members are those of that package. */
export interface TelemetryApi {
  /** Makes spans. @internal */
  readonly trace: {
    /** A tracer of the provider that the program has registered. */
    getTracer(name: string, version?: string): TelemetryTracer;
    /** The span that is under way. */
    getActiveSpan(): TelemetrySpan | undefined;
    /** A context in which a span is under way. */
    setSpan(context: TelemetryContext, span: TelemetrySpan): TelemetryContext;
  };
  /** Carries the span that is under way from call to call. @internal */
  readonly context: {
    /** The context of the running call. */
    active(): TelemetryContext;
    /** Runs `work` in a context. */
    with<T>(context: TelemetryContext, work: () => T): T;
  };
  /** Reads what other programs say of their spans. @internal */
  readonly propagation: {
    /** The context that a carrier names. */
    extract<Carrier>(context: TelemetryContext, carrier: Carrier, getter: TelemetryGetter<Carrier>): TelemetryContext;
  };
}

/** A context, which only OpenTelemetry looks into. */
export interface TelemetryContext {
  /** A value of it. */
  getValue(key: symbol): unknown;
}

/** Reads the fields of a carrier. */
export interface TelemetryGetter<Carrier> {
  /** The names of its fields. */
  keys(carrier: Carrier): string[];
  /** The value of a field. */
  get(carrier: Carrier, key: string): string | undefined;
}

/** What a span says, by the names of the semantic conventions. */
export type TelemetryAttributes = Readonly<Record<string, string | number | boolean>>;

/** Makes spans. */
export interface TelemetryTracer {
  /** Begins one, in the context given or the active one. */
  startSpan(
    name: string,
    options?: { readonly kind?: number; readonly attributes?: TelemetryAttributes },
    context?: TelemetryContext,
  ): TelemetrySpan;
}

/** A span that is under way. */
export interface TelemetrySpan {
  /** Its ids. */
  spanContext(): { readonly traceId: string; readonly spanId: string };
  /** Whether anybody reads it. */
  isRecording(): boolean;
  /** Gives it another name. */
  updateName(name: string): unknown;
  /** Adds to what it says. */
  setAttributes(attributes: TelemetryAttributes): unknown;
  /** Says whether it failed. */
  setStatus(status: { readonly code: number }): unknown;
  /** Ends it. */
  end(): void;
}
