import { playwright } from '@vitest/browser-playwright';
import { defineProject, mergeConfig } from 'vitest/config';
import { launchOptions } from '../tests/support/chromium.ts';
import viteConfig from './vite.config.ts';

/** What the console is made of, in a real browser: its modules need the Svelte compiler and a page. */
export default mergeConfig(
  viteConfig,
  defineProject({
    // Tests and schema lie beside console/.
    server: { fs: { allow: ['..'] } },
    test: {
      name: 'console',
      include: ['../tests/console/**/*.svelte.test.ts'],
      browser: {
        enabled: true,
        headless: true,
        screenshotFailures: false,
        provider: playwright({ launchOptions }),
        instances: [{ browser: 'chromium' }],
      },
    },
  }),
);
