// `npm run test:all`: what `npm test` leaves out, because it starts or kills processes by the dozen, tries histories
// by the thousand or installs packages.
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { HEAVY, projects, SETTINGS } from './vitest.config.ts';

const config: ViteUserConfig = defineConfig({
  test: { ...SETTINGS, projects: projects(HEAVY) },
});

export default config;
