// An OpenTelemetry SDK as small as can be, behind the real API: it keeps the spans that have ended, carries contexts by
// AsyncLocalStorage, and reads `traceparent` (W3C Trace Context).
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  type SpanOptions,
  type SpanStatus,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';

/** A span that has ended. */
export interface CollectedSpan {
  readonly name: string;
  readonly kind: number | undefined;
  readonly attributes: Attributes;
  readonly status: SpanStatus;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first of a trace. */
  readonly parentId: string;
  readonly scope: string;
}

/** Registers the SDK. @param onEnd called with each span when it ends @returns a function that removes it */
export function collect(onEnd: (span: CollectedSpan) => void): () => void {
  const contexts = new AsyncLocalStorage<Context>();
  trace.setGlobalTracerProvider({ getTracer: (name, version) => tracer(`${name} ${version}`, onEnd) });
  context.setGlobalContextManager({
    active: () => contexts.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...given) => contexts.run(active, () => work.apply(self as never, given)),
    bind: (_, target) => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  });
  propagation.setGlobalPropagator({
    fields: () => ['traceparent'],
    inject: () => {
      throw new Error('nothing is told to others');
    },
    extract(active, carrier, getter) {
      const field = getter.get(carrier, 'traceparent');
      const [, traceId, spanId, flags] = /^00-(\w{32})-(\w{16})-(\d\d)$/.exec(String(field)) ?? [];
      if (traceId === undefined) return active;
      const remote = { traceId, spanId: spanId!, traceFlags: Number(flags), isRemote: true };
      return trace.setSpanContext(active, remote);
    },
  });
  return () => {
    trace.disable();
    context.disable();
    propagation.disable();
  };
}

function tracer(scope: string, onEnd: (span: CollectedSpan) => void): Tracer {
  const startSpan = (name: string, { kind, attributes = {} }: SpanOptions = {}, within = context.active()): Span => {
    const parent = trace.getSpanContext(within);
    const ids: SpanContext = {
      traceId: parent?.traceId ?? randomBytes(16).toString('hex'),
      spanId: randomBytes(8).toString('hex'),
      traceFlags: 1,
    };
    let isOver = false;
    const told = { name, status: { code: SpanStatusCode.UNSET } as SpanStatus, attributes: { ...attributes } };
    const span: Span = {
      spanContext: () => ids,
      isRecording: () => !isOver,
      updateName(next) {
        told.name = next;
        return span;
      },
      setAttribute: (key, value) => span.setAttributes({ [key]: value }),
      setAttributes(more) {
        Object.assign(told.attributes, more);
        return span;
      },
      setStatus(status) {
        told.status = status;
        return span;
      },
      end() {
        if (isOver) throw new Error(`${told.name} was ended before`);
        isOver = true;
        onEnd({ ...told, kind, ...ids, parentId: parent?.spanId ?? '', scope });
      },
      addEvent: () => span,
      addLink: () => span,
      addLinks: () => span,
      recordException: () => undefined,
    };
    return span;
  };
  return {
    startSpan,
    startActiveSpan: () => {
      throw new Error('not used');
    },
  };
}
