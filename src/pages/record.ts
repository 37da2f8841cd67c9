// `/records/{record_id}`: a record, whole or as a preview, in any of its versions for those who may see them.
import { GazetteError, isGazetteError } from '../errors.ts';
import { loadCleanHtml } from '../formats/feeds/sink.ts';
import { recordUri } from '../register/identity.ts';
import { VERSION } from '../register/parameters.ts';
import type { RecordVersion, RegisterDefinition, RegisterRecord } from '../register/record.ts';
import { type RecordPreview, tierRecord } from '../register/tier.ts';
import { type Point, pointReader } from '../register/places/readers.ts';
import { type CarriedProof, carriedProof } from '../templates/parts/evidence.ts';
import { erasedPage, recordPage } from '../templates/record-page.ts';
import { RecordSights } from '../views/record-sights.ts';
import type { HttpResponse } from '../web/representation.ts';
import { recordOfferFor } from './account/offers.ts';
import { RegisterPoints, seenBy } from './found.ts';
import { frameOf, frameShape, pageBody, siteOf } from './frame.ts';
import type { PageContext, PageOptions, PageRoute, PageServices } from './services.ts';

/** How many versions a page shows. */
const VERSIONS = 10;

/** `/records/{record_id}`. */
export function recordRoute(services: PageServices, options: PageOptions): PageRoute {
  const { registers, tiers } = services;
  const sights = new RecordSights(services);
  const points = new RegisterPoints();
  return {
    path: '/records/{record_id}',
    access: 'public',
    documentation: null,
    answer(context, { record_id: id }) {
      return sights.of(id!, context, async (sight) => {
        const { view, tier, isWhole, isOwn } = sight;
        const { definition } = view.entry;
        const part = Math.max(1, wholeOf(context, 'part'));
        const offset = wholeOf(context, 'versions');
        const version = wholeOf(context, VERSION.name);
        const frame = frameOf(context, options, {
          registerLanguage: definition.language,
          parameters: new URLSearchParams({
            ...(part > 1 ? { part: String(part) } : {}),
            ...(offset > 0 ? { versions: String(offset) } : {}),
            ...(version > 0 ? { [VERSION.name]: String(version) } : {}),
          }),
        });
        const site = siteOf(context);
        // A log is signed after the commit.
        const signed = (await services.signed?.proving(definition.id)) ?? null;
        const isSigned = signed !== null;
        const own = services.sight.own(context.access);
        const owned = async (): Promise<readonly number[]> => (await own?.versions(id!)) ?? [];
        /** What proves versions of the record, of which null is the newest one. */
        const proofsOf = async (numbers: Iterable<number | null>): Promise<readonly CarriedProof[]> => {
          if (signed === null) return [];
          const found = await Promise.all(
            Array.from(numbers, (number) => signed.of(id!, { registers, version: number, sight, owned })),
          );
          return found.flatMap((proof) => {
            if (proof === null) return [];
            const file = `${context.api}/records/${id}/proof?version=${proof.version}`;
            return [carriedProof(proof.text, file, proof.hasWords)];
          });
        };
        const isSold = tier === 'public' && (!isWhole || isOwn);
        const offer = isSold
          ? await recordOfferFor(services, options, { context, view, id: id!, isBought: isOwn })
          : null;
        const cleanHtml = await loadCleanHtml();
        const textOf = (
          record: RegisterRecord | RecordPreview,
          versions: readonly RecordVersion[] | null,
          isWithdrawn: boolean,
          { proofs, others = [] }: { readonly proofs: readonly CarriedProof[]; readonly others?: readonly Point[] },
        ): string =>
          recordPage(frame, {
            ...{ definition, record, isWithdrawn, part, others, proofs },
            versions: versions === null ? null : { list: versions, limit: VERSIONS, offset },
            uri: uriOf(definition, record.id),
            url: `${site}/records/${record.id}`,
            json: `${context.api}/records/${record.id}`,
            keysUrl: options.service.keysUrl,
            hasProof: isSigned,
            cleanHtml,
            offer: isWithdrawn ? null : offer,
          });
        const versionsOf = async (): Promise<readonly RecordVersion[] | null> =>
          tier === 'pro' ? registers.history(id!, { limit: VERSIONS + 1, offset }) : null;
        /** The record in the version that is asked for; null: that is the last, it was erased, or the reader may see no other. */
        const asked = async (versions: readonly RecordVersion[] | null): Promise<RegisterRecord | null> => {
          const newest = versions?.[0]?.version;
          if (newest === undefined || version < 1 || version >= newest + offset) return null;
          const newer = newest + offset - version;
          const [found] = await registers.history(id!, { limit: 1, offset: newer });
          return found?.record ?? null;
        };
        const { language } = frame.wording;
        try {
          return await services.answer(context, {
            view,
            // A form is its session's, and what proves a version is its buyer's.
            etag:
              !isOwn && (own === null || !isSigned) && (context.access.account === undefined || offer === null)
                ? services.tagOf(context, view, 'record page', [
                    ...frameShape(frame),
                    id,
                    isWhole,
                    part,
                    offset,
                    version,
                    signed?.state,
                  ])
                : null,
            isText: true,
            // With the salt of what it says.
            isPrivate: isSigned && (tier === 'pro' || isWhole),
            mayNotExist: true,
            async write(signal) {
              const versions = await versionsOf();
              const newest = (offset === 0 ? standing(versions) : null) ?? (await registers.record(id!));
              const record = tierRecord((await asked(versions)) ?? newest, tier, isWhole, tiers);
              const read = pointReader(definition.fields);
              const isPlaced = read !== null && 'data' in record && read(record) !== null;
              const others = isPlaced ? await points.of(seenBy(services, view, context), read, signal) : [];
              const proofs = await proofsOf(['preview' in record ? null : record.version]);
              return pageBody(textOf(record, versions, false, { proofs, others }), { language });
            },
          });
        } catch (error) {
          if (!isGazetteError(error, 'record_withdrawn')) throw error;
          const versions = await versionsOf();
          if (versions === null) throw error;
          const newest = (versions[0]?.version ?? 0) + offset;
          const last = versions.find(({ record }) => record !== null)?.record ?? null;
          const list = { list: versions, limit: VERSIONS, offset };
          const chosen = last === null ? null : await asked(versions);
          const shown = chosen ?? last;
          // A withdrawal says what was withdrawn, and has no statement of its own.
          const stated = versions.find(({ record, cause }) => record !== null && cause !== 'withdrawn');
          const proofs = await proofsOf(new Set([chosen?.version ?? stated?.version ?? newest, newest]));
          const text =
            shown === null
              ? erasedPage(frame, { definition, id: id!, versions: list, hasProof: isSigned, proofs })
              : textOf(shown, versions, true, { proofs });
          return goneBody(context, text, language);
        }
      });
    },
  };
}

/** The record in its newest version, which need not be read again; null: it is gone. */
function standing(versions: readonly RecordVersion[] | null): RegisterRecord | null {
  const newest = versions?.[0];
  return newest === undefined || newest.cause === 'withdrawn' ? null : newest.record;
}

/** A page about something that is gone. */
function goneBody(context: PageContext, text: string, language: string): HttpResponse {
  const { headers, body } = pageBody(text, { language });
  return {
    status: 410,
    headers: { ...context.headers, ...headers, 'cache-control': 'no-store' },
    body: context.request.method === 'HEAD' ? null : body,
  };
}

/** A whole number from 0 in the address; anything else is ignored, as unknown parameters are. */
function wholeOf({ parameters }: PageContext, name: string): number {
  const text = parameters.get(name) ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) : 0;
}

function uriOf(definition: RegisterDefinition, id: string): string | null {
  try {
    return recordUri(definition, id);
  } catch (error) {
    if (error instanceof GazetteError) return null;
    throw error;
  }
}
