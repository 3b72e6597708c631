import { defineConfig } from '@playwright/test';
import { launchOptions } from './support/chromium.ts';

const isContinuousIntegration = Boolean(process.env['CI']);

export default defineConfig({
  testDir: './browser',
  testMatch: '**/*.test.ts',
  outputDir: '../test-results',
  timeout: 60_000,
  workers: 1,
  forbidOnly: isContinuousIntegration,
  reporter: 'list',
  use: { trace: 'retain-on-failure', launchOptions },
  projects: [
    { name: 'chromium', use: { browserName: 'chromium', viewport: { width: 1280, height: 900 } } },
  ],
});
