// The files at the root of a snapshot: the list of registers for feed readers and for people, and headers for static
// hosts. Hosts that support `_headers` (Netlify, Cloudflare Pages) limit the number of its rules, so there are only a
// few general ones.
import type { Format } from '../../formats/format.ts';
import { escapeAttribute } from '../../formats/xml/text.ts';
import type { Tier } from '../../register/tier.ts';
import { registersHtml } from './html.ts';
import { HEAD_NAME, OPML_FILE } from './layout.ts';

/** As the service sends it. */
const XML_SCHEMA = { extension: 'xsd', mediaType: 'application/xml; charset=utf-8' };

/** A register as the root lists it. */
export interface ListedRegister {
  readonly title: string;
  /** The public address of its folder, without a slash at its end. */
  readonly url: string;
}

/** The files at the root, by name. */
export function siteFiles(
  baseUrl: string,
  registers: readonly ListedRegister[],
  tier: Tier,
  formats: readonly Format[],
): Readonly<Record<string, string>> {
  return {
    [OPML_FILE]: opml(registers),
    'index.html': registersHtml(baseUrl, registers),
    _headers: headers(tier, formats),
  };
}

/** OPML 2.0, which feed readers import. */
function opml(registers: readonly ListedRegister[]): string {
  const outlines = registers.map(({ title, url }) => {
    const text = escapeAttribute(title);
    const address = escapeAttribute(`${url}/${HEAD_NAME}`);
    return `<outline type="rss" text="${text}" title="${text}" xmlUrl="${address}.atom" htmlUrl="${address}.html"/>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0">
<head>
<title>Registers</title>
</head>
<body>
${outlines.join('')}</body>
</opml>
`;
}

function headers(tier: Tier, formats: readonly Format[]): string {
  const types = [...formats, XML_SCHEMA].map(
    ({ extension, mediaType }) => `/*.${extension}\n  Content-Type: ${mediaType}\n`,
  );
  const [access, robots] = tier === 'pro' ? ['private', '  X-Robots-Tag: noindex\n'] : ['public', ''];
  // A closed page changes only when a record in it is corrected; clients must still revalidate it.
  const all = `/*\n  X-Content-Type-Options: nosniff\n  Cache-Control: ${access}, max-age=60\n${robots}`;
  return all + types.join('');
}
