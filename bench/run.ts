// Runs every benchmark, each in a process of its own: `npm run bench`. For those of some folders:
// `npm run bench -- twig mailer`.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Only programs check `import.meta.main`; the other files are their modules. */
const isProgram = (path: string): boolean => readFileSync(path, 'utf8').includes('import.meta.main')

function findPrograms(wanted: readonly string[]): string[] {
  const root = import.meta.dirname
  const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const names = folders.map(({ name }) => name).sort()
  const unknown = wanted.filter((name) => !names.includes(name))
  if (unknown.length > 0) throw new Error(`Folders without benchmarks: ${unknown.join(', ')}.`)
  return names
    .filter((name) => wanted.length === 0 || wanted.includes(name))
    .flatMap((name) => readdirSync(join(root, name)).map((file) => join(root, name, file)))
    .filter((path) => path.endsWith('.ts') && isProgram(path))
    .sort()
}

for (const path of findPrograms(process.argv.slice(2))) {
  const name = path.slice(import.meta.dirname.length + 1)
  process.stdout.write(`\n== ${name}\n`)
  const { status } = spawnSync(process.execPath, [path], { stdio: 'inherit' })
  if (status !== 0) {
    process.stdout.write(`${name} failed.\n`)
    process.exitCode = 1
  }
}
