// The first page: which registers there are, what each holds, and when it last changed.
import type { RegisterDefinition } from '../register/record.ts';
import { type Frame, layout } from './layout.ts';
import { markup } from './markup.ts';

/** A register in the list. */
export interface ListedRegister {
  readonly definition: Pick<RegisterDefinition, 'id' | 'title' | 'description' | 'language'>;
  readonly total: number;
  readonly lastChange: string | null;
}

/** The page. */
export function homePage(frame: Frame, registers: readonly ListedRegister[]): string {
  const { service, addresses } = frame;
  const main = markup`<h1>${service.title}</h1>
<ul>
${registers.map(({ definition }) => markup`<li><a href="${addresses.register(definition.id)}">${definition.title}</a></li>\n`)}</ul>`;
  return layout(frame, { title: null, main, current: 'home' });
}
