// Requests to a service in another process, and their answers as the recording keeps them.
import { Agent, request } from 'node:http';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { createHash } from 'node:crypto';
import { unzipSync } from 'fflate';
import type { Area } from './area.ts';

/** What is asked. */
export interface Question {
  readonly path: string;
  /** Default GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whose question it is, and what else tells it from others. */
  readonly note?: string;
}

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What Node or the connection adds, and the id that is another one each time. */
const OF_CONNECTION = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding', 'x-request-id']);

/** Header fields that nearly every answer has. An answer without one of them says so. */
const USUAL: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
};

/** Asks one service. */
export class Asker {
  readonly #port: number;
  readonly #host: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  /** @param host of the header Host */
  constructor(port: number, host: string) {
    this.#port = port;
    this.#host = host;
  }

  /** Asks, and adds the answer to the recording. */
  async ask(area: Area, question: Question): Promise<Answer> {
    const { method = 'GET', path, note } = question;
    const { status, headers, bytes } = await this.#send(question);
    const text = textOf(headers, bytes);
    const lines = [`${status}`, ...fieldsOf(method, headers, bytes.length)];
    const sent = Object.entries(question.headers ?? {}).filter(([name]) => name !== 'authorization');
    const title = [`${method} ${path}`, note, ...sent.map(([name, value]) => `${name}: ${value}`), question.body];
    area.add(title.filter((part) => part !== undefined).join(' · '), lines, [text]);
    return { status, headers: Object.fromEntries(headers), text };
  }

  /** Asks again and again until the answer is right, and records nothing. */
  async until(question: Question, isRight: (answer: Answer) => boolean): Promise<Answer> {
    for (;;) {
      const { status, headers, bytes } = await this.#send(question);
      const answer = { status, headers: Object.fromEntries(headers), text: textOf(headers, bytes) };
      if (isRight(answer)) return answer;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Closes the connection. */
  close(): void {
    this.#agent.destroy();
  }

  #send({ method = 'GET', path, headers = {}, body }: Question): Promise<{
    readonly status: number;
    readonly headers: readonly (readonly [string, string])[];
    readonly bytes: Buffer;
  }> {
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const sent = request(
        {
          ...{ port: this.#port, host: '127.0.0.1', agent: this.#agent, method, path, setHost: false },
          headers: { host: this.#host, ...length, ...headers },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const fields: [string, string][] = [];
            for (let at = 0; at < response.rawHeaders.length; at += 2)
              fields.push([response.rawHeaders[at]!.toLowerCase(), response.rawHeaders[at + 1]!]);
            resolve({ status: response.statusCode!, headers: fields, bytes: Buffer.concat(chunks) });
          });
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

/** The header fields that are no matter of course, sorted. */
function fieldsOf(method: string, headers: readonly (readonly [string, string])[], length: number): readonly string[] {
  const isUsual = ([name, value]: readonly [string, string]): boolean =>
    OF_CONNECTION.has(name) ||
    USUAL[name] === value ||
    // What HEAD says of a workbook depends on the version of zlib.
    (name === 'content-length' && (method === 'HEAD' ? isWorkbook(headers) : Number(value) === length));
  const missing = Object.keys(USUAL).filter((name) => !headers.some(([given]) => given === name));
  return [
    ...headers
      .filter((field) => !isUsual(field))
      .map(([name, value]) => `${name}: ${value}`)
      .sort(),
    ...missing.map((name) => `${name} is missing`),
  ];
}

function isWorkbook(headers: readonly (readonly [string, string])[]): boolean {
  return headers.some(([name, value]) => name === 'content-type' && value.includes('spreadsheetml'));
}

/** The body as text: decoded, a workbook as its parts, and of other bytes how many there are. */
function textOf(headers: readonly (readonly [string, string])[], bytes: Buffer): string {
  const field = (name: string): string => headers.find(([given]) => given === name)?.[1] ?? '';
  if (bytes.length === 0) return '';
  const decoded = decodedBy(field('content-encoding'), bytes);
  const type = field('content-type');
  if (isWorkbook(headers)) return workbookText(decoded);
  if (/^(?:text|application\/(?:.*json|.*xml|javascript))|^image\/svg/.test(type)) return decoded.toString();
  if (type === 'application/octet-stream') return `${decoded.length} bytes`;
  return `${decoded.length} bytes ${createHash('sha256').update(decoded).digest('base64').slice(0, 20)}`;
}

function decodedBy(coding: string, bytes: Buffer): Buffer {
  if (coding === 'gzip') return gunzipSync(bytes);
  if (coding === 'br') return brotliDecompressSync(bytes);
  return coding === 'zstd' ? zstdDecompressSync(bytes) : bytes;
}

/** The parts of a workbook, one after the other: zlib's own versions differ in how they pack them. */
export function workbookText(bytes: Uint8Array): string {
  const parts = Object.entries(unzipSync(bytes));
  return parts.map(([name, part]) => `${name}\n${Buffer.from(part).toString()}\n`).join('');
}
