import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { compile, installPackage, isInstalledByNpm, run } from './install-package.ts'

// The libraries as published: built, packed and installed into a program.

let program: string

before(() => {
  program = installPackage()
})

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
  writeFileSync(join(program, 'main.mts'), source)
  assert.equal(
    run(process.execPath, ['main.mts'], program),
    [
      '<b>x</b> <p><strong>b</strong></p>',
      'syntax 1',
      'accepted smtp://user:********@localhost',
      'true',
      '',
    ].join('\n'),
  )
})

test('their types compile under tsc --strict, without other type packages', () => {
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
      include: ['main.mts'],
    }),
  )
  compile('typescript-7', ['-p', program])
  if (isInstalledByNpm) compile('typescript', ['-p', program])
})

test('the package contains the built program, and no tests', () => {
  const dist = join(program, 'node_modules/mailyard/dist')
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  assert.deepEqual(
    files.filter((file) => /\.test\.|\.cases$|\.ts$/.test(file) && !file.endsWith('.d.ts')),
    [],
  )
  assert(files.includes('libraries/twig/index.js'))
})
