// Where figures for the operator's monitoring come from, and several sources as one.

/**
 * How long a source waits for others, in milliseconds, before it goes without their figures. Prometheus waits ten
 * seconds for all of them.
 */
export const METRICS_PATIENCE_MS = 2000;

/** A source of figures in Prometheus text format. */
export interface MetricsSource {
  /** The media type of the text. */
  readonly contentType: string;
  /** The current figures. */
  metrics(): Promise<string>;
}

/** Several sources as one. No two of them may have a figure of the same name. */
export function joinMetrics(first: MetricsSource, ...others: readonly MetricsSource[]): MetricsSource {
  return {
    contentType: first.contentType,
    async metrics() {
      return (await Promise.all([first, ...others].map((source) => source.metrics()))).join('\n');
    },
  };
}
