// `/records/{record_id}/proof`: the proof that a version of a record is in the log of its register, with the salts that its reader
// may have.
import { signedHead, vkeysOf } from '../operate/log-files.ts';
import { proveRecord } from '../operate/prove-record.ts';
import { toBase64 } from '../tlog/base64.ts';
import { leafHash } from '../tlog/hashes.ts';
import { formatProof } from '../tlog/record-proof.ts';
import type { LogStore } from '../stores/contract/logs.ts';
import { proofPage } from '../templates/proof-page.ts';
import { carriedProof } from '../../../templates/parts/evidence.ts';
import { RecordSights } from '../../../views/record-sights.ts';
import { utf8 } from '../../../web/utf8.ts';
import { frameOf, pageBody } from '../../../pages/frame.ts';
import type { PageContext, PageOptions, PageRoute, PageServices } from '../../../pages/services.ts';

/** `/records/{record_id}/proof`, as `GET /records/{record_id}/proof` of the API has it. */
export function proofRoute(services: PageServices, options: PageOptions, logs: LogStore): PageRoute {
  const { registers } = services;
  const sights = new RecordSights(services);
  return {
    path: '/records/{record_id}/proof',
    access: 'public',
    documentation: null,
    answer(context, { record_id: id }) {
      return sights.of(id!, context, async (sight) => {
        const { definition } = sight.view.entry;
        const asked = versionIn(context);
        const { access } = context;
        const frame = frameOf(context, options, {
          registerLanguage: definition.language,
          parameters: new URLSearchParams(asked === null ? {} : { version: String(asked) }),
        });
        const { proof, version, extra, log, isPrivate } = await proveRecord(logs, id!, {
          ...{ registers, version: asked, sight, access },
          owned: async () => (await services.sight.own(access)?.versions(id!)) ?? [],
        });
        const { origin, size, root } = signedHead(proof.checkpoint);
        const text = proofPage(frame, {
          ...{ definition, recordId: id!, origin, size, root: toBase64(root), vkey: vkeysOf(log.vkey)[0]! },
          proof: carriedProof(
            formatProof(proof),
            `${context.api}/records/${id}/proof?version=${version}`,
            extra.statement !== undefined,
          ),
          feed: `${context.api}/feeds/${definition.id}`,
          ...{ index: proof.index, entry: extra.entry, leaf: toBase64(leafHash(utf8(extra.entry))), log: extra.log },
          ...{ hashes: proof.hashes.map(toBase64), checkpoint: proof.checkpoint },
          recordSalt: extra.record_salt,
          ...(extra.salt === undefined ? {} : { salt: extra.salt }),
        });
        return services.answer(context, {
          ...{ view: null, etag: null, isText: true, isPrivate },
          write: () => pageBody(text, { language: frame.wording.language }),
        });
      });
    },
  };
}

/** The version in the address; anything else is ignored, as unknown parameters are. */
function versionIn({ parameters }: PageContext): number | null {
  const text = parameters.get('version') ?? '';
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}
