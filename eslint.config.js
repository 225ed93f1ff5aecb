// Only what Biome cannot do: the rules that need types, and the size limits of this project.
import tseslint from 'typescript-eslint'

/** The timers of Node, and what stands for them. */
const timers = ['setTimeout', 'setInterval', 'setImmediate']
const insteadOfTimers = 'Use sleep, Alarm or every of kit/timers.ts, pause, Periodic or WorkLoop.'
const insteadOfNow =
  'Use the clock (monotonic() for ages and deadlines), or startStopwatch() for how long work takes.'

const knownSafe = ['describe', 'it', 'test', 'before', 'after', 'beforeEach', 'afterEach']

export default tseslint.config(
  { ignores: ['**/dist/**', 'web/generated/**'] },
  {
    files: [
      'src/**/*.ts',
      'test/**/*.ts',
      'bench/**/*.ts',
      'scripts/**/*.ts',
      'web/**/*.ts',
      'web/**/*.tsx',
    ],
    ignores: ['web/generated/**'],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-base-to-string': 'error',
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', package: 'node:test', name: knownSafe }] },
      ],
      // Event handlers of the console may be asynchronous: they show what goes wrong themselves.
      '@typescript-eslint/no-misused-promises': [
        'error',
        { checksVoidReturn: { attributes: false } },
      ],
      '@typescript-eslint/no-unnecessary-type-assertion': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/prefer-promise-reject-errors': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/unbound-method': 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      // Three, and one options object.
      'max-params': ['error', { max: 4 }],
      // A literal that is spread stands between a reader and the object: objects may be tall.
      'no-restricted-syntax': [
        'error',
        ...[
          'SpreadElement > ObjectExpression',
          'SpreadElement > ArrayExpression',
          'SpreadElement > TSAsExpression > ArrayExpression',
        ].map((selector) => ({ selector, message: 'Write its members out.' })),
        {
          selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
          message: insteadOfNow,
        },
      ],
    },
  },
  {
    // One clock, which tests move, and one place for waits.
    files: ['src/**/*.ts'],
    ignores: ['**/*.test.ts', 'src/kit/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: insteadOfNow },
        { object: 'performance', property: 'now', message: insteadOfNow },
      ],
      'no-restricted-globals': [
        'error',
        ...timers.map((name) => ({ name, message: insteadOfTimers })),
      ],
      'no-restricted-imports': [
        'error',
        ...['node:timers', 'node:timers/promises'].map((name) => ({
          name,
          message: insteadOfTimers,
        })),
      ],
    },
  },
)
