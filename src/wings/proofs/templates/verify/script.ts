// The script of verify.html: it reads the files of the folder that it lies in, over HTTP or as its reader chooses them from a disk, and
// shows nothing of their records but what it has proved.
import { coreField, STATED_FIELDS } from '../../../../register/fields.ts';
import { CHECKING } from './checking.ts';
import { SHOWING } from './showing.ts';

/** What previews do not have of a statement. */
const HIDDEN = JSON.stringify(STATED_FIELDS.filter((name) => coreField(name).tier !== 'preview'));

const SOURCE = `'use strict';
(() => {
  const root = new URL('.', document.currentScript.src).href;
  const box = document.querySelector('[data-verify]');
  const { texts, core, causes } = JSON.parse(box.dataset.verify);
  const fill = (text, values) => text.replace(/\\{(\\w+)\\}/g, (_, name) => values[name]);
  class Fault extends Error {
    constructor(code, values = {}) {
      super(fill(texts[code], values));
      this.code = code;
    }
  }
  const hidden = ${HIDDEN};
${CHECKING}${SHOWING}})();
`;

/**
 * The script without comments, indentation, the spaces at signs and what else stands around them, which a third of it would be: a
 * statement stays on a line. No text in it has such spaces.
 */
export const VERIFY_SCRIPT: string = SOURCE.replace(/^ *(?:\/\/.*\n|\n)?/gm, '')
  .replace(/\((\w+)\) =>/g, '$1 =>')
  .replace(/ *([-=+?:<>*/%&|,;!(){}[\]]) */g, '$1')
  .replace(/([({[,])\n/g, '$1')
  .replace(/[,;]?\n(?=[)}\]])/g, '')
  .replace(/;\n(?![(['])/g, '\n');
