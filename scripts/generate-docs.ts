import { readFileSync, writeFileSync } from 'node:fs'
import { settings } from '../src/platform/config/index.ts'
import { openTestApp } from '../test/test-app.ts'

/**
 * Writes the documents that are made from the code: `docs/configuration.md` and `docs/mailyard.env` from the settings,
 * `docs/openapi.json` from the routes. With `--check` it only says whether they are up to date.
 */
const documents: [path: string, text: string][] = [
  ['docs/configuration.md', configurationPage()],
  ['docs/mailyard.env', environmentFile()],
  ['docs/openapi.json', await openApiDocument()],
]
const isCheck = process.argv.includes('--check')
const stale = documents.filter(([path, text]) => read(path) !== text)
if (isCheck && stale.length > 0) {
  const list = stale.map(([path]) => path).join(', ')
  process.stderr.write(`${list}: not what the code says. Run: npm run docs\n`)
  process.exitCode = 1
}
if (!isCheck) for (const [path, text] of stale) writeFileSync(path, text)

function configurationPage(): string {
  const rows = settings.map(({ name, default: fallback, meaning }) => {
    const value = fallback === '' ? 'none' : `\`${fallback}\``
    return `| \`${name}\` | ${value} | ${meaning.replaceAll('|', '\\|')} |`
  })
  return [
    '# Configuration',
    '',
    'Everything is set by environment variables. `<NAME>_FILE` names a file with the value instead: use this for secrets. A file',
    '`.env` in the working directory is read, too; the environment goes before it. The start names all invalid settings.',
    '',
    '| name | default | meaning |',
    '|---|---|---|',
    ...rows,
    '',
    'This page is made from `src/platform/config/settings.ts` by `npm run docs`.',
    '',
  ].join('\n')
}

/** Every setting with its default, as a comment: for systemd, Compose, or as `.env`. */
function environmentFile(): string {
  const entries = settings.flatMap(({ name, default: fallback, meaning }) => [
    '',
    `# ${meaning}`,
    `#${name}=${fallback}`,
  ])
  return [
    '# The settings of Mailyard and their defaults. Remove the # of those that you change.',
    '# Each may be given as <NAME>_FILE instead, which names a file that holds the value.',
    '# This file is made from src/platform/config/settings.ts by `npm run docs`.',
    ...entries,
    '',
  ].join('\n')
}

async function openApiDocument(): Promise<string> {
  const service = await openTestApp()
  try {
    const { body } = await service.ask('GET', '/api/openapi.json', undefined, { as: 'anonymous' })
    return `${JSON.stringify(body, null, 2)}\n`
  } finally {
    await service.close()
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
