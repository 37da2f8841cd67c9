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
    'kept-by-hand': 'Die Datei sagt etwas anderes, als von Hand gesetzt wurde',
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
    'settings-stay': 'Nicht alles, was er am Register gesetzt hat, wird zurückgenommen',
    purchased: 'Einträge wurden gekauft',
  },
  sentences: {
    absences: 'Veröffentlichte Einträge, die nicht in der Datei stehen: {absent} von {live}.',
    'same-field':
      'Einträge, von denen die Datei etwas anderes sagt als bisher: {changed} von {known}, alle in denselben Feldern. Das tut ein Zeitpunkt des Herunterladens oder eine laufende Nummer.',
    renumbered:
      'Einträge, die in der Datei unter anderen Schlüsseln stehen und sonst dasselbe sagen: {again} von {sought}, die verglichen wurden.',
    'type-lost': 'Werte, die nicht zu ihrem Feld passen.',
    factor:
      'Zahlen, die in der Datei zehn-, hundert- oder tausendmal so groß oder klein sind: {shifted} von {numbers}, die andere sind als bisher.',
    'kept-by-hand':
      'Einträge, von denen die Datei etwas anderes sagt, als von Hand oder durch eine Rücknahme gesetzt wurde: {asked}.',
    'other-file':
      'Die Datei hat keinen der Einträge dieses Registers, und die meisten ihrer Spalten sind andere. Neue Einträge: {added}.',
    'hand-kept':
      'Einträge, die behalten, was von Hand gesetzt wurde, weil ihre Quelle sagt, was sie zuvor sagte: {kept}.',
    'similar-ids':
      'Neue Kennungen, die sich von bekannten nur in Großschreibung, Leerzeichen oder Akzenten unterscheiden: {ids}.',
    'odd-dates': 'Daten vor 1900 oder in der Zukunft.',
    'fewer-rows': 'Zeilen der Datei: {rows}. Jede der letzten Dateien hatte mindestens {fewest}.',
    'earlier-file': 'Die Datei ist die von Import {number}. Dateien, die danach kamen: {later}.',
    'unclear-numbers':
      'Zahlen wie 1.234: Nichts in den ersten {rows} Zeilen zeigt, ob Punkt oder Komma darin Dezimal- oder Tausenderzeichen ist.',
    'column-without-field': 'Spalten, die kein Feld zeigt.',
    'changed-since': 'Einträge, die sich seitdem geändert haben und bleiben, wie sie sind: {count}.',
    'key-taken':
      'Einträge, die den Schlüssel behalten, den sie haben, weil der vorige inzwischen der eines anderen Eintrags ist: {count}.',
    'settings-stay':
      'Am Register bleibt, was seitdem anders gesetzt wurde oder was Einträge brauchen, die seitdem kamen.',
    purchased: 'Käufe von Einträgen, die er zurückzieht: {count}.',
  },
  hints: {
    absences: 'Sie würden zurückgezogen.',
    'type-lost':
      'Ihre Zeilen werden nicht eingelesen, und veröffentlichte Einträge, zu denen sie gehören, bleiben, wie sie sind.',
    factor: 'Sehen Sie nach, ob ein Dezimalkomma verloren ging.',
    'kept-by-hand': 'Wer den Import genehmigt, sagt, was von beidem gilt.',
    'other-file': 'Andere Spalten sind zum Beispiel:',
    'unclear-numbers':
      'Sie werden gelesen, wie es hier steht; ist das falsch, muss die Datei mit einem anderen Dezimalzeichen gelesen werden.',
    'column-without-field': 'Sie werden behalten und mit Nachweisen herausgegeben.',
  },
};
