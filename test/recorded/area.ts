// One file of the recording: questions and their answers, in lines. What is the same in most answers is left out, and a
// long body is kept as its digest with its beginning; `--full` keeps all, to be compared with `diff`.
import { createHash } from 'node:crypto';
import { Numbered } from './numbered.ts';

/** Bodies up to this length, in characters, are kept as they are. */
const SHORT = 600;

/** How much of a longer one is kept to be read. */
const HEAD = 160;

/** Lines up to this length are kept as they are. */
const LONG_LINE = 80;

/** A file of the recording while it is made. */
export class Area {
  readonly name: string;
  readonly #isFull: boolean;
  readonly #numbered: Numbered;
  readonly #titles = new Set<string>();
  readonly #bodies = new Map<string, string>();
  readonly #longLines = new Set<string>();
  readonly #lines: string[] = [];
  #count = 0;

  /** @param known as {@link Numbered} has it @param isFull whether long bodies are kept whole */
  constructor(name: string, known: readonly (readonly [text: string, name: string])[], isFull: boolean) {
    this.name = name;
    this.#isFull = isFull;
    this.#numbered = new Numbered(known);
  }

  /** How many answers it has. */
  get count(): number {
    return this.#count;
  }

  /** The whole file. */
  get text(): string {
    return `${this.#lines.join('\n')}\n`;
  }

  /**
   * Adds an answer.
   *
   * @param title says what was asked, unlike any other of the file
   * @param lines its parts that are short, and in the order that counts
   * @param bodies its parts that may be long
   */
  add(title: string, lines: readonly string[], bodies: readonly string[]): void {
    const named = this.#numbered.text(title).replaceAll('\n', '\\n');
    if (this.#titles.has(named)) throw new Error(`${this.name} has twice: ${named}`);
    this.#titles.add(named);
    this.#count++;
    this.#lines.push(`## ${named}`, ...lines.map((line) => this.#shortened(this.#numbered.text(line))));
    for (const body of bodies) if (body !== '') this.#lines.push(...this.#shown(named, this.#numbered.text(body)));
    this.#lines.push('');
  }

  /** A long line that was there before is told by its beginning and its digest. */
  #shortened(line: string): string {
    if (line.length <= LONG_LINE || this.#isFull) return line;
    if (!this.#longLines.has(line)) {
      this.#longLines.add(line);
      return line;
    }
    return `${line.slice(0, LONG_LINE / 2)}… ${createHash('sha256').update(line).digest('hex').slice(0, 8)}`;
  }

  #shown(title: string, body: string): readonly string[] {
    const lines = visible(body).replace(/\n$/, '').split('\n');
    // No line of a body passes for a title.
    const quoted = lines.map((line) => `| ${line}`.trimEnd());
    if (this.#isFull || body.length <= SHORT / 4) return quoted;
    const before = this.#bodies.get(body);
    if (before !== undefined) return [`= ${before}`];
    this.#bodies.set(body, title);
    if (body.length <= SHORT) return quoted;
    const digest = createHash('sha256').update(body).digest('hex').slice(0, 16);
    return [`# ${digest} ${body.length} ${visible(body.slice(0, HEAD)).replaceAll('\n', '\\n')}`];
  }
}

/** The text with its control characters marked, but for line feeds. */
function visible(text: string): string {
  return text.replace(/[\0-\x09\x0b-\x1f\x7f\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/g, (character) =>
    character === '\r' ? '\\r' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
