// Builds values from JSON tokens, and refuses what JSON.parse accepts silently: a key that occurs twice in one object,
// unlimited nesting. Numbers keep every digit.
import { jsonParser, type Token } from 'stream-json/core/parser.js';
import { quote } from '../../errors.ts';
import { exactly, type ExactNumber, insideJson, isExactNumber, needsExactness } from './exact-number.ts';
import { END_OF_TEXT } from './json-end.ts';
import type { OpenContainer } from './json-position.ts';
import { MAX_DEPTH, MAX_VALUES, type RawValue } from './raw-record.ts';

/** The longest number that is read exactly, in characters. */
const MAX_DIGITS = 1000;

/**
 * The rule that a value breaks, as the end of a sentence about its place. Callers know the place and create the error.
 */
export type Refuse = (reason: string) => Error;

/** Receives the digits of a number that becomes text, and the name of the property that has it, also inside lists. */
export type OnExact = (name: string, digits: string) => void;

/** A tokenizer of JSON text: takes pieces, returns whole tokens. An empty array means that it needs more text. */
export class Tokenizer {
  readonly #parse = jsonParser({ streamValues: false });

  /** @throws Error from stream-json, without a position. */
  push(text: string): readonly Token[] {
    return text === '' ? [] : tokensOf(this.#parse(text));
  }

  /** Ends the text. @throws Error from stream-json when it cannot end here. */
  end(): readonly Token[] {
    return tokensOf(this.#parse(END_OF_TEXT));
  }
}

/** Builds values from tokens. */
export class ValueBuilder {
  readonly #refuse: Refuse;
  readonly #onExact: OnExact | undefined;
  readonly #parents: Container[] = [];
  #container: Container | null = null;
  #value: RawValue = null;
  /** The number of values in the one being built. */
  #values = 0;

  constructor(refuse: Refuse, onExact?: OnExact) {
    this.#refuse = refuse;
    this.#onExact = onExact;
  }

  /** How many containers are open. */
  get depth(): number {
    return this.#container === null ? 0 : this.#parents.length + 1;
  }

  /** The kinds of the open containers, outermost first. */
  get open(): OpenContainer[] {
    const containers = this.#container === null ? [] : [...this.#parents, this.#container];
    return containers.map((container) => ('array' in container ? 'array' : 'object'));
  }

  /** The value that {@link take} has just completed. */
  get value(): RawValue {
    return this.#value;
  }

  /** Forgets the value that is being built. */
  reset(): void {
    this.#parents.length = 0;
    this.#container = null;
    this.#values = 0;
  }

  /** Takes the next token; true when it completes a value. */
  take(token: Token): boolean {
    switch (token.name) {
      case 'startObject':
      case 'startArray':
        this.#open(token.name === 'startArray' ? { array: [] } : { object: {}, key: '' });
        return false;
      case 'endObject':
      case 'endArray': {
        const done = this.#container!;
        this.#container = this.#parents.pop() ?? null;
        return this.#put('array' in done ? done.array : done.object);
      }
      case 'keyValue':
        this.#setKey(token.value);
        return false;
      case 'numberValue':
        return this.#add(needsExactness(token.value) ? this.#exactly(token.value) : Number(token.value));
      case 'stringValue':
      case 'nullValue':
      case 'trueValue':
      case 'falseValue':
        return this.#add(token.value);
      default:
        return false;
    }
  }

  #open(container: Container): void {
    this.#count();
    if (this.#container !== null) this.#parents.push(this.#container);
    this.#container = container;
    if (this.depth > MAX_DEPTH) throw this.#refuse(`is nested deeper than ${MAX_DEPTH} levels`);
  }

  #setKey(key: string): void {
    const container = this.#container as ObjectContainer;
    if (Object.hasOwn(container.object, key)) {
      throw this.#refuse(`has the name ${quote(key)} twice in one object, and only one of the values could be kept`);
    }
    container.key = key;
  }

  #add(value: RawValue): boolean {
    this.#count();
    return this.#put(value);
  }

  #exactly(source: string): bigint | ExactNumber {
    if (source.length > MAX_DIGITS) throw this.#refuse(`has a number of more than ${MAX_DIGITS} digits`);
    const number = exactly(source);
    const isInside = this.depth > 1;
    // Most integers become those of an `integer` field, which are no text; those inside lists and objects do.
    const isText = isExactNumber(number) ? !isInside || typeof insideJson(number) === 'string' : isInside;
    if (isText) this.#onExact?.(this.#name(), source);
    return number;
  }

  /** The name of the innermost property that is being built. */
  #name(): string {
    const containers = this.#container === null ? this.#parents : [...this.#parents, this.#container];
    return containers.findLast((container) => 'key' in container)?.key ?? '';
  }

  #count(): void {
    if (++this.#values > MAX_VALUES) throw this.#refuse(TOO_MANY_VALUES);
  }

  #put(value: RawValue): boolean {
    const container = this.#container;
    if (container === null) {
      this.#value = value;
      this.#values = 0;
      return true;
    }
    if ('array' in container) container.array.push(value);
    else if (container.key !== '__proto__') container.object[container.key] = value;
    // An assignment would set the prototype; here it is an ordinary name.
    else
      Object.defineProperty(container.object, '__proto__', {
        value,
        enumerable: true,
        writable: true,
        configurable: true,
      });
    return false;
  }
}

/** The message for a value of more than {@link MAX_VALUES} values. */
const TOO_MANY_VALUES = `has more than ${MAX_VALUES} values in its lists and objects, the most that are read`;

/** The amount of text tokenized at once: tokens take a hundred times its memory. */
const PIECE_LENGTH = 65_536;

/**
 * The value of a whole JSON text that is known to be well formed.
 *
 * @throws the error that `refuse` creates for a value that cannot be represented.
 */
export function parseExactly(text: string, refuse: Refuse, onExact?: OnExact): RawValue {
  const tokenizer = new Tokenizer();
  const builder = new ValueBuilder(refuse, onExact);
  for (let at = 0; at < text.length; at += PIECE_LENGTH) {
    for (const token of tokenizer.push(text.slice(at, at + PIECE_LENGTH))) builder.take(token);
  }
  for (const token of tokenizer.end()) builder.take(token);
  return builder.value;
}

interface ObjectContainer {
  readonly object: Record<string, RawValue>;
  key: string;
}

type Container = ObjectContainer | { readonly array: RawValue[] };

function tokensOf(result: unknown): readonly Token[] {
  return result === END_OF_TEXT ? [] : (result as { readonly values: readonly Token[] }).values;
}
