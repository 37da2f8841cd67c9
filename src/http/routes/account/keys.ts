// `/account` and `/account/keys`.
import { z } from 'zod';
import { toAccountAnswer } from '../../../operate/answers.ts';
import type { Route } from '../../route.ts';
import { keyChangeBody, newKeyBody, rotationBody } from './bodies.ts';
import { accountRoute, type AccountServices, changeOperation, plainOperation } from './operations.ts';
import { keyInPath } from './query.ts';
import { account, answer, key, newKey, showKey, successor } from './answers.ts';

/** `/account` and its keys. */
export function keyRoutes(services: AccountServices): readonly Route[] {
  const route = accountRoute.bind(null, services);
  return [
    route('/account', 'account', null, [
      plainOperation(
        'GET',
        {
          operationId: 'getAccount',
          summary: 'The account',
          description: 'Until when it has access, how much it may request, and how much it was used.',
          response: answer('The account.', account),
        },
        null,
        async (own) => {
          const { account, state, lastUsedAt, requests } = await own.account();
          return { ...toAccountAnswer(account, state), last_used_at: lastUsedAt, requests };
        },
      ),
    ]),
    route('/account/keys', 'account', null, [
      plainOperation(
        'GET',
        {
          operationId: 'listKeys',
          summary: 'All keys',
          description: 'Newest first, those that ended too. What a key opens is shown here, the key itself nowhere.',
          response: answer('The keys.', z.object({ keys: z.array(key) })),
        },
        null,
        async (own, { atMs }) => ({ keys: (await own.keys()).map((entry) => showKey(entry, { atMs })) }),
      ),
      changeOperation(
        {
          operationId: 'createKey',
          summary: 'Make a key',
          description:
            'The key is shown this once. It may do no more than the key that makes it: it gets its registers, its limit and its end where none are asked for.',
          response: answer('The key.', newKey),
        },
        {
          status: 201,
          body: newKeyBody,
          secretName: 'key',
          act: async (own, { input }) => {
            const { key: secret, entry } = await own.createKey(input);
            return { kept: entry, secret };
          },
          show: showKey,
        },
      ),
    ]),
    route('/account/keys/{id}', 'account', keyInPath, [
      plainOperation(
        'PATCH',
        {
          operationId: 'updateKey',
          summary: 'Change a key',
          description: 'Its name, its scopes, its registers, its limit: what is given, within what the asking key has.',
          codes: ['unknown_key_id'],
          response: answer('The key.', key),
        },
        keyChangeBody,
        async (own, { id, input, atMs }) => showKey(await own.updateKey(id, input ?? {}), { atMs }),
      ),
      plainOperation(
        'DELETE',
        {
          operationId: 'revokeKey',
          summary: 'Revoke a key',
          description: 'It ends at once and permanently.',
          codes: ['unknown_key_id'],
          response: answer('The key.', key),
        },
        null,
        async (own, { id, atMs }) => showKey(await own.revokeKey(id), { atMs }),
      ),
    ]),
    route('/account/keys/{id}/rotate', 'account', keyInPath, [
      changeOperation(
        {
          operationId: 'rotateKey',
          summary: 'Rotate a key',
          description: 'A new key, which may do the same, is shown this once. The old one keeps working for a while.',
          codes: ['unknown_key_id'],
          response: answer('The new key.', successor),
        },
        {
          status: 201,
          body: rotationBody,
          secretName: 'key',
          act: async (own, { id, input }) => {
            const { key: secret, entry } = await own.rotateKey(id, input);
            return { kept: entry, secret };
          },
          show: (entry, asked) => ({ ...showKey(entry, asked), replaces: asked.id }),
        },
      ),
    ]),
  ];
}
