// The heavier suite: what other people's programs make of our files. Its tools come from the operating system.
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { SETTINGS } from './vitest.config.ts';

const config: ViteUserConfig = defineConfig({
  test: {
    ...SETTINGS,
    include: ['test/conformance/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: 120_000,
  },
});

export default config;
