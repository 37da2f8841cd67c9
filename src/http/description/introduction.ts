// The text at the head of openapi.json and the reference, in Markdown.
import { MAX_ID_LENGTH, recordId } from '../../register/identity.ts';
import { PROBLEM_MEDIA_TYPE, problemKind } from '../../problem.ts';
import { ALL_CODES } from './errors.ts';

/** A key that shows the rule of ids. */
const EXAMPLE_KEY = '22/01234/FUL';

/** What holds for all operations. @param keysUrl where people get a key */
export function introduction(keysUrl: string | null): string {
  const where = keysUrl === null ? '' : ` Get or renew a key at <${keysUrl}>.`;
  return `Registers of public records: lists, histories, and exports in CSV, Excel, XML, RSS and Atom. Read-only. Without a key: every register’s latest three records, and previews of older ones. With a key, sent as \`Authorization: Bearer <API_KEY>\`: everything.${where}

Every page names the next in \`Link: rel="next"\` until there is none. Pages hold at most 100 records. Almost every answer has an \`ETag\`, and \`If-None-Match\` costs nothing. An unknown, repeated, empty or wrong parameter is a 400 that names it. Every answer has an \`X-Request-Id\`, but for those that caches share.

HEAD answers as GET, without the body; OPTIONS, other methods and paths, and a slash at the end, as \`x-other-answers\` says; \`x-every-answer\` has the header fields of all answers.

A register’s own fields that its definition declares \`filterable\` have filters, each a parameter of its own: \`data.NAME\`, exactly this value, repeated for any of several; \`data.NAME_since\` and \`data.NAME_until\` for dates, since <= t < until; \`data.NAME_min\` and \`data.NAME_max\` for numbers, inclusive. Another one is an \`unknown_parameter\`, and the answer names those that there are.

Within \`/api/v1\` there are only additions. Whatever will go is announced by \`Deprecation\` and \`Sunset\` (RFC 9745, RFC 8594).

## Ids

The id of a record is its register, a colon, and the publisher’s key, in which every byte of its UTF-8 but \`A–Z\`, \`a–z\`, \`0–9\`, \`.\`, \`_\` and \`-\` is written as \`~\` and two hexadecimal digits: \`${EXAMPLE_KEY}\` in the register \`permits\` is \`${recordId('permits', EXAMPLE_KEY)}\`. It never changes, and has at most ${MAX_ID_LENGTH} characters. To find a record by the publisher’s key, ask the list for \`key\`.

## Errors

Errors are \`${PROBLEM_MEDIA_TYPE}\` (RFC 9457): \`type\`, \`title\`, \`status\`, \`detail\`, \`code\`, \`request_id\`, and the \`parameter\` at fault.

<details><summary>Every code</summary>

| status | code | |
|---|---|---|
${ALL_CODES.map((code) => `| ${problemKind(code).status} | \`${code}\` | ${problemKind(code).title} |`).join('\n')}

</details>
`;
}
