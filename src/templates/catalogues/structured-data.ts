// What search engines for data sets read (schema.org, Dataset): only what everybody may know of a register.
import type { RegisterDefinition } from '../../register/record.ts';
import type { RegisterEntry } from '../../stores/contract/registers.ts';
import { isHttpUrl } from '../../register/url.ts';
import type { ServiceTexts } from '../layout.ts';
import { shortened } from '../parts/excerpt.ts';

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
  const { title, description, language, author, homepage } = definition;
  const licence = licenceOf(definition, service);
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

/** The page with the licence of a register: its own, else that of the service. */
export function licenceOf(
  { rights }: Pick<RegisterDefinition, 'rights'>,
  { licenceUrl }: Pick<ServiceTexts, 'licenceUrl'>,
): string | null {
  return rights !== null && isHttpUrl(rights) ? rights : licenceUrl;
}
