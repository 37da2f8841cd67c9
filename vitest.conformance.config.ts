// The heavier suite: what other people's programs make of our files and our service. Its tools come from the operating
// system, and from npm by a package.json of its own.
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { SETTINGS } from './vitest.config.ts';

const config: ViteUserConfig = defineConfig({
  test: {
    ...SETTINGS,
    include: ['test/conformance/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    globalSetup: ['test/conformance/install.ts'],
  },
});

export default config;
