// Spans as gazette makes them. Names and attributes follow the stable semantic conventions of OpenTelemetry; what they have
// no name for begins with `gazette.`. A span never has a key, the content of a record, or an address as it was requested.
import { isGazetteError } from '../errors.ts';
import { problemKind } from '../problem.ts';
import { VERSION } from '../version.ts';
import type { TelemetryApi, TelemetryAttributes, TelemetrySpan, TelemetryTracer } from './api.ts';

/** `SpanKind` of the API. */
export const SPAN_KIND = { internal: 0, server: 1, client: 2 } as const;

/** `SpanStatusCode.ERROR` of the API. */
const ERROR = 2;

/** The tracer of all spans. */
export function tracerOf(api: TelemetryApi): TelemetryTracer {
  return api.trace.getTracer('gazette', VERSION);
}

/** The port of a URL. */
export function portOf({ protocol, port }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

/** Ends a span. @param error what went wrong: a status, or the code of an error; undefined: nothing */
export function endSpan(span: TelemetrySpan, attributes: TelemetryAttributes, error?: string): void {
  span.setAttributes(error === undefined ? attributes : { ...attributes, 'error.type': error });
  if (error !== undefined) span.setStatus({ code: ERROR });
  span.end();
}

/** Ends a span of a call that has thrown. What only its caller did wrong is named, and is not a failure. */
export function endFailed(span: TelemetrySpan, error: unknown): void {
  const code = isGazetteError(error) ? error.code : error instanceof Error ? error.name : 'error';
  if (!isGazetteError(error) || problemKind(error.code).status >= 500) endSpan(span, {}, code);
  else {
    span.setAttributes({ 'error.type': code });
    span.end();
  }
}
