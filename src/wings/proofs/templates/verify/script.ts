// The script of verify.html: it reads the files of the folder that it lies in, over HTTP or as its reader chooses them from a disk, and
// shows nothing of their records but what it has proved.
import { CHECKING } from './checking.ts';
import { SHOWING } from './showing.ts';

const SOURCE = `'use strict';
(() => {
  const root = new URL('.', document.currentScript.src).href;
  const box = document.querySelector('[data-verify]');
  const data = JSON.parse(box.dataset.verify);
  const { texts } = data;
  const fill = (text, values) => text.replace(/\\{(\\w+)\\}/g, (_, name) => values[name]);
  class Fault extends Error {
    constructor(code, values = {}) {
      super(fill(texts[code], values));
      this.code = code;
    }
  }
${CHECKING}${SHOWING}})();
`;

/** The script without comments, indentation and the spaces at signs, which a third of it would be. No text in it has such spaces. */
export const VERIFY_SCRIPT: string = SOURCE.replace(/^ *(?:\/\/.*\n|\n)?/gm, '')
  .replace(/ (=>|[=!]==|[-=+?:<>*/%]|&&|\|\||\?\?) /g, '$1')
  .replace(/([,:;]) |\b(if|for|catch) (?=\()/g, '$1$2')
  .replace(/([({[]) | ([)}\]{])/g, '$1$2');
