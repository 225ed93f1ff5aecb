import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { volume } from '../volume.ts'

export const root = join(import.meta.dirname, '../..')

/** Whether npm installs the package with its dependencies from the registry; else those of this checkout are linked. */
export const isInstalledByNpm = volume({ short: 0, full: 1 }) === 1

/** Node 24 goes first, as on a machine that Mailyard is installed on. */
const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` }

/** Runs a program to its end, which has to be a success; returns its output. */
export function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
  assert.equal(status, 0, stdout + stderr)
  return stdout
}

/** Compiles with a version of TypeScript that the project has. */
export function compile(version: 'typescript' | 'typescript-7', args: readonly string[]): void {
  run(process.execPath, [join(root, 'node_modules', version, 'bin/tsc'), ...args], root)
}

let installed: string | undefined

/** A folder with the package as npm installs it, created once for all tests of the process. */
export function installPackage(): string {
  if (installed !== undefined) return installed
  const folder = mkdtempSync(join(tmpdir(), 'mailyard-package-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const tarball = process.env['TEST_TARBALL'] ?? pack(folder)
  const program = join(folder, 'program')
  mkdirSync(program)
  if (isInstalledByNpm) {
    const options = ['--prefer-offline', '--no-audit', '--no-fund', '--omit=dev']
    run('npm', ['install', ...options, tarball], program)
  } else unpack(tarball, join(program, 'node_modules'))
  installed = program
  return program
}

/** The full path of a tarball of this checkout; `npm run release` gives its own. */
function pack(folder: string): string {
  const source = isInstalledByNpm ? root : buildPackage(folder)
  const scripts = isInstalledByNpm ? [] : ['--ignore-scripts']
  run('npm', ['pack', '--silent', ...scripts, '--pack-destination', folder], source)
  return join(folder, readdirSync(folder).find((name) => /^mailyard-.*\.tgz$/.test(name)) ?? '')
}

/** What `npm pack` starts from, with a build of its own: others may use `dist` of the checkout meanwhile. */
function buildPackage(folder: string): string {
  const source = join(folder, 'source')
  const files = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md']
  for (const name of [...files, 'docs', 'ops', 'packaging', 'web/dist'])
    cpSync(join(root, name), join(source, name), { recursive: true })
  const project = join(root, 'tsconfig.build.json')
  compile('typescript-7', ['-p', project, '--outDir', join(source, 'dist')])
  return source
}

/** Links what npm would have installed: the dependencies, and nothing that only a build needs. */
function unpack(tarball: string, modules: string): void {
  const target = join(modules, 'mailyard')
  mkdirSync(target, { recursive: true })
  run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1'], modules)
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    const link = join(modules, name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), link)
  }
}
