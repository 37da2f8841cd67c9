// Was in einer Datei gefunden wurde, und warum sie nicht gelesen werden kann, auf Deutsch.
import type { DeskRemarksTexts } from './remarks-en.ts';

/** The texts. */
export const deRemarks: DeskRemarksTexts = {
  wholeRow:
    'Zwei Zeilen können in jeder Spalte gleich sein, die ihr Schlüssel sein könnte. Darum ist ein Eintrag nur an seiner ganzen Zeile zu erkennen: Eine berichtigte Zeile ist ein neuer Eintrag, und der alte wird zurückgezogen. Jede Datei muss alle Zeilen haben, denn Zeilen, die ihr fehlen, werden zurückgezogen.',
  madeOf: 'Keine Spalte hat in jedem Eintrag einen anderen Wert: Der Schlüssel wird gebildet aus {names}.',
  someSources:
    'Die Spalte {names} hat nur in manchen Einträgen eine Adresse: {count}. Von den anderen ist die Quelle nicht bekannt.',
  noSources:
    'Keine Spalte hat die Webadresse eines Eintrags bei seinem Herausgeber: Leser erfahren, dass die Quelle nicht bekannt ist.',
  dates: 'Keine der Datumsspalten ({names}) heißt nach der Veröffentlichung. Wählen Sie eine.',
  noTitle: 'Keine Spalte kann ein Titel sein. Wählen Sie eine.',
  someTitles: 'Die Spalte {names} ist in manchen Einträgen leer; sie haben dann keinen eigenen Titel.',
  otherTitle: 'Keine Spalte heißt Titel: Genommen wird {names}.',
  valueAsName:
    'Eine Spalte heißt {names}: Wenn die erste Zeile ein Eintrag ist und keine Kopfzeile, schreiben Sie eine Zeile mit Namen darüber.',
  daysOrMonths:
    'Die Datumsangaben in {names} können {one} oder {other} sein: Kein Wert zeigt, welche Zahl der Tag ist. Wählen Sie, wie sie geschrieben sind.',
  amounts:
    'Beträge haben in {names} ein Komma und in {others} einen Punkt: Die mit Komma bleiben Text, wenn Sie nicht das Dezimalkomma wählen.',
  refused: 'Zeilen, die nicht passen: {count} von {all}. Die erste:',
  total: 'Das ist die letzte Zeile; vielleicht hat sie Summen.',
  missing: 'Wörter und Zeichen wie n/a und - bedeuten, dass es keinen Wert gibt, in {names}.',
  bothWays:
    'Die Daten laufen in beide Richtungen: Die Einträge werden nach Datum sortiert, wenn Sie keine andere Reihenfolge wählen.',
  noDates:
    'Keine Datumsangaben zeigen, welcher Eintrag der neueste ist: Der erste gilt als der älteste, wenn Sie keine andere Reihenfolge wählen.',
  fieldNames: 'Jeder Eintrag hat schon Felder mit diesen Namen: {names}.',
  encoding:
    'Der Text ist nicht UTF-8 und wird gelesen als {one}: {names} in Zeile {line}. Wenn das falsch aussieht, wählen Sie einen anderen Zeichensatz.',
  shifted:
    'Zeile {line} hat einen Namen mehr, als die Zeilen Felder haben, und der erste Name ist leer: Er fällt weg, und die erste Spalte ist {names}.',
  unnamed: 'Spalten ohne eigenen Namen werden unter einem anderen gelesen: {names}.',
  noHeader:
    'Die erste Zeile sieht aus wie die anderen und wird als Eintrag gelesen: Spalten heißen nach ihren Buchstaben.',
  headerRows: 'Die Namen der Spalten stehen in mehreren Zeilen und werden verbunden.',
  errorCells: 'Zellen mit einem Fehler statt eines Werts gelten als leer; die erste ist {one}.',
  sheets: 'Gelesene Blätter: {names}. Nicht gelesen: {others}.',
  empty: 'Die Datei ist leer.',
  oneRefused: 'Der einzige Eintrag der Datei wurde abgelehnt:',
  allRefused: 'Alle {count} Einträge der Datei wurden abgelehnt, der erste:',
  nothing: 'In der Datei sind keine Einträge.',
  otherKind:
    'Die Datei ist keine, die gelesen werden kann. Erwartet wird Text mit Spalten (CSV), eine Arbeitsmappe (XLSX) oder JSON.',
  encodingMark: 'Die Datei beginnt mit dem Zeichen eines anderen Zeichensatzes als dem, der gewählt wurde.',
  unknownKeys:
    'Manche Zeilen haben keinen Schlüssel, der gelesen werden kann; darum ist nicht bekannt, welche Einträge fehlen.',
  noList: 'Das Dokument hat keine Liste von Einträgen, wo eine erwartet wird.',
  listAt: 'Die Einträge sind die von {names}.',
  aboveHeader: 'Was über den Namen der Spalten steht, wird nicht gelesen.',
  separator: 'Die Felder werden so getrennt, wie hier gewählt.',
  noNames: 'Keine Spalte hat einen Namen: Die erste Zeile der Tabelle muss die Namen der Spalten haben.',
  brokenText: 'Manche Bytes sind kein Text: Hat die Datei einen anderen Zeichensatz, wählen Sie ihn.',
  totalRow: 'Diese Zeile ist eine Summe, kein Eintrag.',
  unreadable: 'Die Datei kann nicht gelesen werden.',
};
