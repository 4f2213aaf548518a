import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Imports that would break a layer: see ARCHITECTURE.md. */
const forbid = (patterns) => ['error', { patterns }];
const nodeBuiltins = {
  group: ['node:*', 'fs', 'path', 'crypto', 'os'],
  message: 'This code runs in the workflow sandbox: no Node builtins.',
};

export default tseslint.config(
  { ignores: ['node_modules/**', 'docs/**', 'activities/trainer/wire/gen/**'] },
  js.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked.map((part) => ({ ...part, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/restrict-template-expressions': 'off',
      '@typescript-eslint/no-empty-object-type': 'off',
    },
  },
  {
    files: ['domain/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-imports': forbid([
        nodeBuiltins,
        { regex: '^(?!zod$|\\.)', message: 'domain/ imports nothing but zod.' },
        {
          regex: '/(activities|workflows|workers|cli|configs|infra)/',
          message: 'Arrows point towards domain/.',
        },
      ]),
      'no-restricted-globals': ['error', 'process', 'Buffer', 'setTimeout', 'fetch'],
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression[object.name='Date'][property.name='now']",
          message: 'domain/ has no clock.',
        },
        {
          selector: "MemberExpression[object.name='Math'][property.name='random']",
          message: 'domain/ has no randomness.',
        },
      ],
    },
  },
  {
    files: ['workflows/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            nodeBuiltins,
            { regex: '/(workers|cli|infra)/', message: 'Arrows point towards domain/.' },
          ],
        },
      ],
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '/activities/',
              allowTypeImports: true,
              message: 'A workflow imports activity types only.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['activities/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-imports': forbid([
        { regex: '/(workers|cli|workflows)/', message: 'Arrows point towards domain/.' },
      ]),
    },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    ...tseslint.configs.disableTypeChecked,
    languageOptions: {
      globals: { process: 'readonly', console: 'readonly', URL: 'readonly', setTimeout: 'readonly' },
    },
  },
);
