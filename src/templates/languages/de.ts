// What pages say in German.
import type { Texts } from './en.ts';

/** The texts. */
export const de: Texts = {
  name: 'Deutsch',
  locale: 'de-DE',
  skip: 'Zum Inhalt',
  navigation: 'Dieser Dienst',
  languages: 'Sprache',
  registers: 'Register',
  guide: 'Anleitung',
  reference: 'API-Referenz',
  account: 'Konto',
  signIn: 'Anmelden',
  terms: 'Nutzungsbedingungen',
  licence: 'Lizenz',
  contact: 'Kontakt',
  opml: 'Alle Register für Feedreader (OPML)',
  poweredBy: 'Veröffentlicht mit gazette',
  utc: 'UTC',
  pagesBefore: 'Neuere Einträge',
  pagesAfter: 'Ältere Einträge',
  errors: {
    heading: {
      bad: 'Diese Adresse ist nicht lesbar',
      refused: 'Dieses Formular wurde nicht angenommen',
      notFound: 'Hier ist nichts',
      gone: 'Dieser Eintrag wurde zurückgezogen',
      tooMany: 'Zu viele Anfragen',
      unavailable: 'Zurzeit nicht erreichbar',
      failed: 'Da ist etwas schiefgegangen',
    },
    text: {
      bad: 'Etwas in der Adresse stimmt nicht. Vielleicht wurde sie unterwegs abgeschnitten oder verändert.',
      refused: 'Laden Sie die Seite neu, und schicken Sie es von dort ab.',
      notFound: 'Prüfen Sie die Adresse, oder suchen Sie in der Liste der Register.',
      gone: 'Der Herausgeber hat ihn aus dem Register genommen. Was bis dahin festgehalten wurde, bleibt in seinem Verlauf.',
      tooMany: 'Warten Sie etwas und laden Sie die Seite neu.',
      unavailable: 'Laden Sie die Seite in einer Minute neu.',
      failed: 'Es liegt nicht an Ihnen. Wenn es wieder vorkommt, nennen Sie uns die Nummer unten.',
    },
    detail: 'Was der Dienst dazu sagt',
    request: 'Nummer der Anfrage',
    back: 'Alle Register',
  },
};
