// The layers. A module imports only from layers below it, and only through the other module's index.ts.
const layers = [
  ['kit'],
  ['twig', 'mailer', 'dns', 'storage', 'http', 'config'],
  ['resource', 'outbox'],
  [
    'auth',
    'dkim',
    'emails',
    'contacts',
    'suppressions',
    'transports',
    'templates',
    'inbox',
    'limits',
    'mautic',
    'webhooks',
  ],
  ['assignments'],
  ['routing', 'messages'],
  ['delivery'],
  ['queue'],
  ['feedback', 'preview', 'senders'],
  ['relay', 'gateway', 'console', 'health', 'metrics'],
]
const modulesFrom = (layer) => layers.slice(layer).flat()
const modulePattern = (names) => `^src/(${names.join('|')})/`

const layerRules = layers.flatMap((modules, layer) =>
  modules.map((name) => ({
    name: `layer-${layer + 1}-${name}`,
    comment:
      'A module imports only from layers below it, never from a neighbour, the app or a command.',
    severity: 'error',
    // A test may open the whole.
    from: { path: `^src/${name}/`, pathNot: '\\.test\\.ts$' },
    to: {
      path: [
        modulePattern(
          modulesFrom(layer)
            .filter((other) => other !== name)
            .concat('cli'),
        ),
        '^src/(app/|(app|main)\\.ts$)',
      ],
    },
  })),
)

// The folders of the console, and which of them each may import.
const consoleLayers = ['words', 'lib', 'design', 'records', 'screens', 'shell', 'api-docs']
const consoleRules = consoleLayers.map((name, layer) => ({
  name: `console-${layer}-${name}`,
  comment: 'A folder of the console imports only from the folders below it.',
  severity: 'error',
  from: { path: `^web/${name}/` },
  to: {
    path: [
      ...consoleLayers.slice(layer + 1).map((above) => `^web/${above}/`),
      '^web/(app|main)\\.tsx$',
    ],
  },
}))

module.exports = {
  forbidden: [
    ...layerRules,
    ...consoleRules,
    {
      name: 'console-screens',
      comment: 'A screen imports no other screen: what several need stands in web/records/.',
      severity: 'error',
      from: { path: '^web/screens/([^/]+)/' },
      to: { path: '^web/screens/', pathNot: '^web/screens/$1/' },
    },
    {
      name: 'console-stands-alone',
      comment:
        'The console knows the public API, the tables of outcomes and of events, in and out, what a refusal of the From domain and what a domain is, and what has no dependency.',
      severity: 'error',
      from: { path: '^web/' },
      to: {
        path: '^src/',
        pathNot:
          '^src/(kit/|delivery/(outcomes|events)\\.ts$|mailer/(delivery/reply-class|message/ascii-domain)\\.ts$|webhooks/event-types\\.ts$)',
      },
    },
    {
      name: 'app-below-cli',
      severity: 'error',
      from: { path: '^src/app(/|\\.ts$)' },
      to: { path: '^src/(cli/|main\\.ts)' },
    },
    {
      name: 'libraries-stand-alone',
      comment:
        'twig/ and mailer/ are libraries of their own: of this project they import kit/ alone.',
      severity: 'error',
      from: { path: '^src/(twig|mailer)/' },
      to: { path: '^src/', pathNot: ['^src/$1/', '^src/kit/'] },
    },
    {
      name: 'through-index',
      comment:
        'Another module is imported through its index.ts; the files of kit are imported directly.',
      severity: 'error',
      from: { path: '^src/([^/]+)/', pathNot: ['\\.test\\.ts$', '^src/app/'] },
      to: { path: '^src/[^/]+/', pathNot: ['^src/$1/', '^src/kit/', '^src/[^/]+/index\\.ts$'] },
    },
    {
      name: 'app-through-index',
      severity: 'error',
      from: { path: '^src/(app/|(app|main)\\.ts$)' },
      to: { path: '^src/[^/]+/', pathNot: ['^src/(kit|cli|app)/', '^src/[^/]+/index\\.ts$'] },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-folder-cycles',
      comment: 'Inside twig/ and the console no two folders import each other.',
      scope: 'folder',
      severity: 'error',
      from: { path: '^(src/libraries/twig|web)/' },
      to: { circular: true, path: '^(src/libraries/twig|web)/' },
    },
    {
      name: 'no-tests-in-code',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.ts$' },
      to: { path: ['\\.test\\.ts$', '^test/', '^bench/', '^scripts/'] },
    },
    {
      name: 'no-dev-dependencies-in-code',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.ts$' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
      },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      conditionNames: ['import', 'node', 'default'],
      exportsFields: ['exports'],
    },
  },
}
