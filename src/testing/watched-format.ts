// A format that records the calls of its sinks, over an output that may fail.
import type { DocumentHead, Format, FormatOptions, Output, Sink } from '../formats/format.ts';

/** The calls of a sink. */
export type SinkCall = 'open' | 'write' | 'close' | 'abort';

/** Another format, watched. */
export class WatchedFormat<Options extends FormatOptions> implements Format<Options> {
  readonly name: string;
  readonly mediaType: string;
  readonly extension: string;
  readonly calls: SinkCall[] = [];
  /** The reason with which the sink was aborted. */
  reason: unknown;
  readonly #format: Format<Options>;
  readonly #failure: { readonly afterBytes: number; readonly error: Error } | undefined;

  /** With `failure` the output throws `error` once this many bytes were written. */
  constructor(format: Format<Options>, failure?: { readonly afterBytes: number; readonly error: Error }) {
    ({ name: this.name, mediaType: this.mediaType, extension: this.extension } = format);
    this.#format = format;
    this.#failure = failure;
  }

  open(out: Output, head: DocumentHead, options?: Options): Sink {
    this.calls.push('open');
    const sink = this.#format.open(this.#failing(out), head, options);
    return {
      write: (page) => {
        this.calls.push('write');
        return sink.write(page);
      },
      close: () => {
        this.calls.push('close');
        return sink.close();
      },
      abort: (reason) => {
        this.calls.push('abort');
        this.reason = reason;
        return sink.abort?.(reason);
      },
    };
  }

  #failing(out: Output): Output {
    const failure = this.#failure;
    if (failure === undefined) return out;
    let length = 0;
    const count = (more: number): void => {
      length += more;
      if (length > failure.afterBytes) throw failure.error;
    };
    return {
      text: (text) => {
        count(text.length);
        out.text(text);
      },
      bytes: (bytes) => {
        count(bytes.length);
        out.bytes(bytes);
      },
    };
  }
}
