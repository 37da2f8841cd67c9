// Was in einer Datei gefunden wurde, auf Deutsch.
import type { DeskFindingsTexts } from './findings-en.ts';

/** The texts. */
export const deFindings: DeskFindingsTexts = {
  codes: {
    absences: 'Viele Einträge fehlen',
    'same-field': 'Überall ändert sich dasselbe Feld',
    renumbered: 'Einträge haben andere Schlüssel',
    'type-lost': 'Eine Spalte passt nicht mehr zu ihrem Typ',
    factor: 'Zahlen sind zehn-, hundert- oder tausendmal so groß oder klein geworden',
    'kept-by-hand': 'Sie nähme zurück, was von Hand getan wurde',
    'other-file': 'Die Datei scheint die eines anderen Registers zu sein',
    'hand-kept': 'Einträge bleiben, wie sie von Hand gesetzt wurden',
    'similar-ids': 'Kennungen sind fast die anderer Einträge',
    'odd-dates': 'Daten sind alt oder liegen in der Zukunft',
    'fewer-rows': 'Die Datei ist viel kürzer als die letzten',
    'earlier-file': 'Die Datei wurde schon einmal eingelesen',
    'unclear-numbers': 'Zahlen kann man auf zwei Weisen lesen',
    'column-without-field': 'Spalten stehen in keinem Feld',
    'changed-since': 'Einträge haben sich seitdem geändert',
    'key-taken': 'Schlüssel können nicht zurückgegeben werden',
    'settings-stay': 'Nicht alles, was sie am Register gesetzt hat, wird zurückgenommen',
    purchased: 'Einträge wurden gekauft',
  },
  sentences: {
    absences: 'Veröffentlichte Einträge, die nicht in der Datei stehen: {absent} von {live}. Sie würden zurückgezogen.',
    'same-field':
      'Einträge, die sich ändern würden: {changed} von {known}, alle in denselben Feldern. Das tut ein Zeitpunkt des Herunterladens oder eine laufende Nummer.',
    renumbered:
      'Einträge, die in der Datei fehlen, kommen unter anderen Schlüsseln neu und sagen dasselbe: {again} von {sought}, die angesehen wurden.',
    'type-lost':
      'Werte, die nicht zu ihrem Feld passen. Ihre Zeilen werden nicht eingelesen, und veröffentlichte Einträge, zu denen sie gehören, bleiben, wie sie sind.',
    factor:
      'Zahlen, die zehn-, hundert- oder tausendmal so groß oder klein würden: {shifted} von {numbers}, die sich ändern. Sehen Sie nach, ob ein Dezimalkomma verloren ging.',
    'kept-by-hand':
      'Einträge, von denen die Datei etwas anderes sagt, als von Hand oder durch eine Rücknahme gesetzt wurde: {asked}. Wer die Einlesung genehmigt, sagt, was von beidem gilt.',
    'other-file':
      'Die Datei hat keinen der Einträge dieses Registers, und die meisten ihrer Spalten sind andere. Neue Einträge: {added}. Andere Spalten sind zum Beispiel:',
    'hand-kept':
      'Einträge, die behalten, was von Hand gesetzt wurde, weil ihre Quelle sagt, was sie zuvor sagte: {kept}.',
    'similar-ids':
      'Neue Kennungen, die sich von bekannten nur in Großschreibung, Leerzeichen oder Akzenten unterscheiden: {ids}.',
    'odd-dates': 'Daten vor 1900 oder in der Zukunft.',
    'fewer-rows': 'Zeilen der Datei: {rows}. Jede der letzten Dateien hatte mindestens {fewest}.',
    'earlier-file': 'Die Datei ist die von Einlesung {number}. Dateien, die danach kamen: {later}.',
    'unclear-numbers':
      'Zahlen, die kleiner als tausend sein können oder Tausender: Keine Zahl der Datei zeigt, was gemeint ist. Sie werden gelesen, wie es hier steht; ist das falsch, wählen Sie unten ein anderes Dezimalzeichen.',
    'column-without-field': 'Spalten, die kein Feld zeigt. Sie werden behalten und mit Nachweisen herausgegeben.',
    'changed-since': 'Einträge, die sich seitdem geändert haben und bleiben, wie sie sind: {count}.',
    'key-taken':
      'Einträge, die den Schlüssel behalten, den sie haben, weil der vorige inzwischen der eines anderen Eintrags ist: {count}.',
    'settings-stay':
      'Dies bleibt, weil es seitdem anders gesetzt wurde oder weil Einträge es brauchen, die seitdem kamen:',
    purchased: 'Käufe von Einträgen, die zurückgezogen würden: {count}.',
  },
};
