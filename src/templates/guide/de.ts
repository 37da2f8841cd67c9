// The guide in German.
import type { GuideTexts } from './en.ts';

/** Its texts; code is between backticks. */
export const guideDe: GuideTexts = {
  title: 'Die Daten in Programmen nutzen',
  lead: 'Alles, was Sie hier lesen, können auch Programme lesen: als JSON, in jedem Format eines Registers, als Feed und als Nachricht, die zu Ihnen kommt.',
  contents: 'Auf dieser Seite',
  start: 'Anfang',
  startText:
    'Die Schnittstelle ist unter {api}. Fragen Sie zuerst nach den Registern, dann nach den Einträgen eines Registers. Es muss nichts installiert werden.',
  register: 'Register in den Beispielen',
  registerButton: 'Verwenden',
  referenceLink: 'Alle Anfragen, zum Lesen und Ausprobieren, stehen in der Referenz',
  agents: 'Agenten finden dasselbe unter {mcp} (Model Context Protocol).',
  keys: 'Schlüssel',
  keysText:
    'Ohne Schlüssel bekommen Sie die neuesten Einträge jedes Registers und alles aus offenen Registern. Mit Schlüssel bekommen Sie alles. Senden Sie ihn als Header `Authorization: Bearer …`, nie in einer Adresse: Adressen werden protokolliert und weitergegeben.',
  yourKey: 'Ihr Schlüssel endet auf {ending}. Er wurde einmal gezeigt, als er erzeugt wurde.',
  getKey: 'Schlüssel bekommen',
  paging: 'Alle Einträge, Seite für Seite',
  pagingText:
    'Eine Seite hat höchstens 100 Einträge. Der Header `Link: <…>; rel="next"` nennt die nächste; fehlt er, gibt es keine mehr. Er behält Ihre Filter und zeigt das Register so, wie es am Anfang war: Nichts fehlt, nichts kommt doppelt.',
  formats: 'Formate',
  formatsText: 'Jede Seite gibt es auch als Datei, mit denselben Filtern:',
  wholeText:
    'Das ganze Register, oder alles, was passt, kommt in einer Datei. Bricht die Verbindung ab, ist sie nicht vollständig: Fragen Sie noch einmal.',
  feeds: 'Feeds',
  feedsText:
    'Abonnieren Sie ein Register oder eine Suche darin in jedem Feedreader. Die Adresse einer Suche ist die des Feeds mit denselben Parametern:',
  feedsAll: 'Alle Register auf einmal, für Feedreader, die OPML einlesen:',
  changes: 'Nur was sich geändert hat',
  changesText:
    'Um eine Kopie zu führen, fragen Sie nach den Änderungen nach der letzten, die Sie kennen. Berichtigungen und Rücknahmen gehören dazu.',
  webhooks: 'Webhooks',
  webhooksText:
    'An eine eigene Adresse wird Ihnen jede Änderung als POST gesendet. Prüfen Sie die Signatur, bevor Sie ihr glauben: Der Header `X-Register-Signature` hat eine Zeit und einen HMAC-SHA-256 über diese Zeit, einen Punkt und den Inhalt genau so, wie er ankam. Der Schlüssel ist das ganze Geheimnis, mit `whsec_`.',
  webhooksAnswer:
    'Antworten Sie innerhalb von 15 Sekunden mit einem Status von 200 bis 299, und arbeiten Sie danach. Was nicht so beantwortet wird, kommt tagelang wieder. Dasselbe Ereignis kann zweimal kommen: `X-Register-Event` hat seine Kennung.',
  limits: 'Grenzen',
  limitsKey: 'Mit Schlüssel: {limit} Anfragen in {seconds} Sekunden.',
  limitsAddress: 'Ohne Schlüssel: {limit} Anfragen in {seconds} Sekunden von einer Adresse.',
  limitsNone: 'Dieser Dienst zählt keine Anfragen.',
  limitsText: 'Darüber ist die Antwort 429; der Header `Retry-After` sagt, wann Sie wiederkommen können.',
  conditions: 'Senden Sie `If-None-Match` mit dem letzten `ETag`: Eine Antwort 304 ist kurz und wird nicht gezählt.',
  errors: 'Fehler',
  errorsText:
    'Fehler sind JSON mit einem festen `code`, einem `detail` auf Englisch und dem Parameter, der falsch war. Auch ein falsch geschriebener Parameter ist ein Fehler, damit kein Filter unbemerkt wegfällt.',
};
