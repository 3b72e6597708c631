import { builtinModules } from 'node:module';
import { fileURLToPath } from 'node:url';
import svelte from 'eslint-plugin-svelte';
import tseslint from 'typescript-eslint';

const projectFolder = fileURLToPath(new URL('..', import.meta.url));

/** Rules that need no types; they hold for every file. */
const everywhere = {
  'no-console': 'error',
  'no-restricted-imports': [
    'error',
    {
      paths: builtinModules
        .filter((name) => !name.startsWith('node:'))
        .map((name) => ({ name, message: `Import 'node:${name}'.` })),
    },
  ],
  'no-restricted-exports': [
    'error',
    { restrictDefaultExports: { direct: true, named: true, defaultFrom: true } },
  ],
  eqeqeq: ['error', 'always', { null: 'ignore' }],
  'prefer-const': 'error',
  'no-var': 'error',
};

const typeScript = {
  ...everywhere,
  '@typescript-eslint/no-explicit-any': 'error',
  '@typescript-eslint/max-params': ['error', { max: 3, countVoidThis: false }],
  '@typescript-eslint/consistent-type-imports': 'error',
  '@typescript-eslint/no-unused-vars': [
    'error',
    { argsIgnorePattern: '^_', caughtErrors: 'none', ignoreRestSiblings: true },
  ],
  '@typescript-eslint/no-non-null-asserted-optional-chain': 'error',
  '@typescript-eslint/ban-ts-comment': 'error',
};

/** Rules that ask the type checker. */
const typed = {
  ...typeScript,
  '@typescript-eslint/no-floating-promises': 'error',
  '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
  '@typescript-eslint/await-thenable': 'error',
  '@typescript-eslint/switch-exhaustiveness-check': [
    'error',
    { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: false },
  ],
  '@typescript-eslint/no-unsafe-return': 'error',
  '@typescript-eslint/no-unsafe-assignment': 'error',
  '@typescript-eslint/no-unsafe-call': 'error',
  '@typescript-eslint/no-unsafe-member-access': 'error',
  '@typescript-eslint/no-unsafe-argument': 'error',
  '@typescript-eslint/only-throw-error': 'error',
};

export default [
  {
    ignores: [
      '**/node_modules/**',
      'build/**',
      'data/**',
      '.cache/**',
      'prisma/generated/**',
      'console/.svelte-kit/**',
      'console/src/lib/paraglide/**',
      '**/*.d.ts',
      'tests/fixtures/**',
      'tests/bench/**/*.js',
      'tests/.artifacts/**',
      'test-results/**',
      'playwright-report/**',
    ],
  },
  {
    basePath: projectFolder,
    linterOptions: { reportUnusedDisableDirectives: 'error' },
  },
  { files: ['**/*.mjs', '**/*.js'], rules: everywhere },
  {
    files: ['**/*.ts'],
    ignores: ['**/*.svelte.ts', '**/*.svelte.test.ts'],
    plugins: { '@typescript-eslint': tseslint.plugin },
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: {
        projectService: true,
        tsconfigRootDir: projectFolder,
      },
    },
    rules: typed,
  },
  ...svelte.configs['flat/recommended'],
  {
    // What has types in a component is checked by svelte-check; asking for them twice is slow.
    files: ['**/*.svelte', '**/*.svelte.ts', '**/*.svelte.test.ts'],
    plugins: { '@typescript-eslint': tseslint.plugin },
    languageOptions: { parserOptions: { parser: tseslint.parser } },
    // Properties are declared with `let`, whoever changes them.
    rules: {
      ...typeScript,
      'prefer-const': 'off',
      'svelte/prefer-const': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      // Links that a model or a provider gave lead outside, and files are no pages.
      'svelte/no-navigation-without-resolve': ['error', { ignoreLinks: true }],
      // Maps are replaced, never changed, so that what did not change is not drawn again.
      'svelte/prefer-svelte-reactivity': 'off',
    },
  },
  {
    files: ['**/*.svelte.ts', '**/*.svelte.test.ts'],
    languageOptions: { parser: tseslint.parser },
  },
  {
    // Resolvers have the four parameters that GraphQL gives them.
    files: ['server/graphql/**'],
    rules: { '@typescript-eslint/max-params': ['error', { max: 4 }] },
  },
  {
    // Tools that ask for a default export.
    files: [
      '**/*.config.ts',
      '**/*.config.js',
      '**/*.svelte',
      'server/worker/worker.ts',
      'console/src/service-worker/**',
    ],
    rules: { 'no-restricted-exports': 'off' },
  },
];
