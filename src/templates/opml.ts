// The registers as a list for feed readers (OPML 2.0).
import { escapeAttribute, escapeText } from '../formats/xml/text.ts';

/** A feed in the list. */
export interface ListedFeed {
  readonly title: string;
  /** The addresses of its feed and of its page, absolute. */
  readonly feed: string;
  readonly page: string;
}

/** The document. @param next the absolute address of the list with those after these; null: there are none */
export function opml(title: string, feeds: readonly ListedFeed[], next: string | null = null): string {
  const outlines = feeds.map((feed) => {
    const text = escapeAttribute(feed.title);
    const [address, page] = [escapeAttribute(feed.feed), escapeAttribute(feed.page)];
    return `<outline type="rss" text="${text}" title="${text}" xmlUrl="${address}" htmlUrl="${page}"/>\n`;
  });
  // OPML 2.0, Inclusion: such an outline stands for the outlines of another list.
  const others = next === null ? '' : `<outline type="include" text="…" url="${escapeAttribute(next)}"/>\n`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0">
<head>
<title>${escapeText(title)}</title>
</head>
<body>
${outlines.join('')}${others}</body>
</opml>
`;
}
