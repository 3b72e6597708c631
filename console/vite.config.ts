import { paraglideVitePlugin } from '@inlang/paraglide-js';
import adapterStatic from '@sveltejs/adapter-static';
import { sveltekit } from '@sveltejs/kit/vite';
import { defineConfig } from 'vite';

/** Where the development server finds the API. */
const api = process.env['API'] ?? 'http://127.0.0.1:4000';
const proxied = ['/api', '/uploads', '/generated-files', '/healthz', '/readyz'];

export default defineConfig({
  // Everything is resolved against console/, wherever vite is called from.
  root: import.meta.dirname,
  plugins: [
    paraglideVitePlugin({
      project: `${import.meta.dirname}/project.inlang`,
      outdir: `${import.meta.dirname}/src/lib/paraglide`,
      strategy: ['localStorage', 'preferredLanguage', 'baseLocale'],
      emitTsDeclarations: false,
    }),
    sveltekit({
      // The adapter alone resolves against the working directory, which is the project's.
      adapter: adapterStatic({ pages: 'build/console', fallback: '200.html', precompress: true }),
      compilerOptions: { runes: true },
      // Written into the page, with the hashes of Kit's own inline scripts.
      csp: {
        mode: 'hash',
        directives: {
          'default-src': ['none'],
          'script-src': ['self'],
          'style-src': ['self', 'unsafe-inline'],
          'img-src': ['self', 'data:', 'blob:'],
          'font-src': ['self'],
          'connect-src': ['self'],
          'manifest-src': ['self'],
          'worker-src': ['self'],
          'media-src': ['self', 'blob:'],
          'base-uri': ['none'],
          'form-action': ['self'],
          'object-src': ['none'],
          'require-trusted-types-for': ['script'],
          'trusted-types': ['svelte-trusted-html', 'sveltekit-trusted-url', 'console-html'],
        },
      },
    }),
  ],
  // Whatever is imported lazily: the development server reloads the page when it meets one first.
  optimizeDeps: {
    include: ['katex', 'highlight.js/lib/core', 'highlight.js/lib/languages/*', 'graphql-ws'],
  },
  // No data: URLs, so that font-src can stay 'self'.
  build: { assetsInlineLimit: 0 },
  server: {
    proxy: {
      '/graphql': { target: api, ws: true },
      ...Object.fromEntries(proxied.map((path) => [path, { target: api }])),
    },
  },
});
