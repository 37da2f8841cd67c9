// What search engines for data sets read (schema.org, Dataset): only what everybody may know of a register.
import type { RegisterEntry } from '../stores/contract/registers.ts';
import { isHttpUrl } from '../register/url.ts';
import type { ServiceTexts } from './layout.ts';
import { shortened } from './parts/excerpt.ts';

/** Where things are, for programs: absolute addresses. */
export interface DatasetPlace {
  readonly url: string;
  readonly service: Pick<ServiceTexts, 'title' | 'licenceUrl'>;
  /** Its files. One with a name holds only a part of the register, or says where the parts are. */
  readonly files: readonly { readonly mediaType: string; readonly url: string; readonly name?: string }[];
}

/** A register as a data set. */
export function datasetOf(
  { definition, lastChange }: Pick<RegisterEntry, 'definition' | 'lastChange'>,
  { url, service, files }: DatasetPlace,
): object {
  const { title, description, language, author, rights, homepage } = definition;
  const licence = rights !== null && isHttpUrl(rights) ? rights : service.licenceUrl;
  return {
    '@context': 'https://schema.org/',
    '@type': 'Dataset',
    name: shortened(title, 600),
    ...(description === '' ? {} : { description: shortened(description, 3000) }),
    url,
    isAccessibleForFree: definition.access === 'open',
    ...(language === null ? {} : { inLanguage: language }),
    ...(author === null ? {} : { creator: { '@type': 'Organization', name: shortened(author, 300) } }),
    ...(homepage === null ? {} : { sameAs: homepage }),
    ...(licence === null ? {} : { license: licence }),
    ...(lastChange === null ? {} : { dateModified: lastChange }),
    includedInDataCatalog: { '@type': 'DataCatalog', name: service.title },
    distribution: files.map(({ mediaType, url: contentUrl, name }) => ({
      '@type': 'DataDownload',
      encodingFormat: mediaType.split(';')[0],
      contentUrl,
      ...(name === undefined ? {} : { name }),
    })),
  };
}
