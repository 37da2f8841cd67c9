// Was die Redaktion von einzelnen Einträgen auf Deutsch sagt.
import type { DeskRecordsTexts } from './records-en.ts';

/** The texts. */
export const deDeskRecords: DeskRecordsTexts = {
  heading: 'Einträge',
  search: 'Einen Eintrag finden',
  searchHint:
    'Sein Schlüssel oder seine Kennung, oder Wörter, die er hat. Ein zurückgezogener Eintrag wird nur mit Schlüssel oder Kennung gefunden.',
  searchButton: 'Finden',
  newest: 'Die neuesten',
  found: 'Einträge mit diesen Wörtern',
  none: 'Es gibt noch keine Einträge.',
  nothing: 'Kein Eintrag hat diesen Schlüssel, diese Kennung oder all diese Wörter.',
  noWords: 'Kein Eintrag hat diesen Schlüssel oder diese Kennung, und nach Wörtern kann hier nicht gesucht werden.',
  all: 'Die neuesten Einträge',
  id: 'Kennung',
  state: 'Stand',
  latest: 'Fassung',
  states: { live: 'veröffentlicht', withdrawn: 'zurückgezogen', redacted: 'gelöscht' },
  publicPage: 'Was Leser sehen, mit allen Fassungen',
  proposal:
    'Was Sie hier tun, ist ein Vorschlag: Jemand anderes aus der Redaktion genehmigt ihn. Nur gelöscht wird sofort.',
  erased: 'Der Inhalt dieses Eintrags wurde endgültig gelöscht. Nichts davon kann geändert oder zurückgeholt werden.',
  readOnly: 'Sie geben frei, was andere vorschlagen. Einträge ändern andere aus der Redaktion.',
  correct: 'Eintrag berichtigen',
  correctButton: 'Speichern und veröffentlichen',
  correctProposed: 'Berichtigung vorschlagen',
  cause: 'Warum wird er berichtigt?',
  causeHint: 'Leser sehen das bei der neuen Fassung.',
  choose: 'Bitte wählen',
  causes: {
    source_change: 'die Quelle hat sich geändert',
    extraction_correction: 'wir hatten die Quelle falsch gelesen',
  },
  contentTypes: { text: 'einfacher Text', html: 'HTML' },
  hints: {
    number: 'Eine Zahl, zum Beispiel 1234,5.',
    decimal: 'Eine Zahl, zum Beispiel 1234,50.',
    integer: 'Eine ganze Zahl.',
    datetime: 'Ein Datum, zum Beispiel 17.04.2026, oder mit Uhrzeit: 2026-04-17T08:12:44Z.',
    url: 'Eine Adresse, die mit https:// oder http:// beginnt.',
    json: 'Als JSON.',
  },
  now: 'Das hat inzwischen jemand geändert. Nun steht dort: {value}',
  tooLong:
    'Zu lang, um auf einer Seite geändert zu werden: {fields}. Berichtigen Sie es in der Datei, oder fragen Sie den Betrieb.',
  invalid: {
    text: 'Geben Sie einen Text ein.',
    number: 'Geben Sie eine Zahl ein, zum Beispiel 1234,5.',
    decimal: 'Geben Sie eine Zahl ein, zum Beispiel 1234,50.',
    integer: 'Geben Sie eine ganze Zahl ein, zum Beispiel 12.',
    boolean: 'Wählen Sie Ja oder Nein.',
    date: 'Geben Sie ein Datum ein, zum Beispiel 17.04.2026.',
    datetime: 'Geben Sie ein Datum ein, zum Beispiel 17.04.2026, oder mit Uhrzeit: 2026-04-17T08:12:44Z.',
    url: 'Geben Sie eine Adresse ein, die mit https:// oder http:// beginnt.',
    json: 'Geben Sie JSON ein: einen Text in Anführungszeichen, eine Zahl, eine Liste in [ ] oder ein Objekt in { }.',
    required: 'Das darf nicht leer sein.',
    other: 'Dieser Wert passt nicht zum Feld.',
  },
  withdraw: {
    heading: 'Eintrag zurückziehen',
    hint: 'Leser erfahren, dass er zurückgezogen wurde; seine Geschichte bleibt. Eine Datei bringt ihn nur zurück, wenn seine Quelle etwas Neues von ihm sagt. Hier kann er wiederhergestellt werden.',
    button: 'Zurückziehen',
    proposed: 'Vorschlagen, ihn zurückzuziehen',
  },
  restore: {
    heading: 'Eintrag wiederherstellen',
    hint: 'Er wird wieder veröffentlicht, mit dem, was er zuletzt gesagt hat. Eine Datei, in der er weiter fehlt, zieht ihn nicht wieder zurück.',
    button: 'Wiederherstellen',
    proposed: 'Vorschlagen, ihn wiederherzustellen',
  },
  erase: {
    heading: 'Aus rechtlichen Gründen löschen',
    lead: 'Wo Inhalt gar nicht behalten werden darf, etwa nach einem Gerichtsbeschluss. Sie sehen zuerst, was das bedeutet.',
    toPage: 'Was das Löschen tut',
    question: 'Diesen Eintrag endgültig löschen?',
    goes: 'Was gelöscht wird',
    goesItems: [
      'Der Inhalt aller Fassungen des Eintrags, hier und in seiner Geschichte: Titel, Daten, Quelle, jedes Feld.',
      'Vorschläge, die warten und den Eintrag haben, auch unverändert, oder unter ihren abgelehnten Zeilen haben können: Sie werden verworfen.',
    ],
    stays: 'Was bleibt',
    staysItems: [
      'Seine Kennung, Zeiten und Nummern seiner Fassungen, und dass er gelöscht wurde. Dateien, die ihn haben, bringen ihn nicht zurück.',
      'Was anderswo ist: hoch- oder heruntergeladene Dateien, Kopien von Empfängern, Sicherungen. Der Betrieb weiß, wo.',
    ],
    final: 'Niemand kann das rückgängig machen.',
    told: 'Es geschieht sofort, ohne eine zweite Person; alle, die Änderungen dieses Registers genehmigen, erfahren es per Mail.',
    untold: 'Es geschieht sofort, ohne eine zweite Person. Dieser Dienst verschickt darüber keine Mail.',
    seen: 'Andere in der Redaktion sehen auf der Seite des Registers und unter „Was getan wurde“, dass Sie ihn gelöscht haben, und wann; nichts von dem, was er sagte.',
    lately: 'Zuletzt gelöscht',
    confirm: 'Sind Sie sicher?',
    confirmText: 'Ja, den Inhalt dieses Eintrags für immer löschen.',
    missing: 'Nichts wurde gelöscht: Bestätigen Sie, dass Sie es so meinen.',
    button: 'Endgültig löschen',
    back: 'Zurück zum Eintrag, nichts löschen',
  },
  done: {
    correct: 'Sie haben den Eintrag berichtigt.',
    withdraw: 'Sie haben den Eintrag zurückgezogen.',
    restore: 'Sie haben den Eintrag wiederhergestellt.',
    erased: 'Sie haben den Inhalt des Eintrags gelöscht.',
    discarding:
      'Sie haben den Inhalt des Eintrags gelöscht. Vorschläge, die ihn hatten oder haben konnten, wurden verworfen: Einlesung {numbers}.',
  },
  problems: {
    item_changed:
      'Nichts wurde getan: Jemand hat diesen Eintrag geändert, seit Sie seine Seite geöffnet haben. Sie sehen ihn, wie er jetzt ist, mit dem, was Sie eingegeben haben. Sehen Sie sich beides an und senden Sie es noch einmal.',
    invalid_option: 'Nichts wurde getan: Das steht schon so im Eintrag.',
    register_busy:
      'Nichts wurde getan: Jemand arbeitet gerade an diesem Register. Versuchen Sie es gleich noch einmal.',
    cause: 'Wählen Sie, warum der Eintrag berichtigt wird.',
  },
  mail: {
    subject: 'Ein Eintrag wurde gelöscht in {register}: {service}',
    text: 'im Register {register} hat {who} den Inhalt des Eintrags {record} endgültig gelöscht. Das braucht keine Genehmigung und kann nicht rückgängig gemacht werden. Wenn Sie das nicht erwartet haben, fragen Sie {who}:',
  },
};
