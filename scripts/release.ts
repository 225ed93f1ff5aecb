import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

/**
 * Makes the files of a release in `release/`: the tarball, its bill of materials (CycloneDX) and their checksums. Checks before what
 * goes in, and afterwards the tarball: npm installs it into an empty folder, where it migrates, serves and sends. It publishes nothing:
 * `--tag` adds the tag of Git, and the last lines say what is left to do.
 */
const { tag = false } = parseArgs({ options: { tag: { type: 'boolean' } } }).values
const root = join(import.meta.dirname, '..')
const folder = join(root, 'release')
const { version } = readJson('package.json')
const tarball = `mailyard-${version}.tgz`

function readJson(path: string): { version: string } {
  return JSON.parse(readFileSync(join(root, path), 'utf8'))
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
}

/** Runs a program to its end and shows what it writes. Whether it was a success. */
function isDone(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): boolean {
  const options = { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } } as const
  return spawnSync(command, args, options).status === 0
}

function* findFaults(): Generator<string> {
  if (git('status', '--porcelain') !== '') yield 'The tree has changes: commit them.'
  if (git('tag', '--list', `v${version}`) !== '') yield `The tag v${version} exists already.`
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const [, newest, date] = /^## (\S+) ?(?:\((\d{4}-\d\d-\d\d)\))?/m.exec(changelog) ?? []
  if (newest !== version)
    yield `CHANGELOG.md begins with ${newest}, and package.json has ${version}.`
  if (date === undefined)
    yield `The entry of ${newest} in CHANGELOG.md has no date: "(YYYY-MM-DD)".`
  if (readJson('package-lock.json').version !== version)
    yield 'package-lock.json has another version: run npm install --package-lock-only.'
  if (!readFileSync(join(root, 'compose.yaml'), 'utf8').includes(`mailyard:${version}\n`))
    yield 'compose.yaml names the image of another version.'
  if (globSync(`test/upgrades/${version}*`, { cwd: root }).length === 0)
    yield `Run node test/upgrades/make.ts ${version}, and commit what it makes.`
  if (!isDone('npm', ['run', '--silent', 'check:docs']))
    yield 'Pages or generated files are wrong: run npm run docs.'
}

function makeFiles(): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  const npm = (...args: string[]) => execFileSync('npm', args, { cwd: root, encoding: 'utf8' })
  npm('pack', '--silent', '--pack-destination', folder)
  const materials = npm('sbom', '--omit=dev', '--sbom-format=cyclonedx', '--sbom-type=application')
  writeFileSync(join(folder, `mailyard-${version}.cdx.json`), materials)
  const sums = readdirSync(folder).map((name) => {
    const sum = createHash('sha256').update(readFileSync(join(folder, name)))
    return `${sum.digest('hex')}  ${name}\n`
  })
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''))
}

function isTarballGood(): boolean {
  const tests = globSync('test/package/*.test.ts', { cwd: root })
  const env = { MAILYARD_TEST_FULL: '1', TEST_TARBALL: join(folder, tarball) }
  return isDone(process.execPath, ['--test', '--test-isolation=none', ...tests], env)
}

function fail(faults: readonly string[]): never {
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  process.exit(1)
}

const faults = [...findFaults()]
if (faults.length > 0) fail(faults)
makeFiles()
if (!existsSync(join(folder, tarball)) || !isTarballGood()) fail([`${tarball} is not good.`])
if (tag) git('tag', '--annotate', `v${version}`, '--message', `Mailyard ${version}`)
const left = [
  ...(tag ? [] : ['npm run release -- --tag']),
  `git push origin v${version}`,
  `npm publish release/${tarball}`,
]
process.stdout.write(`${readFileSync(join(folder, 'SHA256SUMS'), 'utf8')}\nLeft to do:\n`)
for (const command of left) process.stdout.write(`  ${command}\n`)
process.stdout.write('  and attach the files of release/ to the release of the tag.\n')
