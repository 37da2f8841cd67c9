// Was die Redaktion von den Einstellungen eines Registers auf Deutsch sagt.
import type { DeskSettingsTexts } from './settings-en.ts';

/** The texts. */
export const deDeskSettings: DeskSettingsTexts = {
  heading: 'Einstellungen',
  lead: 'Wie das Register Lesern beschrieben wird, wonach sie filtern können, und was einen Import anhält, bis jemand sagt, dass es so gemeint ist.',
  proposal: 'Was Sie hier einstellen, ist ein Vorschlag: Jemand anderes aus der Redaktion genehmigt ihn.',
  names: {
    title: 'Titel',
    description: 'Beschreibung',
    language: 'Sprache',
    rights: 'Lizenz',
    filterable: 'Felder, nach denen gefiltert wird',
    fields: 'Felder',
    findings: 'Was einen Import anhält',
    order: 'Reihenfolge der Zeilen',
    ignored: 'Spalten, die nicht eingelesen werden',
    reading: 'Wie ihre Dateien gelesen werden',
  },
  hints: {
    language: 'Die der Einträge.',
    rights: 'Was Leser mit den Einträgen tun dürfen, zum Beispiel CC BY 4.0.',
    filterable: 'Leser können Einträge nach ihren Werten auswählen.',
  },
  described: 'Beschreibung',
  filters: 'Filter',
  findings: 'Was in einer Datei gefunden wird',
  actions: {
    stop: 'hält den Import an',
    warn: 'wird gemeldet und hält nichts an',
    ignore: 'wird nicht gemeldet',
  },
  byDefault: '{action} (üblich)',
  none: 'nichts',
  button: 'Einstellungen speichern',
  buttonProposed: 'Diese Einstellungen vorschlagen',
  setting: 'Einstellung',
  change: 'Einstellungen des Registers',
  done: 'Sie haben die Einstellungen geändert.',
  problems: {
    title: 'Geben Sie einen Titel ein.',
    language: 'Wählen Sie eine Sprache.',
    rights: 'Geben Sie die Lizenz als Text ein.',
    item_changed:
      'Nichts wurde getan: Jemand hat die Einstellungen geändert, seit Sie diese Seite geöffnet haben. Unten steht, was Sie eingegeben haben; wo es abweicht, sehen Sie, was jetzt eingestellt ist. Sehen Sie sich beides an und senden Sie es noch einmal.',
    invalid_option: 'Nichts wurde getan: Das Register ist schon so eingestellt.',
    invalid_definition: 'Nichts wurde getan: So kann das Register nicht eingestellt werden.',
    register_busy:
      'Nichts wurde getan: Jemand arbeitet gerade an diesem Register. Versuchen Sie es gleich noch einmal.',
  },
};
