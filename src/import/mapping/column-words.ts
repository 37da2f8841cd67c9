// What publishers call the columns that become core fields, in the languages of many European registers. A refusal names
// the columns that may be meant, and `--guess` proposes them.
import { foldName, nearest } from '../../nearest.ts';
import type { CoreFieldName } from '../../register/record.ts';

/** Core fields that a column may be recognised for. */
export type GuessedField = Extract<
  CoreFieldName,
  'id' | 'title' | 'summary' | 'author' | 'document_type' | 'facility_id' | 'source_url' | 'published_at'
>;

/** Names as publishers write them, the most certain first. Compared without case, diacritics, spaces and signs. */
const WORDS: Readonly<Record<GuessedField, string>> = {
  id:
    'id, identifier, key, uuid, guid, aktenzeichen, az, geschäftszeichen, reference, ref, reference number, case number, ' +
    'file number, docket, docket number, permit number, licence number, license number, application number, ' +
    'registration number, number, no, nr, nummer, lfd nr, laufende nummer, kennung, kennzeichen, registernummer, ' +
    'vorgangsnummer, code, référence, numéro, no dossier, identifiant, referencia, número, expediente, identificador, ' +
    'riferimento, numero, codice, kenmerk, referentie, numer, sygnatura, diarienummer, číslo, číslo jednací',
  title:
    'title, titel, name, bezeichnung, betreff, subject, heading, headline, label, gegenstand, vorhaben, titre, intitulé, ' +
    'objet, nom, dénomination, libellé, título, nombre, asunto, denominación, titolo, oggetto, nome, denominazione, naam, ' +
    'onderwerp, tytuł, nazwa, přednázev, název, namn, rubrik, ärende, navn, projekt, project, proposal, vulnerability name',
  summary:
    'summary, abstract, zusammenfassung, kurzbeschreibung, description, beschreibung, short description, erläuterung, ' +
    'résumé, resumen, descripción, descrizione, sommario, samenvatting, omschrijving, opis, popis, beskrivning, beskrivelse',
  author:
    'author, autor, authority, issuing authority, agency, publisher, behörde, amt, dienststelle, herausgeber, auteur, ' +
    'autorité, organisme, autoridad, organismo, autorità, ente, instantie, bestuursorgaan, organ, myndighet, úřad',
  document_type:
    'document type, type, typ, art, kind, category, kategorie, dokumentart, dokumenttyp, record type, permit type, ' +
    'decision type, genre, catégorie, tipo, categoría, categoria, soort, rodzaj, druh, kategori',
  facility_id:
    'facility id, facility, facility number, site id, plant id, anlagennummer, anlage, betriebsstätte, anlagen id, ' +
    'establishment id, installation id, id établissement, instalación, impianto',
  source_url:
    'source url, source link, url, link, href, permalink, source, web, website, webseite, internetadresse, quelle, uri, ' +
    'fundstelle, lien, adresse web, enlace, fuente, fonte, bron, odkaz, länk, lenke',
  published_at:
    'published at, publication date, date published, published, publication, issue date, issued, date issued, ' +
    'date of issue, decision date, date, datum, veröffentlicht, veröffentlicht am, veröffentlichung, ' +
    'veröffentlichungsdatum, bekanntmachung, bekanntgemacht am, erlassen am, bescheiddatum, date added, released, ' +
    'date released, date de publication, publié le, fecha, fecha de publicación, data, data di pubblicazione, ' +
    'publicatiedatum, data publikacji, datum zveřejnění, publiceringsdatum, dato',
};

/** The fields that a column may be recognised for. */
export const GUESSED_FIELDS = Object.keys(WORDS) as readonly GuessedField[];

/** Those whose values are codes, which may be whole numbers. */
export const CODES: readonly GuessedField[] = ['id', 'facility_id'];

const FOLDED: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(WORDS).map(([field, words]) => [field, words.split(', ').map(foldName)]),
);

/** The number of letters from which a word is recognised inside a longer name. */
const MIN_PART = 4;

/**
 * The columns that may be meant by a core field, the most certain first.
 *
 * @example likelyColumns('title', ['Nr.', 'Bezeichnung']) // ['Bezeichnung']
 */
export function likelyColumns(field: CoreFieldName, columns: readonly string[]): readonly string[] {
  const words = FOLDED[field] ?? [];
  const ranked = columns
    .map((column) => ({ column, rank: rankOf(foldName(column), words) }))
    .filter(({ rank }) => rank < Infinity)
    .sort((a, b) => a.rank - b.rank)
    .map(({ column }) => column);
  return [...new Set([...ranked, ...nearest(field, columns)])];
}

/** Whole names first, then names that begin or end with a word: `Datum der Bekanntmachung`. */
function rankOf(folded: string, words: readonly string[]): number {
  const whole = words.indexOf(folded);
  if (whole >= 0) return whole;
  const part = words.findIndex((word) => word.length >= MIN_PART && (folded.startsWith(word) || folded.endsWith(word)));
  return part < 0 ? Infinity : words.length + part;
}
