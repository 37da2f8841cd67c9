// What search engines for data sets read (schema.org, Dataset): only what everybody may know of a register.
import type { RegisterEntry } from '../stores/contract/registers.ts';
import { shortened } from '../templates/parts/excerpt.ts';
import { isHttpUrl } from '../register/url.ts';
import type { PageOptions } from './services.ts';

/** Where things are, for programs: absolute addresses. */
export interface DatasetPlace extends PageOptions {
  readonly url: string;
  readonly api: string;
  /** Whether everybody may download it. */
  readonly isOpen: boolean;
}

/** A register as a data set. */
export function datasetOf(
  { definition, lastChange }: Pick<RegisterEntry, 'definition' | 'lastChange'>,
  { url, api, isOpen, formats, service }: DatasetPlace,
): object {
  const { id, title, description, language, author, rights, homepage } = definition;
  const licence = rights !== null && isHttpUrl(rights) ? rights : service.licenceUrl;
  return {
    '@context': 'https://schema.org/',
    '@type': 'Dataset',
    name: shortened(title, 600),
    ...(description === '' ? {} : { description: shortened(description, 3000) }),
    url,
    isAccessibleForFree: isOpen,
    ...(language === null ? {} : { inLanguage: language }),
    ...(author === null ? {} : { creator: { '@type': 'Organization', name: shortened(author, 300) } }),
    ...(homepage === null ? {} : { sameAs: homepage }),
    ...(licence === null ? {} : { license: licence }),
    ...(lastChange === null ? {} : { dateModified: lastChange }),
    includedInDataCatalog: { '@type': 'DataCatalog', name: service.title },
    distribution: formats.map(({ name, mediaType }) => ({
      '@type': 'DataDownload',
      encodingFormat: mediaType.split(';')[0],
      contentUrl: `${api}/feeds/${id}/records/export.${name}`,
    })),
  };
}
