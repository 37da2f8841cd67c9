// A register's history, as the primary showed it, and what readers see of it meanwhile: what comes under a tag is never older
// than the tag says, what was committed a second ago is seen, walks within a view are exact, and a page that is kept under a
// tag is the page of that tag.
import { expect } from 'vitest';
import type { RegisterDefinition } from '../../../../src/register/record.ts';
import type { RegisterSource } from '../../../../src/register/sources/source.ts';
import type { PostgresStore } from '../../../../src/stores/postgres/store.ts';
import { at, permits, say } from '../../../contracts/store-register.ts';

/** Within so long, in milliseconds, every node knows what was committed. */
const BOUND_MS = 1000;

/** A state of the register, as the primary showed it. */
export interface State {
  readonly revision: string;
  readonly content: string;
  readonly change: number;
  readonly shownAt: number;
}

/** A change that a history makes. */
export interface Change {
  readonly do: 'apply' | 'withdraw' | 'redact';
  readonly name: string;
}

/** What a node remembers of a register. */
interface Remembered {
  readonly stamp: number;
  readonly revision: string;
}

/** One history. */
export class History {
  readonly #readers: readonly PostgresStore[];
  readonly #sources = new Map<number, RegisterSource>();
  readonly #states: State[] = [];
  /** What was shown under each revision. */
  readonly #shown = new Map<string, string>();
  /** As a service remembers them: for as long as the store knows that the register has not changed. */
  readonly #remembered = new Map<number, Remembered>();
  #minute = 1;

  /** @param readers the nodes that are asked */
  constructor(readers: readonly PostgresStore[]) {
    this.#readers = readers;
  }

  /** Makes the register. */
  async begin(writer: PostgresStore, definition: RegisterDefinition = permits()): Promise<void> {
    await writer.createRegister(definition);
    await writer.apply('permits', [say('a'), say('z')], { recordedAt: at(1) });
    await this.note(writer);
  }

  /** The state that the primary showed last. */
  get last(): State {
    return this.#states.at(-1)!;
  }

  /** The time of the next change. */
  next(): string {
    this.#minute++;
    return at(this.#minute);
  }

  /** Notes what the primary shows. */
  async note(primary: PostgresStore): Promise<State> {
    const { change } = (await primary.register('permits'))!;
    const source = await primary.source('permits');
    const [revision, content] = [await source.revision!(), await contentOf(source)];
    expect(this.#shown.get(revision) ?? content, 'two states under one tag').toBe(content);
    this.#shown.set(revision, content);
    this.#states.push({ revision, content, change, shownAt: performance.now() });
    return this.last;
  }

  /** Publishes a record whose title nothing else has. @returns the title, and what becomes of the write */
  publish(writer: PostgresStore, name: string): { readonly title: string; readonly written: Promise<unknown> } {
    const recordedAt = this.next();
    const title = `Title ${this.#minute}`;
    return { title, written: writer.apply('permits', [say(name, { title })], { recordedAt }) };
  }

  /** Makes a change. A record that is not there is neither withdrawn nor redacted. */
  async change(writer: PostgresStore, step: Change): Promise<void> {
    if (step.do === 'apply') await this.publish(writer, step.name).written;
    else {
      const page = await (await writer.source('permits')).page({ offset: 0, limit: 100 });
      const id = page.records.find(({ id }) => id === `permits:${step.name}`)?.id;
      if (id === undefined) return;
      const recordedAt = this.next();
      if (step.do === 'withdraw') await writer.withdraw('permits', [id], { recordedAt });
      else await writer.redact(id, { recordedAt });
    }
    await this.note(writer);
  }

  /** Reads from a node as a service does. */
  async read(node: number): Promise<void> {
    const source = await this.#sourceOf(node);
    const old = this.#old();
    const tag = await this.#tagOf(node);
    const tagged = this.#states.findLastIndex(({ revision }) => revision === tag);
    expect(tagged, 'a tag of a second ago').toBeGreaterThanOrEqual(old);
    const content = await contentOf(source);
    expect(this.#found(content), 'content older than its tag').toBeGreaterThanOrEqual(tagged);
    // A page is kept if the register is the same afterwards.
    if ((await source.revision!()) === tag) expect(content, 'another page under one tag').toBe(this.#shown.get(tag));
  }

  /** Asks a node for something else: it learns whether anything was committed. */
  glance(node: number): void {
    this.#readers[node]!.stamp();
  }

  /** A walk in pages of two within the view of its first page finds what the primary has in it, each once. */
  async walk(node: number, primary: PostgresStore): Promise<void> {
    const source = await this.#sourceOf(node);
    const old = this.#old();
    expect(this.#found(await contentOf(source)), 'content of a second ago').toBeGreaterThanOrEqual(old);
    const first = await source.page({ offset: 0, limit: 2 });
    const asOf = first.asOf!;
    const seen = first.records.map(({ id }) => id);
    for (let next = first.nextOffset; next !== null;) {
      const page = await source.page({ offset: next, limit: 2, asOf });
      seen.push(...page.records.map(({ id }) => id));
      next = page.nextOffset;
    }
    const whole = await (await primary.source('permits')).page({ offset: 0, limit: 100, asOf });
    expect(new Set(seen).size).toBe(seen.length);
    // Nothing is committed meanwhile; what was withdrawn within the last second may still be seen.
    for (const { id } of whole.records) expect(seen).toContain(id);
  }

  /** The register as a node keeps it: it is not looked up again for each answer. */
  async #sourceOf(node: number): Promise<RegisterSource> {
    const source = this.#sources.get(node) ?? (await this.#readers[node]!.source('permits'));
    this.#sources.set(node, source);
    return source;
  }

  /** The last state that every node knows. */
  #old(): number {
    const known = performance.now() - BOUND_MS;
    return this.#states.findLastIndex(({ shownAt }) => shownAt < known);
  }

  /** The last state with this content; -1 if there was none. */
  #found(content: string): number {
    return this.#states.findLastIndex((state) => state.content === content);
  }

  async #tagOf(node: number): Promise<string> {
    const stamp = this.#readers[node]!.stamp();
    const kept = this.#remembered.get(node);
    const isKnown =
      stamp !== undefined && kept !== undefined && this.#readers[node]!.isUnchanged('permits', kept.stamp);
    if (isKnown) return kept.revision;
    const revision = await (await this.#sourceOf(node)).revision!();
    if (stamp === undefined) this.#remembered.delete(node);
    else this.#remembered.set(node, { stamp, revision });
    return revision;
  }
}

async function contentOf(source: RegisterSource): Promise<string> {
  const page = await source.page({ offset: 0, limit: 100 });
  return JSON.stringify(page.records.map(({ id, title, version }) => [id, title, version]));
}
