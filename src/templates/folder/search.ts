// The search of a folder of files: a form that a script shows where it can run, and where one can search where it cannot.
import { facetNames } from '../../register/finding/facets.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import type { FolderSearch, Frame } from '../layout.ts';
import { markup, NOTHING } from '../markup.ts';
import { labelOf } from '../parts/filters/words.ts';

/** What is searched. */
export interface FolderSearchOptions {
  /** The register whose fields one can choose by, on its page; null: several are searched. */
  readonly definition: RegisterDefinition | null;
  /** What the field is called. */
  readonly label: string;
  /** The folders of the indexes, from the root, by language; of one register the newest first. */
  readonly indexes: readonly (readonly string[])[];
  /** What the registers are called, by their ids, where there are several. */
  readonly names: Readonly<Record<string, string>>;
  /** The public address of the page. */
  readonly url: string;
  /** The address of the script, and what the page may load. */
  readonly script: Pick<FolderSearch, 'src' | 'policy'>;
}

/** What the script reads of the page. */
export interface FolderSearchData {
  readonly indexes: FolderSearchOptions['indexes'];
  readonly names: FolderSearchOptions['names'];
  readonly texts: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

/** The search. */
export function folderSearch({ wording }: Frame, options: FolderSearchOptions): FolderSearch {
  const { texts, folder } = wording;
  const { core, search, register } = texts;
  const { definition, label, indexes, names, url, script } = options;
  const data: FolderSearchData = {
    ...{ indexes, names },
    texts: {
      ...folder.found,
      ...{ failed: folder.failed, previous: folder.previous, next: folder.next },
      ...{ heading: register.found, core },
    },
  };
  const choices = (definition === null ? [] : facetNames(definition.fields)).map(
    (name) => markup`<div hidden><label for="find-${name}">${labelOf(texts, name, definition!)}</label>
<select id="find-${name}" name="${name}" data-filter><option value="">${folder.any}</option></select></div>\n`,
  );
  return {
    ...script,
    markup: markup`<div class="search" data-find="${JSON.stringify(data)}">
<p class="note">${folder.where(markup`<a class="long" href="${url}">${url}</a>`)}</p>
<form role="search" hidden>
<label for="q">${label}</label>
<p class="hint" id="q-hint">${folder.hint}</p>
<div class="with-button"><input type="search" id="q" name="q" maxlength="1000" dir="auto" aria-describedby="q-hint">
<button>${search.button}</button></div>
${
  definition === null
    ? NOTHING
    : markup`<div class="range">${choices}<div><label for="find-order">${folder.order}</label>
<select id="find-order" name="order"><option value="">${folder.best}</option><option value="date">${folder.newest}</option></select></div></div>\n`
}</form>
<section aria-labelledby="results" hidden></section>
</div>
`,
  };
}
