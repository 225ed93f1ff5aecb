import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

// The libraries as npm hands them out: built, packed, unpacked into a program of somebody else's.

const root = new URL('../../', import.meta.url).pathname
const compilers = ['typescript-7/bin/tsc', 'typescript/bin/tsc'].map((path) =>
  join(root, 'node_modules', path),
)
let program: string

before(() => {
  const folder = mkdtempSync(join(tmpdir(), 'mailyard-package-'))
  program = join(folder, 'program')
  const package_ = join(folder, 'package')
  mkdirSync(package_)
  copyFileSync(join(root, 'package.json'), join(package_, 'package.json'))
  const project = join(root, 'tsconfig.build.json')
  runNode(compilers[0] ?? '', ['-p', project, '--outDir', join(package_, 'dist')], root)
  const packed = spawnSync('npm', ['pack', '--silent', '--ignore-scripts'], {
    cwd: package_,
    encoding: 'utf8',
  })
  assert.equal(packed.status, 0, packed.stderr)
  unpack(join(package_, packed.stdout.trim()))
  linkDependencies()
})
after(() => rmSync(join(program, '..'), { recursive: true }))

function unpack(tarball: string): void {
  const modules = join(program, 'node_modules')
  mkdirSync(modules, { recursive: true })
  const { status } = spawnSync('tar', ['-xzf', tarball, '-C', modules])
  assert.equal(status, 0)
  cpSync(join(modules, 'package'), join(modules, 'mailyard'), { recursive: true })
}

/** What npm would have installed with it: its dependencies, and nothing that it only needs to be made. */
function linkDependencies(): void {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    const link = join(program, 'node_modules', name)
    mkdirSync(join(link, '..'), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), link)
  }
}

function runNode(script: string, args: readonly string[], cwd: string): string {
  const run = spawnSync(process.execPath, [script, ...args], { cwd, encoding: 'utf8' })
  assert.equal(run.status, 0, run.stdout + run.stderr)
  return run.stdout
}

const source = `
import { composeMessage, createMailer, DsnError, maskDsn, parseDsn, type Transport } from 'mailyard/mailer'
import { createTwig, type HostFilter, Markup, type Twig, TwigError, type TwigOptions } from 'mailyard/twig'

const shout: HostFilter = (value) => new Markup(\`<b>\${value}</b>\`)
const options: TwigOptions = { filters: { shout }, limits: { steps: 100_000 } }
const twig: Twig = createTwig(options)
console.log(twig.renderSource('{{ a|shout }} {{ "**b**"|markdown_to_html }}', { a: 'x' }).trim())
// @ts-expect-error There is no such strategy.
createTwig({ autoescape: 'nope' })
try {
  twig.parse('{{ a|nope }}')
} catch (error) {
  if (error instanceof TwigError) console.log(error.kind, error.line satisfies number | undefined)
}
const transport: Transport = createMailer().open('null://null')
const message = await composeMessage({
  from: { name: '', address: 'a@example.com' },
  to: [{ name: '', address: 'b@example.com' }],
  subject: 'Hi',
  text: 'Hi',
})
console.log((await transport.send(message)).outcome, maskDsn('smtp://user:secret@localhost'))
await transport.close()
try {
  parseDsn('nope')
} catch (error) {
  console.log(error instanceof DsnError)
}
`

test('mailyard/twig and mailyard/mailer work from the built package', () => {
  writeFileSync(join(program, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(program, 'main.ts'), source)
  assert.equal(
    runNode(join(program, 'main.ts'), [], program),
    [
      '<b>x</b> <p><strong>b</strong></p>',
      'syntax 1',
      'accepted smtp://user:********@localhost',
      'true',
      '',
    ].join('\n'),
  )
})

test('their types hold under tsc --strict, without the types of Node or anything else', () => {
  writeFileSync(
    join(program, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        exactOptionalPropertyTypes: true,
        target: 'es2023',
        lib: ['es2023', 'dom'],
        module: 'nodenext',
        types: [],
        noEmit: true,
        skipLibCheck: false,
      },
      include: ['main.ts'],
    }),
  )
  for (const compiler of compilers) runNode(compiler, ['-p', program], program)
})

test('the package holds what runs, and no tests', () => {
  const dist = join(program, 'node_modules/mailyard/dist')
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  assert.deepEqual(
    files.filter((file) => /\.test\.|\.cases$|\.ts$/.test(file) && !file.endsWith('.d.ts')),
    [],
  )
  assert(files.includes('twig/index.js'))
})
