// The search as pages have it: of a register on its newest page, and of the registers that a page of the list has.
import { HEAD_NAME, SEARCH_FOLDER, SEARCH_SCRIPT_FILE } from '../../archive/layout.ts';
import type { ListedRegister } from '../../templates/home-page.ts';
import { folderSearch } from '../../templates/folder/search.ts';
import type { FolderSearch, Frame } from '../../templates/layout.ts';
import { shortened } from '../../templates/parts/excerpt.ts';
import type { SearchIndex } from '../folder/manifest.ts';
import type { SnapshotRegister } from './content.ts';
import { SEARCH_POLICY_IN_PAGES } from './policies.ts';

/** A register in the list, with the indexes of its search; absent: it has none. */
export interface SearchedRegister extends ListedRegister {
  readonly search?: readonly SearchIndex[];
}

/** The search of a register's newest page; null: there is none. */
export function registerSearch(
  frame: Frame,
  { definition, search, url }: SnapshotRegister,
  root: string,
): FolderSearch | null {
  if (search === undefined || search.length === 0) return null;
  return folderSearch(frame, {
    definition,
    label: frame.wording.texts.register.search,
    indexes: byLanguage([{ definition, search }]),
    names: {},
    url: `${url}/${HEAD_NAME}.html`,
    script: scriptIn(root),
  });
}

/** The search of the registers of a page of the list; null: none of them has one. */
export function listSearch(
  frame: Frame,
  registers: readonly SearchedRegister[],
  { url, isOnly }: { readonly url: string; readonly isOnly: boolean },
): FolderSearch | null {
  const searched = registers.filter(({ search = [] }) => search.length > 0);
  if (searched.length === 0) return null;
  const { texts, folder } = frame.wording;
  return folderSearch(frame, {
    definition: null,
    label: isOnly && searched.length === registers.length ? texts.home.search : folder.searchListed,
    indexes: byLanguage(searched),
    names: Object.fromEntries(searched.map(({ definition: { id, title } }) => [id, shortened(title, 100)])),
    url,
    script: scriptIn(''),
  });
}

function scriptIn(root: string): Pick<FolderSearch, 'src' | 'policy'> {
  return { src: `${root}${SEARCH_SCRIPT_FILE}`, policy: SEARCH_POLICY_IN_PAGES };
}

/** The folders of indexes, from the root, by their languages. */
function byLanguage(
  registers: readonly { readonly definition: { readonly id: string }; readonly search?: readonly SearchIndex[] }[],
): readonly (readonly string[])[] {
  const all = registers.flatMap(({ definition: { id }, search = [] }) => search.map((index) => ({ id, index })));
  const groups = Map.groupBy(all, ({ index }) => index.language);
  const pathOf = ({ id, index }: { readonly id: string; readonly index: SearchIndex }): string =>
    `${id}/${SEARCH_FOLDER}/${index.name}`;
  return Array.from(groups.values(), (group) => group.map(pathOf));
}
