// A log in memory that a test has the key of, and what it sends to witnesses.
import { consistencyRanges, hashesOf, type TreeHead } from '../../../../src/wings/proofs/tlog/index.ts';
import { formatCheckpoint } from '../../../../src/wings/proofs/tlog/checkpoint.ts';
import { type SignerKey, signerOf } from '../../../../src/wings/proofs/tlog/keys.ts';
import { formatNote, signText } from '../../../../src/wings/proofs/tlog/note.ts';
import { formatSubmission } from '../../../../src/wings/proofs/tlog/submission.ts';
import { leavesOf, TiledLog } from '../tlog/naive-tree.ts';

/** A log that grows, and remembers what it was. */
export class KnownLog {
  readonly key: SignerKey;
  readonly #log = new TiledLog();
  readonly #heads: TreeHead[] = [{ size: 0, root: this.#log.root }];
  readonly #word: string;

  /** @param word what the entries say: logs of other words have other entries */
  constructor(origin = 'registers.example/log', word = 'entry', seed = 1) {
    this.key = signerOf(origin, 'log', Buffer.alloc(32, seed));
    this.#word = word;
  }

  get size(): number {
    return this.#log.size;
  }

  /** What it was at some size. */
  head(size: number = this.size): TreeHead {
    return this.#heads[size]!;
  }

  /** @param word what these entries say */
  grow(count: number, word: string = this.#word): this {
    for (const leaf of leavesOf(this.size + count, word).slice(this.size)) {
      this.#log.grow([leaf]);
      this.#heads.push({ size: this.size, root: this.#log.root });
    }
    return this;
  }

  /** The signed checkpoint at some size. */
  checkpoint(size: number = this.size, keys: readonly SignerKey[] = [this.key]): string {
    const text = formatCheckpoint({ origin: this.key.name, ...this.head(size) });
    return formatNote({ text, signatures: keys.map((key) => signText(text, key, 1)) });
  }

  /** The proof from one size to another. */
  proof(before: number, size: number = this.size): readonly Uint8Array[] {
    if (before === 0 || before === size) return [];
    return hashesOf(consistencyRanges(before, size), size, this.#log.read);
  }

  /** The request for a witness that signed some size last. */
  request(before: number, size: number = this.size): string {
    return formatSubmission({ oldSize: before, proof: this.proof(before, size), checkpoint: this.checkpoint(size) });
  }
}
