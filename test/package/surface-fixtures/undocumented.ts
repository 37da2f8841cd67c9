// An entry without doc comments where they belong.
export function plain(): void {
  // Nothing.
}

export const LIMIT = 3;

export type Word = string;

export class Box {
  readonly content: string = '';

  open(): string {
    return this.content;
  }

  get isEmpty(): boolean {
    return this.content === '';
  }
}

export interface Options {
  readonly size?: number;
}
