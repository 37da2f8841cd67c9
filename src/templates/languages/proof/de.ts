// What pages say of proofs in German.
import { markup } from '../../markup.ts';
import type { ProofTexts } from './en.ts';

/** The texts. */
export const deProof: ProofTexts = {
  link: 'Nachweis, dass dies festgehalten wurde',
  ofVersion: (version) => `Nachweis der Fassung ${version}`,
  title: 'Nachweis, dass dieser Eintrag festgehalten wurde',
  lead: (version, when) =>
    markup`Das Protokoll dieses Registers sagt, dass Fassung ${version} dieses Eintrags am ${when} festgehalten wurde.`,
  what: 'Das Protokoll ist ein Baum über alle Fassungen aller Einträge, in der Reihenfolge, in der sie festgehalten wurden; seine Wurzel ist unterschrieben. Was unterschrieben ist, kann später nicht geändert oder weggelassen werden, ohne dass alle es zeigen können, die eine unterschriebene Wurzel aufbewahrt haben.',
  log: 'Im Protokoll',
  origin: 'Name des Protokolls',
  index: 'Stelle der Zeile',
  indexHint: 'Von 0 an gezählt.',
  recorded: 'Festgehalten',
  cause: 'Warum',
  size: 'Unterschriebene Zeilen',
  root: 'Unterschriebene Wurzel',
  vkey: 'Schlüssel, der die Unterschrift prüft',
  vkeyHint:
    'Vergleichen Sie ihn mit dem, den Sie sich früher notiert oder von anderen bekommen haben: Ein Schlüssel, der mit dem Nachweis kommt, beweist nichts.',
  entry: 'Die Zeile',
  entryText: 'Dieser Text wird gehasht. Er enthält keine Kennung und keinen Inhalt, und alle dürfen ihn haben.',
  leaf: 'Ihr Hash',
  commitment: 'Festlegung',
  commitmentHint:
    'Der HMAC-SHA-256 dessen, was der Herausgeber angegeben hat: des kanonischen JSON (RFC 8785) von `{ "v": 1, "log", "id", "version", "statement" }`.',
  committedLog: 'Das `log` darin',
  salts: 'Die Salze',
  saltsText:
    'Die Salze sind Schlüssel aus 32 zufälligen Bytes. Ohne sie kann niemand aus dem Protokoll herausfinden, was ein Eintrag sagt, auch nicht durch Raten. Wird Inhalt aus rechtlichen Gründen gelöscht, werden seine Salze mit ihm gelöscht.',
  recordSalt: 'Salz der Kennung',
  recordSaltHint:
    'Der Schlüssel von `record` in der Zeile, einem HMAC-SHA-256 der Kennung des Eintrags. Er zeigt, dass die Zeile zu diesem Eintrag gehört.',
  salt: 'Salz des Inhalts',
  saltHint: 'Der Schlüssel der Festlegung. Er zeigt, dass dies veröffentlicht wurde.',
  saltFor: 'Sie dürfen es nicht haben: Es ist für alle, die diese Fassung lesen dürfen.',
  erased: 'Es wurde gelöscht.',
  path: 'Von der Zeile zur Wurzel',
  pathText: (size) =>
    `Diese Hashes ergeben, mit dem der Zeile zusammengesetzt (RFC 6962), die Wurzel der ${size} unterschriebenen Zeilen.`,
  noPath: 'Es gibt keine: Die Zeile ist das ganze Protokoll.',
  checkpoint: 'Die unterschriebene Wurzel',
  check: 'Selbst prüfen',
  file: 'Der Nachweis als Datei (C2SP tlog-proof), zum Aufbewahren, Mailen oder Drucken: {address}. Mit dem Schlüssel kann ihn jeder später prüfen, ohne diesen Dienst. Programme brauchen für das Salz des Inhalts einen API-Schlüssel.',
  whole: 'Dass das ganze Register vollständig ist und nicht umgeschrieben wurde:',
  go: 'In Go prüft `note.Open` aus `golang.org/x/mod/sumdb/note` die Unterschrift, `tlog.RecordHash` aus `golang.org/x/mod/sumdb/tlog` macht den Hash der Zeile, und `tlog.CheckRecord` prüft die Hashes. Andere Software für Transparenzprotokolle tut dasselbe.',
  hand: 'In JavaScript prüft `verifyProof()` aus `gazette/proofs` die Datei.',
  carried: 'Der unterschriebene Nachweis dessen, was hier steht, für später',
  carriedText:
    'Speichern Sie diese Seite als Datei. Mit dem Schlüssel des Protokolls, den Sie sich heute notieren, beweist die Datei später, was von diesem Eintrag festgehalten wurde, auch wenn das Register ihn inzwischen zurückgezogen oder geändert hat: `gazette verify DATEI --vkey SCHLÜSSEL`.',
  carriedFile: 'Der Nachweis ist zu lang für diese Seite. Speichern Sie diese Datei, die dasselbe beweist: {address}.',
};
