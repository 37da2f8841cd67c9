// What is right on SQLite, where writers come one after the other, need not be right on PostgreSQL: pairs of rules, in
// every order in which their statements can come, must end as one after the other would.
import type { KeyChange } from '../../../src/stores/contract/accounts.ts';
import type { EndpointChange, NewEndpoint } from '../../../src/stores/contract/endpoints.ts';
import type { EditorChange } from '../../../src/stores/contract/desk/editors.ts';
import type { SignInKind } from '../../../src/stores/contract/sign-in.ts';
import type { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { editorNamed, OPERATOR } from '../../../src/testing/stores/accounts/editors.ts';
import { accountNamed, digestOf, keyOfAccount } from '../../contracts/accounts.ts';
import { at, permits, say } from '../../contracts/store-register.ts';
import { type Act, describePairs, type Pair, pairStores } from './pairs.ts';

const SCHEMA = 'rule_pairs';
/** The UUID of a second register. */
const OTHER_UUID = '0b6f1c5e-5d3a-4a8e-9c56-1a1f6f1c2d3e';

const stores = pairStores(SCHEMA);

function endpointNamed(id: string, given: Partial<NewEndpoint> = {}): NewEndpoint {
  const all = { feeds: null, types: null, filter: null, createdAt: at(0), secret: Uint8Array.from([1]) };
  return { id, accountId: 'acme', url: `https://${id}.example.org/hook`, ...all, ...given };
}

const createAccount = (minute: number): Act => {
  return ({ accounts }) => accounts.createAccount({ ...accountNamed('acme'), createdAt: at(minute) });
};
const createKey = (text: string, minute = 0): Act => {
  return ({ accounts }) => accounts.createKey({ ...keyOfAccount('acme', text), createdAt: at(minute) });
};
const rotateKey = (successor: string, minute: number): Act => {
  return ({ accounts }) => accounts.rotateKey('key_a', keyOfAccount('acme', successor), { endsAt: at(minute) });
};
const revokeKey = (minute: number): Act => {
  return ({ accounts }) => accounts.revokeKey('key_a', { revokedAt: at(minute) });
};
const addEditor = (minute: number): Act => {
  return ({ editors }) => editors.add({ ...editorNamed('acme'), createdAt: at(minute) }, OPERATOR);
};
const changeEditor = (change: EditorChange): Act => {
  return ({ editors }) => editors.change('acme', change, OPERATOR);
};
const removeEditor: Act = ({ editors }) => editors.remove('acme', OPERATOR);
const keepLink = (text: string, minute = 0, kind: SignInKind = 'account'): Act => {
  const owner = { kind, id: 'acme' };
  const link = { owner, digest: digestOf(text), createdAt: at(minute), endsAt: at(minute + 15) };
  return ({ signIns }) => signIns.keepLink(link, { mail: { most: 2, since: at(minute - 60) } });
};
const useLink = (session: string, kind: SignInKind = 'account'): Act => {
  const begun = { digest: digestOf(session), createdAt: at(1), endsAt: at(99) };
  return ({ signIns }) => signIns.useLink(kind, digestOf('link'), begun);
};
const endSessions: Act = ({ signIns }) => signIns.endSessions({ kind: 'account', id: 'acme' });
const pruneSessions: Act = ({ signIns }) => signIns.prune({ before: at(200) });
const makeKey = (text: string): Act => {
  return ({ accounts }) => accounts.createKey({ ...keyOfAccount('acme', text), feeds: ['permits'] }, { by: 'key_a' });
};
const updateKey = (change: KeyChange): Act => {
  return ({ accounts }) => accounts.updateKey(keyOfAccount('acme', 'a'), change);
};
const removeAccount: Act = ({ accounts }) => accounts.removeAccount('acme', { at: at(8) });
const createRegister: Act = (store) => store.createRegister(permits());
const titled = (title: string, minute: number): Act => {
  return (store) => store.updateRegister({ ...permits(), title }, { recordedAt: at(minute) });
};
const removeRegister: Act = (store) => store.removeRegister('permits');
const apply: Act = (store) => store.apply('permits', [say('a')], { recordedAt: at(7) });
const applyOther: Act = (store) => store.apply('permits', [say('b')], { recordedAt: at(8) });
const createOther: Act = (store) => store.createRegister({ ...permits('others'), uuid: OTHER_UUID });
/** The names of logs are random. */
const beginNewLogs = (feedId?: string): Act => {
  return async (store) => {
    const begun = await store.beginNewLogs({ at: at(6), ...(feedId === undefined ? {} : { feedId }) });
    return begun.map(({ feedId, wasUnused }) => [feedId, wasUnused]);
  };
};
const beginNewLog = beginNewLogs('permits');
const takeLease = (token: string): Act => {
  const lease = { token, what: token, host: 'host', pid: 1, since: at(0) };
  return async ({ leases }) => (await leases.take('permits', lease))?.token;
};
/** The lease `a` as it was found is void. */
const takeOver = (token: string): Act => {
  const lease = { token, what: token, host: 'host', pid: 1, since: at(0) };
  return async ({ leases }) => (await leases.take('permits', lease, { over: { token: 'a', until: ENDED } }))?.token;
};
const ENDED = at(1);
/** Takes the lease `a`, which ends at once. */
const takeEnded: Act = async (store) => {
  await takeLease('a')(store);
  await stores.observer.query(`UPDATE ${SCHEMA}.leases SET ends_at = $1`, [ENDED]);
};
const renewLease = (token: string): Act => {
  return ({ leases }) => leases.renew(token);
};
const releaseLease = (token: string): Act => {
  return ({ leases }) => leases.release(token);
};
const applyUnder = (lease: string): Act => {
  return (store) => store.apply('permits', [say('a')], { recordedAt: at(7), lease, write: 1 });
};
/** Numbers of imports go on from one pair to the next. */
const setByImport: Act = async ({ imports }) => {
  const query = `SELECT coalesce(max(number), 0)::int AS number FROM ${SCHEMA}.imports`;
  const { rows } = await stores.observer.query<{ number: number }>(query);
  await imports.proposals.set(
    'permits',
    rows[0]!.number,
    { order: 'oldest-first', title: 'Set' },
    { recordedAt: at(9) },
  );
};
const beginImport = (file: string, key: number): Act => {
  const begun = { file, cause: 'source_change', who: null, begunAt: at(1) } as const;
  return async ({ imports }) => [...(await imports.begin('permits', begun, { key: Uint8Array.from([key]) })).key];
};
const createEndpoint = (id: string, given: Partial<NewEndpoint> = {}): Act => {
  return ({ deliveries }) => deliveries.createEndpoint(endpointNamed(id, given));
};
const prepareSecret = (byte: number): Act => {
  return ({ deliveries }) => deliveries.prepareSecret('ep_a', Uint8Array.from([byte]));
};
const activateSecret: Act = ({ deliveries }) => deliveries.activateSecret('ep_a', { previousUntil: at(9) });
const replaceSecret = (from: number, to: number): Act => {
  const secret = { from: Uint8Array.from([from]), to: Uint8Array.from([to]) };
  return ({ deliveries }) => deliveries.replaceSecret('ep_a', secret);
};
const disable = (minute: number): Act => {
  return ({ deliveries }) => deliveries.disableEndpoint('ep_a', { at: at(minute), reason: 'operator' });
};
const enable: Act = ({ deliveries }) => deliveries.enableEndpoint('ep_a');
const remove: Act = ({ deliveries }) => deliveries.removeEndpoint('ep_a', { at: at(8) });
const update = (change: EndpointChange): Act => {
  return ({ deliveries }) => deliveries.updateEndpoint('ep_a', change);
};
const createTest: Act = ({ deliveries }) => {
  return deliveries.createTest('ep_a', { id: 'evt_test', type: 'test' }, { at: at(1) });
};
/** The deliveries' numbers differ from run to run. */
const latest = async ({ deliveries }: PostgresStore): Promise<string> => {
  const [delivery] = await deliveries.deliveries('ep_a', { limit: 1 });
  return delivery!.id;
};
const replayOne = (minute: number): Act => {
  return async (store) => store.deliveries.replay({ deliveryId: lastDelivery }, { at: at(minute) });
};
const replayAll = (minute: number): Act => {
  return ({ deliveries }) => deliveries.replay({ endpointId: 'ep_a', since: at(0) }, { at: at(minute) });
};
const prune: Act = ({ deliveries }) => deliveries.prune({ before: at(60) });
const claim: Act = async ({ deliveries }) => {
  const options = { now: at(2), until: at(3), lease: 'mark.1', limit: 9, room: new Map<string, number>() };
  const claimed = await deliveries.claim({ ...options, limitPerEndpoint: 9, accountRoom: new Map() });
  return claimed.map(({ endpoint }) => endpoint.id);
};
const settle = (state: 'acknowledged' | 'failed', isGone = false): Act => {
  const attempt = { at: at(2), durationMs: 1, status: 200, error: null, response: null };
  const outcome = { lease: 'mark.1', state, reason: null, attempt, nextAttemptAt: null, isGone };
  return ({ deliveries }) => {
    return deliveries.settle([{ id: lastDelivery, ...outcome }], { at: at(2), failingBefore: at(-9) });
  };
};
/** The sender that has claimed them is gone. */
const free: Act = async ({ deliveries }) => {
  await deliveries.freeClaims({ now: at(2), until: at(3), isGone: () => true });
};
let lastDelivery = '';

const ACCOUNT = [createAccount(0)];
const KEY = [...ACCOUNT, createKey('a')];
const LINK = [...ACCOUNT, keepLink('link')];
const EDITOR = [addEditor(0)];
const EDITORS_LINK = [...EDITOR, keepLink('link', 0, 'editor')];
const REGISTER = [...ACCOUNT, createRegister];
const ENDPOINT = [...REGISTER, createEndpoint('ep_a')];
const PREPARED = [...ENDPOINT, prepareSecret(2)];
const TEST = [...ENDPOINT, createTest];
const CLAIMED = [...TEST, claim];
const SETTLED = [...CLAIMED, settle('acknowledged')];

const PAIRS: readonly Pair[] = [
  ['an account made twice', [], createAccount(1), createAccount(2)],
  [
    'an account given more time and suspended',
    ACCOUNT,
    ({ accounts }) => accounts.updateAccount('acme', { accessUntil: at(99) }),
    ({ accounts }) => accounts.updateAccount('acme', { isSuspended: true }),
  ],
  ['a key of an account that is being made', [], createAccount(1), createKey('a')],
  ['a key made twice', ACCOUNT, createKey('a', 1), createKey('a', 2)],
  ['two keys', ACCOUNT, createKey('a'), createKey('b')],
  ['a key rotated and revoked', KEY, rotateKey('b', 5), revokeKey(4)],
  ['a key rotated twice', KEY, rotateKey('b', 5), rotateKey('c', 4)],
  ['a key revoked twice', KEY, revokeKey(4), revokeKey(5)],
  ['a link used twice', LINK, useLink('a'), useLink('b')],
  ['a link used and replaced', LINK, useLink('a'), keepLink('new')],
  ['a link used and everybody signed out', LINK, useLink('a'), endSessions],
  ['two links, the last two of an hour', ACCOUNT, keepLink('a'), keepLink('b')],
  ['a link too many sent twice', LINK, keepLink('a'), keepLink('b')],
  ['sessions ended and deleted', [...LINK, useLink('a')], endSessions, pruneSessions],
  ['an editor added twice', [], addEditor(1), addEditor(2)],
  ['an editor removed and added again', EDITOR, removeEditor, addEditor(2)],
  ['an editor removed twice', EDITOR, removeEditor, removeEditor],
  [
    'an editor given two changes',
    EDITOR,
    changeEditor({ role: 'review' }),
    changeEditor({ email: 'other@example.org' }),
  ],
  ['an editor changed and removed', EDITORS_LINK, changeEditor({ role: 'review' }), removeEditor],
  ['an editor changed and the link used', EDITORS_LINK, changeEditor({ role: 'review' }), useLink('a', 'editor')],
  ['an editor removed and the link used', EDITORS_LINK, removeEditor, useLink('a', 'editor')],
  ['an editor removed and sent a link', EDITOR, removeEditor, keepLink('a', 0, 'editor')],
  ['a key made by one that is revoked', [...KEY, createRegister], makeKey('b'), revokeKey(4)],
  ['a key made by one that is rotated', [...KEY, createRegister], makeKey('b'), rotateKey('c', 4)],
  [
    'a key made by one that is narrowed',
    [...KEY, createOther, createRegister],
    makeKey('b'),
    updateKey({ feeds: ['others'] }),
  ],
  ['a key changed twice', KEY, updateKey({ name: 'one' }), updateKey({ scopes: ['account'] })],
  ['a key changed and rotated', KEY, updateKey({ name: 'one' }), rotateKey('b', 4)],
  ['a key changed and revoked', KEY, updateKey({ name: 'one' }), revokeKey(4)],
  ['an account removed twice', KEY, removeAccount, removeAccount],
  ['an account removed and given a key', KEY, removeAccount, createKey('b')],
  ['an account removed and its key rotated', KEY, removeAccount, rotateKey('b', 4)],
  ['an account removed and its link used', LINK, removeAccount, useLink('a')],
  ['an account removed and given an endpoint', REGISTER, removeAccount, createEndpoint('ep_a')],
  ['a register made twice', [], createRegister, (store) => store.createRegister({ ...permits(), title: 'Other' })],
  [
    'two registers with one uuid',
    [],
    createRegister,
    (store) => store.createRegister({ ...permits('others'), uuid: permits().uuid }),
  ],
  ['a register given two definitions', REGISTER, titled('One', 5), titled('Two', 3)],
  ['a register changed and removed', REGISTER, titled('One', 5), removeRegister],
  ['a register changed and written to', REGISTER, titled('One', 5), apply],
  ['a register given a new log and written to', [...REGISTER, apply], beginNewLog, applyOther],
  ['a register given a new log and another definition', REGISTER, beginNewLog, titled('One', 7)],
  ['a register given a new log twice', [...REGISTER, apply], beginNewLog, beginNewLog],
  ['a register given a new log and removed', REGISTER, beginNewLog, removeRegister],
  ['all given new logs and one removed', REGISTER, beginNewLogs(), removeRegister],
  ['all given new logs twice', [...REGISTER, apply], beginNewLogs(), beginNewLogs()],
  ['all given new logs and another one made', REGISTER, beginNewLogs(), createOther],
  ['a register set by an import and removed', [...REGISTER, beginImport('a.csv', 1)], setByImport, removeRegister],
  ['a register made and removed', REGISTER, createRegister, removeRegister],
  ['a register removed twice', REGISTER, removeRegister, removeRegister],
  ['a register taken twice', REGISTER, takeLease('a'), takeLease('b')],
  ['a register taken over twice', [...REGISTER, takeEnded], takeOver('b'), takeOver('c')],
  ['a lease renewed and taken over', [...REGISTER, takeEnded], renewLease('a'), takeOver('b')],
  ['a lease ended and taken over', [...REGISTER, takeEnded], releaseLease('a'), takeOver('b')],
  ['a lease ended and taken', [...REGISTER, takeLease('a')], releaseLease('a'), takeLease('b')],
  ['a register taken and removed', REGISTER, takeLease('a'), removeRegister],
  ['a register written to and taken over', [...REGISTER, takeEnded], applyUnder('a'), takeOver('b')],
  ['a batch sent twice', [...REGISTER, takeLease('a')], applyUnder('a'), applyUnder('a')],
  ['two imports logged, the first of all', REGISTER, beginImport('a.csv', 1), beginImport('b.csv', 2)],
  ['an import logged and its register removed', REGISTER, beginImport('a.csv', 1), removeRegister],
  ['two endpoints, the first of all', REGISTER, createEndpoint('ep_a'), createEndpoint('ep_b')],
  ['two endpoints of one id', REGISTER, createEndpoint('ep_a'), createEndpoint('ep_a')],
  [
    'an endpoint of a register that is removed',
    REGISTER,
    createEndpoint('ep_a', { feeds: ['permits'] }),
    removeRegister,
  ],
  ['an endpoint of a register that is made', ACCOUNT, createEndpoint('ep_a', { feeds: ['permits'] }), createRegister],
  ['an endpoint of a register that is written to', REGISTER, createEndpoint('ep_a'), apply],
  ['an endpoint of an account that is made', [createRegister], createEndpoint('ep_a'), createAccount(1)],
  ['a secret activated twice', PREPARED, activateSecret, activateSecret],
  ['a secret prepared and activated', ENDPOINT, prepareSecret(2), activateSecret],
  ['a secret prepared again and activated', PREPARED, prepareSecret(3), activateSecret],
  ['a secret encrypted again and activated', PREPARED, replaceSecret(2, 4), activateSecret],
  ['a secret encrypted again and prepared again', PREPARED, replaceSecret(2, 4), prepareSecret(3)],
  ['a secret encrypted again twice', PREPARED, replaceSecret(2, 4), replaceSecret(2, 5)],
  ['a secret prepared twice', ENDPOINT, prepareSecret(2), prepareSecret(3)],
  ['an endpoint stopped and let go on', ENDPOINT, disable(1), enable],
  ['an endpoint stopped twice', ENDPOINT, disable(1), disable(2)],
  ['an endpoint stopped by its owner and by its answer', CLAIMED, disable(1), settle('failed', true)],
  ['an endpoint let go on and failing', CLAIMED, enable, settle('failed')],
  [
    'an endpoint given two changes',
    ENDPOINT,
    update({ url: 'https://x.example.org/' }),
    update({ feeds: ['permits'] }),
  ],
  ['an endpoint removed twice', TEST, remove, remove],
  ['an endpoint changed and removed', TEST, update({ url: 'https://x.example.org/' }), remove],
  ['an endpoint removed and failing', CLAIMED, remove, settle('failed')],
  ['an endpoint removed while its deliveries are claimed', TEST, remove, claim],
  ['an endpoint removed and its deliveries replayed', SETTLED, remove, replayOne(9)],
  ['a delivery replayed and pruned', SETTLED, replayOne(9), prune],
  ['deliveries replayed and pruned', SETTLED, replayAll(9), prune],
  ['a delivery replayed and acknowledged', CLAIMED, replayOne(9), settle('acknowledged')],
  ['claims freed and acknowledged', CLAIMED, free, settle('acknowledged')],
  ['claims freed and failing', CLAIMED, free, settle('failed')],
  ['claims freed and claimed', CLAIMED, free, claim],
  ['deliveries pruned twice', SETTLED, prune, prune],
  ['a test made and deliveries replayed', TEST, createTest, replayAll(9)],
];

async function kept(): Promise<unknown> {
  const rows = (query: string): string => `(SELECT coalesce(jsonb_agg(t), '[]') FROM (${query}) AS t)`;
  const plain = (table: string, order: string): string => {
    return rows(
      `SELECT to_jsonb(x) - '{number,endpoint,delivery,written}'::text[] FROM ${SCHEMA}.${table} x ORDER BY ${order}`,
    );
  };
  const register = `coalesce((SELECT id FROM ${SCHEMA}.registers WHERE number = s.register), 'removed')`;
  const endpoint = `(SELECT id FROM ${SCHEMA}.webhook_endpoints WHERE number = s.endpoint)`;
  const { rows: found } = await stores.observer.query<Record<string, unknown>>(`SELECT
    ${plain('accounts', 'id')} AS accounts, ${plain('api_keys', 'number')} AS keys,
    ${plain('sign_in_links', 'kind, owner')} AS links, ${plain('editors', 'name')} AS editors,
    ${plain('desk_log', 'number')} AS desk_log, ${plain('sessions', 'digest')} AS sessions,
    ${plain('registers', 'id').replace('{number', '{log,row_secret,number')} AS registers,
    ${plain('removed_registers', 'id')} AS removed_registers, ${plain('records', 'slot').replace('{number', '{slot,number')} AS records,
    ${plain('leases', 'token').replace('{number', '{register,ends_at,number')} AS leases,
    ${plain('imports', 'file').replace('{number', '{register,number')} AS imports,
    ${plain('store_keys', 'name')} AS store_keys,
    ${plain('webhook_endpoints', 'number')} AS endpoints,
    ${rows(`SELECT ${endpoint}, ${register}, change FROM ${SCHEMA}.webhook_starts s ORDER BY 1, 2`)} AS starts,
    ${rows(`SELECT ${register}, change FROM ${SCHEMA}.webhook_cursors s ORDER BY 1`)} AS cursors,
    ${plain('webhook_deliveries', 'number')} AS deliveries,
    ${plain('webhook_attempts', 'delivery, number')} AS attempts`);
  return found[0];
}

const TABLES = [
  ...['webhook_attempts', 'webhook_deliveries', 'webhook_cursors', 'webhook_starts', 'webhook_endpoints', 'api_keys'],
  ...['sign_in_links', 'sessions', 'editors', 'desk_log'],
  ...['leases', 'imports', 'store_keys'],
  ...['accounts', 'records', 'withdrawn', 'contents', 'versions', 'logs', 'registers', 'removed_registers'],
];

describePairs('two rules at once end as one after the other', stores, {
  ...{ pairs: PAIRS, tables: TABLES, kept },
  async onPrepared(act) {
    if (act === createTest) lastDelivery = await latest(stores.store());
  },
});
