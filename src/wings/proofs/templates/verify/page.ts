// verify.html of a snapshot: its reader gives the key of a register's log, and a script checks in the browser what the folder says.
import { type Frame, layout } from '../../../../templates/layout.ts';
import { markup, NOTHING } from '../../../../templates/markup.ts';
import { paragraph } from '../../../../templates/parts/code.ts';

/** The page. @param script its address, and what the page may load */
export function verifyPage(frame: Frame, script: { readonly src: string; readonly policy: string }): string {
  const { proof, texts } = frame.wording;
  const { verify } = proof;
  const data = { texts: verify.script, core: texts.core, causes: texts.record.causes };
  const main = markup`<h1>${verify.title}</h1>
<p class="lead">${verify.lead}</p>
<noscript>${paragraph(verify.noScript)}</noscript>
<div class="search" data-verify="${JSON.stringify(data)}">
<form hidden>
<label for="vkey">${verify.key}</label>
<p class="hint" id="vkey-hint">${verify.keyHint}</p>
<div class="with-button"><input type="text" id="vkey" name="vkey" required autocomplete="off" spellcheck="false" dir="ltr" aria-describedby="vkey-hint">
<button>${verify.check}</button></div>
<p hidden><label for="folder">${verify.folder}</label> <input type="file" id="folder" name="folder" webkitdirectory></p>
</form>
<section aria-labelledby="result" aria-live="polite" hidden></section>
</div>
`;
  return layout({ ...frame, search: { ...script, markup: NOTHING } }, { title: verify.title, isHidden: true, main });
}
