// The floors of the house. A room imports only from floors below it, and only through a room's door.
const floors = [
  ['kit'],
  ['twig', 'mailer', 'storage', 'http', 'config'],
  ['auth', 'emails', 'contacts', 'transports', 'templates', 'inbox'],
  ['assignments'],
  ['sending'],
  ['relay'],
]
const roomsFrom = (floor) => floors.slice(floor).flat()
const room = (names) => `^src/(${names.join('|')})/`

const floorRules = floors.flatMap((rooms, floor) =>
  rooms.map((name) => ({
    name: `floor-${floor + 1}-${name}`,
    comment:
      'A room imports only from floors below it, never a neighbour, never the app or a command.',
    severity: 'error',
    from: { path: `^src/${name}/` },
    to: {
      path: [
        room(
          roomsFrom(floor)
            .filter((other) => other !== name)
            .concat('cli'),
        ),
        '^src/(app/|(app|main)\\.ts$)',
      ],
    },
  })),
)

module.exports = {
  forbidden: [
    ...floorRules,
    {
      name: 'app-below-cli',
      severity: 'error',
      from: { path: '^src/app(/|\\.ts$)' },
      to: { path: '^src/(cli/|main\\.ts)' },
    },
    {
      name: 'libraries-stand-alone',
      comment: 'twig/ and mailer/ could each leave as a package: they import nothing of ours.',
      severity: 'error',
      from: { path: '^src/(twig|mailer)/' },
      to: { path: '^src/', pathNot: '^src/$1/' },
    },
    {
      name: 'through-the-door',
      comment: "Another room is entered by its index.ts; kit's files are doors themselves.",
      severity: 'error',
      from: { path: '^src/([^/]+)/', pathNot: ['\\.test\\.ts$', '^src/app/'] },
      to: { path: '^src/[^/]+/', pathNot: ['^src/$1/', '^src/kit/', '^src/[^/]+/index\\.ts$'] },
    },
    {
      name: 'app-through-the-door',
      severity: 'error',
      from: { path: '^src/(app/|(app|main)\\.ts$)' },
      to: { path: '^src/[^/]+/', pathNot: ['^src/(kit|cli|app)/', '^src/[^/]+/index\\.ts$'] },
    },
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
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
