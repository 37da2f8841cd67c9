// The accounts and keys of the stores' published suites, under the name the tests know them by.
export { accountNamed, digestOf, keyOfAccount } from '../../src/testing/stores/accounts/keys.ts';
