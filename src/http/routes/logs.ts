// The logs of registers as C2SP tlog-tiles serves them, and proofs of single records (C2SP tlog-proof). All of a log is public, but for
// its entries where the definition keeps them to payers.
import { z } from 'zod';
import { checkKey, refuseTier } from '../../access/scopes.ts';
import { GazetteError, quote } from '../../errors.ts';
import { tileBytes } from '../../operate/logs/log-files.ts';
import { proveRecord, signedCheckpoint } from '../../operate/logs/prove-record.ts';
import { formatProof } from '../../proofs/record-proof.ts';
import type { LogStore, RegisterLog } from '../../stores/contract/proofs/logs.ts';
import { seesEntries } from '../../register/tier.ts';
import { RecordSights } from '../../views/record-sights.ts';
import { BRIEF, IMMUTABLE } from '../../web/validators.ts';
import type { WrittenBody } from '../../web/representation.ts';
import { logParams, readFeedId, recordParams } from '../description/parameters.ts';
import type { RequestContext } from '../request-context.ts';
import type { Route } from '../route.ts';
import { type ServiceContext, textBody } from '../service-context.ts';

/** The media type of checkpoints and proofs. */
const TEXT = 'text/plain; charset=utf-8';

/** How many parts a tile's index has at most, with the width of a partial one: a log has fewer than 2^32 entries. */
const INDEX_PARTS = ['a', 'b', 'c', 'd'] as const;

const tileParams = logParams.extend({
  level: z.string().meta({
    description: 'The level of the tile, `0` for the hashes of entries; `entries` for entries.',
    example: '0',
  }),
  a: z.string().meta({ description: 'The first part of its index, such as `x001` or `067.p/12`.', example: '000' }),
});

/** `/feeds/{feed_id}/log/{log}/…` and `/records/{record_id}/proof`. */
export function logRoutes(service: ServiceContext, logs: LogStore): readonly Route[] {
  const sights = new RecordSights(service.registers, service);
  return [
    {
      path: '/feeds/{feed_id}/log/{log}/checkpoint',
      access: 'public',
      documentation: {
        operationId: 'getCheckpoint',
        tag: 'Proofs',
        summary: 'The signed size and root of a log',
        description:
          'A signed note (C2SP tlog-checkpoint). Everything that was ever recorded in the register is in the log; each checkpoint begins with all that the ones before had. Check the signature with a key of `log.vkeys` that you got elsewhere.',
        params: logParams,
        codes: ['unknown_feed', 'not_found'],
        headers: ['Cache-Control: brief'],
        response: { description: 'The checkpoint.', content: { 'text/plain': { schema: z.string() } } },
      },
      async answer(context, pathParameters) {
        const log = await logIn(logs, pathParameters);
        return service.answer(context, {
          ...{ view: null, etag: null, isText: true, caching: BRIEF },
          write: () => textBody(signedCheckpoint(log), TEXT),
        });
      },
    },
    ...INDEX_PARTS.map((_, parts): Route => {
      const names = INDEX_PARTS.slice(0, parts + 1);
      return {
        path: `/feeds/{feed_id}/log/{log}/tile/{level}/${names.map((name) => `{${name}}`).join('/')}`,
        access: 'public',
        documentation:
          parts > 0
            ? null
            : {
                operationId: 'getTile',
                tag: 'Proofs',
                summary: 'A tile of a log',
                description:
                  'Up to 256 hashes of 32 bytes, or up to 256 entries, each after its length in two bytes (C2SP tlog-tiles). Indexes from 1,000 on have several parts, such as `x001/067`; a partial tile ends with `.p/` and its width. No entry tells what a record says: only who has the salts of a version can check it. Where the definition of the register has `log: pro`, entries need a key that reads all its records; hashes are for everybody.',
                params: tileParams,
                codes: ['unknown_feed', 'not_found', 'credentials_required', 'insufficient_scope'],
                headers: ['Cache-Control: immutable'],
                response: {
                  description: 'The tile.',
                  content: { 'application/octet-stream': { schema: z.string().meta({ format: 'binary' }) } },
                },
              },
        async answer(context, pathParameters) {
          const { level = '' } = pathParameters;
          const path = ['tile', level, ...names.map((name) => pathParameters[name])].join('/');
          const log = await logIn(logs, pathParameters);
          const isForAll = level !== 'entries' || (await hasPublicEntries(service, log, context));
          const bytes = await tileBytes(logs, log, path);
          // It may be kept without end: nothing of a register that took the place of this one meanwhile.
          await logIn(logs, pathParameters);
          return service.answer(context, {
            ...{ view: null, etag: null, isText: level === 'entries' },
            ...(isForAll ? { caching: IMMUTABLE } : { isPrivate: true }),
            write: () => bytesBody(bytes),
          });
        },
      };
    }),
    {
      path: '/records/{record_id}/proof',
      access: 'public',
      documentation: {
        operationId: 'getProof',
        tag: 'Proofs',
        summary: 'The proof that a record is in the log',
        description:
          'Of the record’s current version (C2SP tlog-proof): its place in the log, the hashes from there to the root, and the checkpoint. `extra` has JSON: `entry`, the text that is hashed, and `log`, the UUID that its commitment contains. Who sees the record whole gets `record_salt` too, the key of the entry’s `record`, an HMAC-SHA-256 of the id; with a key, `salt` and `statement`, by which the commitment is made again. A version recorded in the last seconds may not be signed yet: 503 `not_ready`.',
        params: recordParams,
        codes: ['unknown_record', 'record_withdrawn', 'not_found', 'not_ready'],
        keyMatters: true,
        response: { description: 'The proof.', content: { 'text/plain': { schema: z.string() } } },
      },
      answer(context, pathParameters) {
        const id = pathParameters.record_id!;
        return sights.of(id, context, async (sight) => {
          const { proof } = await proveRecord(service.registers, logs, id, sight);
          return service.answer(context, {
            ...{ view: sight.view, etag: null, isText: true, isPrivate: sight.isWhole },
            write: () => textBody(formatProof(proof), TEXT),
          });
        });
      },
    },
  ];
}

/** The log of a path. @throws GazetteError `unknown_feed`, `not_found` */
async function logIn(logs: LogStore, pathParameters: Readonly<Record<string, string>>): Promise<RegisterLog> {
  const feedId = readFeedId(pathParameters);
  const log = await logs.of(feedId);
  if (log.uuid === pathParameters.log) return log;
  throw new GazetteError('not_found', `register ${quote(feedId)} has no log ${quote(pathParameters.log)}`);
}

/**
 * Whether everybody gets the entries of a log.
 *
 * @throws GazetteError `credentials_required`, `insufficient_scope` when they do not, and the caller does not either
 */
async function hasPublicEntries(
  { registers }: ServiceContext,
  { feedId }: RegisterLog,
  { access, stamp }: Pick<RequestContext, 'access' | 'stamp'>,
): Promise<boolean> {
  const { definition } = (await registers.view(feedId, stamp)).entry;
  if (seesEntries(definition, 'public')) return true;
  if (!seesEntries(definition, access.tier)) refuseTier(access);
  checkKey(access, { access: 'pro', documentation: null }, feedId);
  return false;
}

function bytesBody(body: Uint8Array): WrittenBody {
  return {
    headers: { 'content-type': 'application/octet-stream', 'content-length': String(body.length) },
    body: Uint8Array.from(body),
  };
}
