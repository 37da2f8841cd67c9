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
  carried: 'Der unterschriebene Nachweis, für später',
  carriedText:
    'Speichern Sie diese Seite als Datei. Mit dem Schlüssel des Protokolls, den Sie sich heute notieren, beweist die Datei später, was von diesem Eintrag festgehalten wurde, auch wenn das Register ihn inzwischen zurückgezogen oder geändert hat: `gazette verify DATEI --vkey SCHLÜSSEL`.',
  carriedNoWords:
    'Er sagt, dass dieser Eintrag festgehalten wurde und wann, nicht aber, was darin steht: Das weist er nur denen nach, die alles lesen dürfen, was der Herausgeber dazu angibt, etwa mit einem Konto. Speichern Sie diese Seite als Datei; mit dem Schlüssel des Protokolls prüft sie `gazette verify DATEI --vkey SCHLÜSSEL`.',
  carriedFile: 'Der Nachweis ist zu lang für diese Seite. Speichern Sie diese Datei, die dasselbe beweist: {address}.',
  verify: {
    title: 'Prüfen, was unterschrieben ist',
    lead: 'Die Einträge in diesem Ordner wurden unterschrieben, als sie festgehalten wurden. Diese Seite prüft in Ihrem Browser Wort für Wort, dass der Ordner sagt, was unterschrieben ist, und zeigt es Ihnen. Sie fragt sonst niemanden.',
    noScript:
      'Diese Seite braucht einen Browser, der Skripte ausführt. Ohne ihn prüft `gazette verify ORDNER --vkey SCHLÜSSEL` den Ordner.',
    key: 'Schlüssel des Protokolls',
    keyHint:
      'Von jemandem, dem Sie vertrauen, etwa von der Website der Behörde, oder wie Sie ihn sich früher notiert haben: Ein Schlüssel, der mit dem Ordner kommt, beweist nichts.',
    check: 'Prüfen',
    folder: 'Der Ordner mit dieser Seite:',
    home: 'Wort für Wort prüfen, dass diese Register sagen, was unterschrieben ist',
    script: {
      checking: 'Wird geprüft …',
      all: '{n} Einträge: jedes Wort wie unterschrieben',
      one: '1 Eintrag: jedes Wort wie unterschrieben',
      some: '{n} von {all} Einträgen: jedes Wort wie unterschrieben',
      upTo: 'Bis zur Änderung {n} des Protokolls {log}. Verglichen sind die .json-Dateien der Seiten, und nichts sonst, was diese zeigen. Was die Definition des Registers sagt, ist nicht unterschrieben: welche Werte die Seiten zeigen und unter welchen Namen.',
      other:
        'Andere Worte als unterschrieben, weniger oder doppelt, eine ältere Fassung oder eine zurückgezogene: {n}. Was von ihnen unterschrieben ist, folgt, wenn dieser Ordner es hat.',
      unproved:
        'Nicht bewiesen: {n}. Dieser Ordner hat nicht, was beweisen würde, was sie sagen, oder dass sie im Protokoll stehen.',
      missing: 'Es fehlen: {n}. Sie stehen im Protokoll und auf keiner Seite.',
      ahead: 'Änderungen, die noch nicht unterschrieben sind: {n}. So viele Einträge können vom Protokoll abweichen.',
      position: 'Eintrag an Stelle {n}',
      proved: 'Die Einträge, wie sie unterschrieben sind',
      more: 'Mehr zeigen',
      signedAs:
        'Fassung {version} ({cause}), festgehalten am {at}: unterschrieben als Änderung {change} von {size} des Protokolls {log}.',
      older: 'Nicht die neueste: Nach ihr wurde die Änderung {n} des Protokolls ({cause}) am {at} festgehalten.',
      save: 'Als Beleg speichern',
      saveHint:
        'Eine Datei mit diesem Eintrag und seinem Nachweis. Mit dem Schlüssel kann sie jeder später prüfen, auch wenn das Register den Eintrag zurückgezogen hat: gazette verify DATEI --vkey SCHLÜSSEL.',
      evidence: 'Mit dem Schlüssel des Protokolls beweist dies, was oben steht: gazette verify DATEI --vkey SCHLÜSSEL.',
      notProved: 'Nicht bewiesen',
      badKey:
        'Das ist kein Schlüssel des Protokolls eines Registers. Er sieht so aus: example.org/api/v1/feeds/permits/log/…+1a2b3c4d+A….',
      lacking: 'Die Datei {file} fehlt.',
      otherFile: 'Die Datei {file} ist nicht, wie sie geschrieben wurde.',
      otherLog: 'Das Protokoll in diesem Ordner ist nicht das unterschriebene.',
      otherLine: 'Was dieser Ordner von dem Eintrag sagt, ist nicht, was unterschrieben ist.',
      notSigned: 'Die Datei {file} ist nicht mit diesem Schlüssel unterschrieben.',
      notYet: 'Diese Fassung des Eintrags ist noch nicht unterschrieben.',
      noLine: 'Dieser Ordner hat nicht, was beweisen würde, was der Eintrag sagt.',
      noEd25519:
        'Dieser Browser kann diese Unterschriften nicht prüfen (Ed25519, auf einer Seite, die über HTTPS geladen ist). Nehmen Sie einen neueren oder gazette verify.',
      choose: 'Von der Festplatte darf eine Seite die Dateien neben ihr nicht lesen: Wählen Sie oben den Ordner.',
      broken: 'Etwas in diesem Ordner kann nicht gelesen werden.',
    },
  },
};
