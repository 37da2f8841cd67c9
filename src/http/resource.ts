// What a route answers with, and how its bytes are written in a content coding.
import type { Tier } from '../register/tier.ts';
import type { Made } from '../shared.ts';
import { isStillSo, type RegisterView } from '../views/registers.ts';
import { type ContentCoding, encodeBody } from '../web/coding.ts';
import type { OpenedBody, WrittenBody } from '../web/representation.ts';
import { entityTag } from '../web/validators.ts';

/** What a route answers with. */
export interface Resource {
  /** The register it is read from; null if it belongs to none. */
  readonly view: RegisterView | null;
  /** Its strong entity tag without a content coding; null: a digest of the body. */
  readonly etag: string | null;
  /** Whether an answer without a register, but with a tag, changes with the configuration alone. Default true. */
  readonly isDated?: boolean;
  /** Whether the tag is made of the bytes: whatever has changed meanwhile, they are what it names. Default false. */
  readonly isOfBytes?: boolean;
  /** Whether only its caller may keep it, although no key opens it. Default false. */
  readonly isPrivate?: boolean;
  /** `Cache-Control`, where it is another than its caller and {@link isPrivate} make it. */
  readonly caching?: string;
  /** Where exactly these bytes are, if it is asked for at another address (RFC 9110 8.7). */
  readonly location?: string;
  /** Whether it is a text that compresses well. */
  readonly isText: boolean;
  /** Whether only writing it shows that it exists. */
  readonly mayNotExist?: boolean;
  /** Several requests may share what it writes. @param signal aborts once nobody waits for it any more */
  write(signal: AbortSignal): WrittenBody | Promise<WrittenBody>;
}

/** What a route answers with while it is made. */
export interface StreamedResource extends Omit<Resource, 'write'> {
  /** @param coding in which it is to be */
  stream(coding: ContentCoding | null): OpenedBody | Promise<OpenedBody>;
}

/** How the bytes of an answer are written, and the tag they have if they are known to be what it names. */
interface Rendering {
  readonly coding: ContentCoding | null;
  readonly etag: string | null;
  readonly tier: Tier;
}

/** Writes a resource. Bytes that may be newer than their tag have a digest as their tag, and do not last. */
export async function render(
  resource: Resource,
  { coding, etag, tier }: Rendering,
  signal: AbortSignal,
): Promise<Made<WrittenBody>> {
  const { headers, body } = await resource.write(signal);
  const isLasting = etag !== null && (await hasStayed(resource));
  const tag = isLasting ? etag : codedTag(entityTag(tier, body), coding);
  if (coding === null) return { value: { headers: { ...headers, etag: tag }, body }, isLasting };
  const coded = await encodeBody(body, coding);
  const fields = { 'content-encoding': coding, 'content-length': String(coded.length), etag: tag };
  return { value: { headers: { ...headers, ...fields }, body: coded }, isLasting };
}

/** Whether a resource, now that it was read, is still the one that its tag names. */
async function hasStayed({ view, isOfBytes = false }: Resource): Promise<boolean> {
  return view === null || isOfBytes || isStillSo(view);
}

/** A copy in one coding must not pass for one in another, which its reader may not understand. */
export function codedTag(etag: string, coding: ContentCoding | null): string {
  return coding === null ? etag : entityTag(etag, coding);
}
