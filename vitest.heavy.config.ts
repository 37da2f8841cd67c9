// `npm run test:all`: what `npm test` leaves out, because it starts or kills processes by the dozen, tries histories
// by the thousand or installs packages.
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { HEAVY, projects, SETTINGS } from './vitest.config.ts';

const config: ViteUserConfig = defineConfig({
  test: { ...SETTINGS, testTimeout: Math.max(300_000, SETTINGS.testTimeout ?? 0), projects: projects(HEAVY) },
});

export default config;
