// Keccak-256 as Ethereum uses it: the submission of 2011 with its own padding, which SHA3-256 (FIPS 202) changed. In `dist`
// the build replaces this file by what it names (see `npm run build:carried`): the whole package takes 0.8 MB.
export { keccak_256 as keccak256 } from '@noble/hashes/sha3.js';
