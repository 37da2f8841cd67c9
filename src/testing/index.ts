// The public entry `gazette/testing`: what every format, source and store must do, as tests for any runner. They assert with
// node:assert and need nothing else.
export { type Test, type TestRun } from './test.ts';
export { formatContract, type FormatFacts, type SkippableFormatTest } from './format-contract.ts';
export { type OpenedSource, sourceContract } from './source-contract.ts';
export { SAMPLE_DEFINITION, SAMPLE_HEAD, sampleRecord, sampleRecords } from './sample-register.ts';
export { type OpenStore } from './stores/said.ts';
export { registerStoreContract } from './stores/registers.ts';
export { accountStoreContract, type OpenServiceStore } from './stores/accounts.ts';
export { deliveryStoreContract } from './stores/deliveries.ts';
