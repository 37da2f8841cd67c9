// The logs of registers as C2SP tlog-tiles serves them, and proofs of single records (C2SP tlog-proof). All of a log is public, but for
// its entries where the definition keeps them to payers.
import { z } from 'zod';
import { checkKey, refuseTier } from '../../../access/scopes.ts';
import { type ErrorCode, GazetteError, quote } from '../../../errors.ts';
import { logAnswer, signedCheckpoint, tileBytes } from '../operate/log-files.ts';
import { proveRecord } from '../operate/prove-record.ts';
import { formatProof } from '../tlog/record-proof.ts';
import type { LogStore, RegisterLog, StoredLog } from '../stores/contract/logs.ts';
import { seesEntries } from '../../../register/tier.ts';
import { RecordSights } from '../../../views/record-sights.ts';
import { BRIEF, IMMUTABLE } from '../../../web/validators.ts';
import type { WrittenBody } from '../../../web/representation.ts';
import {
  logOfLogsParams,
  logParams,
  proofQuery,
  readFeedId,
  recordParams,
} from '../../../http/description/parameters.ts';
import { TO_RENUMBERED } from '../../../http/description/errors.ts';
import { logSchema } from '../../../http/description/schemas.ts';
import { type RequestContext, WELL_KNOWN_LOG } from '../../../http/request-context.ts';
import type { Route } from '../../../http/route.ts';
import { jsonBody, type ServiceContext, textBody } from '../../../http/service-context.ts';

/** The media type of checkpoints and proofs. */
const TEXT = 'text/plain; charset=utf-8';

/** How many parts a tile's index has at most, with the width of a partial one: a log has fewer than 2^32 entries. */
const INDEX_PARTS = ['a', 'b', 'c', 'd'] as const;

const tileParts = {
  level: z.string().meta({
    description: 'The level of the tile, `0` for the hashes of entries; `entries` for entries.',
    example: '0',
  }),
  a: z.string().meta({ description: 'The first part of its index, such as `x001` or `067.p/12`.', example: '000' }),
};

/** The numbers of the versions of a record that the caller bought. */
type Owned = (context: RequestContext, recordId: string) => Promise<readonly number[]>;

/** The files of one kind of logs. */
interface LogFileRoutes {
  /** Below `/api/v1`, with `{log}` in it. */
  readonly path: string;
  readonly params: z.ZodObject;
  readonly codes: readonly ErrorCode[];
  readonly checkpoint: RouteTexts;
  readonly tile: RouteTexts;
  /** The log of a path. @throws GazetteError `unknown_feed`, `not_found` */
  readonly find: (pathParameters: Readonly<Record<string, string>>) => Promise<StoredLog>;
  /** Whether everybody gets its entries. @throws GazetteError when the caller does not either */
  readonly hasPublicEntries: (log: StoredLog, context: RequestContext) => Promise<boolean>;
}

/** What is said of a route. */
interface RouteTexts {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly codes?: readonly ErrorCode[];
}

/** `/feeds/{feed_id}/log/{log}/…`, `/log/…` and `/records/{record_id}/proof`. */
export function logRoutes(service: ServiceContext, logs: LogStore, owned: Owned): readonly Route[] {
  const query = proofQuery();
  const sights = new RecordSights(service);
  return [
    ...fileRoutes(service, logs, {
      path: '/feeds/{feed_id}/log/{log}',
      params: logParams,
      codes: ['unknown_feed', 'not_found'],
      checkpoint: {
        operationId: 'getCheckpoint',
        summary: 'The signed size and root of a log',
        description:
          'A signed note (C2SP tlog-checkpoint). Everything that was ever recorded in the register is in the log; each checkpoint begins with all that the ones before had. Check the signature with a key of `log.vkeys` that you got elsewhere.',
      },
      tile: {
        operationId: 'getTile',
        summary: 'A tile of a log',
        description:
          'Up to 256 hashes of 32 bytes, or up to 256 entries, each after its length in two bytes (C2SP tlog-tiles). Indexes from 1,000 on have several parts, such as `x001/067`; a partial tile ends with `.p/` and its width. No entry tells what a record says: only who has the salts of a version can check it. Where the definition of the register has `log: pro`, entries need a key that reads all its records; hashes are for everybody.',
        codes: ['credentials_required', 'insufficient_scope'],
      },
      find: (pathParameters) => logIn(logs, pathParameters),
      hasPublicEntries: ({ feedId }, context) => hasPublicEntries(service, feedId!, context),
    }),
    {
      ...logOfLogsRoute(service, logs),
      path: '/log',
      documentation: {
        operationId: 'getLogOfLogs',
        tag: 'Proofs',
        summary: 'The log of logs',
        description:
          'Its entries are the checkpoints of the registers, in the order in which they were signed: who checks it, or has a witness check it, knows that everybody is shown the same ones.',
        codes: ['not_found'],
        headers: ['Cache-Control: brief'],
        response: { description: 'The log.', content: { 'application/json': { schema: logSchema } } },
      },
    },
    ...fileRoutes(service, logs, {
      path: '/log/{log}',
      params: logOfLogsParams,
      codes: ['not_found'],
      checkpoint: {
        operationId: 'getCheckpointOfLogs',
        summary: 'The signed size and root of the log of logs',
        description: 'A signed note (C2SP tlog-checkpoint), as that of a register’s log.',
      },
      tile: {
        operationId: 'getTileOfLogs',
        summary: 'A tile of the log of logs',
        description:
          'As those of a register’s log. An entry is the text of a checkpoint without its signatures: the name of the register’s log, its size and its root, a line each.',
      },
      find: async ({ log: name }) => {
        const log = await logs.ofLogs();
        if (log.name === name) return log;
        throw new GazetteError('not_found', `there is no log of logs ${quote(name)}`);
      },
      hasPublicEntries: () => Promise.resolve(true),
    }),
    {
      path: '/records/{record_id}/proof',
      access: 'public',
      opensByReceipt: true,
      documentation: {
        operationId: 'getProof',
        tag: 'Proofs',
        summary: 'The proof that a version of a record is in the log',
        description:
          'C2SP tlog-proof: its place in the log, the hashes from there to the root, and the checkpoint. Withdrawals are versions too, and a withdrawn or redacted record keeps its proofs. `extra` has JSON: `entry`, the text that is hashed; `log`, the UUID that its commitment contains; `record_id` and `record_salt`, the key of the entry’s `record`, an HMAC-SHA-256 of the id, both null once it was erased; for who may read the version, with a key of PRO or because they bought it, `salt` and `statement`, by which the commitment is made again; and `checkpoint_proof`, the proof that the checkpoint is in the log of logs, once that is signed. Where the definition of the register has `log: pro`, the public gets the proof of what it sees whole alone. A version recorded in the last seconds may not be signed yet: 503 `not_ready`.',
        params: recordParams,
        query: query.schema,
        codes: ['unknown_record', 'not_found', 'not_ready', 'credentials_required', 'insufficient_scope'],
        otherResponses: TO_RENUMBERED,
        keyMatters: true,
        response: { description: 'The proof.', content: { 'text/plain': { schema: z.string() } } },
      },
      answer(context, pathParameters) {
        const id = pathParameters.record_id!;
        const { version } = query.read(context.parameters);
        const { access } = context;
        return sights.of(id, context, async (sight) => {
          const { registers } = service;
          const request = { registers, version, sight, access, owned: () => owned(context, id) };
          const { proof, isPrivate } = await proveRecord(logs, id, request);
          return service.answer(context, {
            ...{ view: sight.view, etag: null, isText: true, isPrivate },
            write: () => textBody(formatProof(proof), TEXT),
          });
        });
      },
    },
  ];
}

/** The same as `/api/v1/log`, at the root of the service (RFC 8615). */
export function wellKnownLogRoute(service: ServiceContext, logs: LogStore): Route {
  return { ...logOfLogsRoute(service, logs), path: WELL_KNOWN_LOG, documentation: null };
}

function logOfLogsRoute(service: ServiceContext, logs: LogStore): Pick<Route, 'access' | 'answer'> {
  return {
    access: 'public',
    async answer(context) {
      const log = await logs.ofLogs();
      signedCheckpoint(log);
      return service.answer(context, {
        ...{ view: null, etag: null, isText: true, caching: BRIEF },
        write: () => jsonBody(logAnswer(log, `${context.api}/log/${log.name}`)!),
      });
    },
  };
}

function fileRoutes(service: ServiceContext, logs: LogStore, kind: LogFileRoutes): readonly Route[] {
  const { path: prefix, params, codes, find, checkpoint, tile } = kind;
  return [
    {
      path: `${prefix}/checkpoint`,
      access: 'public',
      documentation: {
        ...{ tag: 'Proofs', ...checkpoint, params, codes },
        headers: ['Cache-Control: brief'],
        response: { description: 'The checkpoint.', content: { 'text/plain': { schema: z.string() } } },
      },
      async answer(context, pathParameters) {
        const log = await find(pathParameters);
        return service.answer(context, {
          ...{ view: null, etag: null, isText: true, caching: BRIEF },
          write: () => textBody(signedCheckpoint(log), TEXT),
        });
      },
    },
    ...INDEX_PARTS.map((_, parts): Route => {
      const names = INDEX_PARTS.slice(0, parts + 1);
      return {
        path: `${prefix}/tile/{level}/${names.map((name) => `{${name}}`).join('/')}`,
        access: 'public',
        documentation:
          parts > 0
            ? null
            : {
                ...{
                  tag: 'Proofs',
                  ...tile,
                  params: params.extend(tileParts),
                  codes: [...codes, ...(tile.codes ?? [])],
                },
                headers: ['Cache-Control: immutable'],
                response: {
                  description: 'The tile.',
                  content: { 'application/octet-stream': { schema: z.string().meta({ format: 'binary' }) } },
                },
              },
        async answer(context, pathParameters) {
          const { level = '' } = pathParameters;
          const path = ['tile', level, ...names.map((name) => pathParameters[name])].join('/');
          const log = await find(pathParameters);
          const isForAll = level !== 'entries' || (await kind.hasPublicEntries(log, context));
          const bytes = await tileBytes(logs, log, path);
          // It may be kept without end: nothing of a log that took the place of this one meanwhile.
          await find(pathParameters);
          return service.answer(context, {
            ...{ view: null, etag: null, isText: level === 'entries' },
            ...(isForAll ? { caching: IMMUTABLE } : { isPrivate: true }),
            write: () => bytesBody(bytes),
          });
        },
      };
    }),
  ];
}

/** The log of a path. @throws GazetteError `unknown_feed`, `not_found` */
async function logIn(logs: LogStore, pathParameters: Readonly<Record<string, string>>): Promise<RegisterLog> {
  const feedId = readFeedId(pathParameters);
  const log = await logs.of(feedId);
  if (log.name === pathParameters.log) return log;
  throw new GazetteError('not_found', `register ${quote(feedId)} has no log ${quote(pathParameters.log)}`);
}

/**
 * Whether everybody gets the entries of a log.
 *
 * @throws GazetteError `credentials_required`, `insufficient_scope` when they do not, and the caller does not either
 */
async function hasPublicEntries(
  { registers }: ServiceContext,
  feedId: string,
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
