// Everything readers use of jschardet. In `dist` the build replaces this file by jschardet itself (see `npm run
// build:carried`): as a package it takes 7.4 MB, of which 1.2 MB is used. Therefore no public entry may export its types.
export { chardet } from 'jschardet';
