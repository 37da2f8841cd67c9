// What can be chosen of how a file is read, as drop-downs: what is so now comes first, and stays where nothing is chosen.
import type { RegisterDefinition } from '../../register/record.ts';
import { selectField, type Sent, type SignInFrame } from '../account/parts.ts';
import type { DeskReadingTexts } from '../languages/desk/making-en.ts';
import { markup, type Markup } from '../markup.ts';
import { shortened } from '../parts/excerpt.ts';
import { fieldName } from './parts.ts';

/** Something that can be chosen. */
interface ShownOption {
  /** Empty: as it is. */
  readonly value: string;
  /** In words of the page; null: in those of the file. */
  readonly word: keyof DeskReadingTexts['words'] | null;
  readonly text: string;
}

/** One choice. */
export interface ShownChoice {
  readonly name: string;
  readonly options: readonly ShownOption[];
}

/** The choices that are no field. */
const FORMS = ['sheet', 'encoding', 'delimiter', 'dateFormat', 'decimal', 'order', 'missing', 'unshown'] as const;

/** The drop-downs of a form. @param sent what was chosen in it, of these same choices */
export function readingFields(
  frame: SignInFrame,
  form: string,
  choices: readonly ShownChoice[],
  definition: Pick<RegisterDefinition, 'fields' | 'language'>,
  sent: Sent | null = null,
): Markup {
  const { reading } = frame.wording.desk;
  const isForm = ({ name }: ShownChoice): boolean => (FORMS as readonly string[]).includes(name);
  const fieldOf = (choice: ShownChoice): Markup => {
    const { name, options } = choice;
    return selectField({
      form,
      sent,
      name: isForm(choice) ? name : `of-${name}`,
      label: choiceLabel(frame, name, definition),
      choices: options.map((option) => [option.value, optionText(frame, option)]),
      value: '',
    });
  };
  return markup`<fieldset class="choices"><legend>${reading.columnsHint}</legend>
${choices.filter((choice) => !isForm(choice)).map(fieldOf)}</fieldset>
<fieldset class="choices"><legend>${reading.forms}</legend>
${choices.filter(isForm).map(fieldOf)}</fieldset>
`;
}

/** What a choice is about. */
export function choiceLabel(
  { wording }: SignInFrame,
  name: string,
  { fields }: Pick<RegisterDefinition, 'fields'>,
): string {
  const { names } = wording.desk.reading;
  if (Object.hasOwn(names, name)) return names[name as keyof typeof names];
  return fieldName(wording, name, { fields }).text;
}

/** What can be chosen, as text. */
export function optionText({ wording }: SignInFrame, { word, text }: ShownOption): string {
  const shown = shortened(text, 120);
  return word === null ? shown : wording.desk.reading.words[word].replace('{text}', () => shown);
}
