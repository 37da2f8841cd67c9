/**
 * The public entry `gazette/testing`: the contracts of formats, sources, stores and plugins, as tests for any runner. They
 * assert with node:assert and need nothing else.
 *
 * @module
 */
export type { Test } from './test.ts';
export { formatContract, type FormatFacts } from './format-contract.ts';
export { type OpenedPlugin, pluginContract, type PluginFacts } from './plugin-contract.ts';
export { type OpenedSource, sourceContract } from './source-contract.ts';
export { SAMPLE_DEFINITION, SAMPLE_HEAD, sampleRecord, sampleRecords } from './sample-register.ts';
export type { OpenStore } from './stores/said.ts';
export { registerStoreContract } from './stores/registers.ts';
export { accountStoreContract } from './stores/accounts/accounts.ts';
export type { OpenServiceStore } from './stores/accounts/keys.ts';
export { signInStoreContract } from './stores/accounts/sign-in.ts';
export { catalogueContract } from './stores/catalogue.ts';
export { deliveryStoreContract } from './stores/deliveries.ts';
