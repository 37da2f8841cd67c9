// Four eyes: who may decide about a proposal at the desk. The command line is the operator's, and not bound.
import { GazetteError, quote } from '../../errors.ts';
import type { Editor } from '../../stores/contract/desk/editors.ts';
import type { ImportEntry } from '../../stores/contract/imports/log.ts';
import { checkMay, mayDo } from './editors.ts';

/** Who approves what an editor proposes. Undefined: any editor who may approve, the proposer too. */
export type FourEyes = 'other' | undefined;

/** What is to be approved. */
type Proposed = Pick<ImportEntry, 'number' | 'who'> & { readonly feedId: string };

/** Whether an editor may approve a proposal. */
export function mayApprove(editor: Editor, { feedId, who }: Proposed, approve: FourEyes): boolean {
  return mayDo(editor, 'approve', feedId) && !(approve === 'other' && who === editor.name);
}

/** Refuses an approval. @throws GazetteError `unknown_feed`, `editor_refused` */
export function checkApproves(editor: Editor, proposed: Proposed, approve: FourEyes): void {
  checkMay(editor, 'approve', proposed.feedId);
  if (mayApprove(editor, proposed, approve)) return;
  const message = `editor ${quote(editor.name)} proposed import ${proposed.number}: another editor approves it`;
  throw new GazetteError('editor_refused', message);
}
