// The folders of src, from the lowest to the highest: the layers, and in platform and core those of their modules.
const layers = [
  'kit/',
  'libraries/[^/]+/',
  'platform/storage/',
  'platform/config/',
  'platform/http/',
  'platform/installation/',
  'platform/resource/',
  'platform/(?:outbox|auth)/',
  'core/brands/',
  'core/(?:published|mautic-client|transports|templates|contacts|mime)/',
  'core/(?:limits|suppressions)/',
  'core/emails/',
  'core/mautic/',
  'core/assignments/',
  'core/routing/',
  'core/delivery/',
  'core/deliveries/',
  'core/(?:findings|queue)/',
  'core/sending/',
  'core/(?=[^/]+$)',
  'modules/[^/]+/',
  'edges/[^/]+/',
]
const layerRules = layers.map((name, layer) => ({
  name: `layer-${layer + 1}`,
  comment: 'A folder imports only from those below it, never from a neighbour.',
  severity: 'error',
  from: { path: `^src/(${name})`, pathNot: '\\.test\\.ts$' },
  to: { path: layers.slice(layer).map((above) => `^src/${above}`), pathNot: '^src/$1' },
}))

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
          '^src/(kit/|core/delivery/(outcomes|events)\\.ts$|libraries/mailer/(delivery/reply-class|message/ascii-domain)\\.ts$|core/published/event-types\\.ts$)',
      },
    },
    {
      name: 'below-app',
      comment: 'Only a test and the command line open the whole.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: '\\.test\\.ts$|^src/(app|edges/cli)/' },
      to: { path: '^src/(app/|(app|main)\\.ts$)' },
    },
    {
      name: 'through-index',
      comment:
        'Another module is imported through its index.ts; the files of kit are imported directly.',
      severity: 'error',
      from: { path: '^src/([^/]+/[^/]+)/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^src/[^/]+/[^/]+/',
        pathNot: ['^src/$1/', '^src/[^/]+/[^/]+/index\\.ts$'],
      },
    },
    {
      name: 'app-through-index',
      severity: 'error',
      from: { path: '^src/(app/|(app|main)\\.ts$)', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^src/[^/]+/[^/]+/',
        pathNot: ['^src/edges/cli/', '^src/[^/]+/[^/]+/index\\.ts$'],
      },
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
