// Every benchmark, one after the other, each in a process of its own: `npm run bench`, or those of some rooms:
// `npm run bench -- twig mailer`.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Programs say so themselves; the other files are what they are made of. */
const isProgram = (path: string): boolean => readFileSync(path, 'utf8').includes('import.meta.main')

function findPrograms(rooms: readonly string[]): string[] {
  const root = import.meta.dirname
  const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const names = folders.map(({ name }) => name).sort()
  const unknown = rooms.filter((room) => !names.includes(room))
  if (unknown.length > 0) throw new Error(`There are no benchmarks of ${unknown.join(', ')}.`)
  return names
    .filter((name) => rooms.length === 0 || rooms.includes(name))
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
