// Renders of one email per second by this engine, PHP's Twig and twing, in one run: `node bench/twig/email.ts`.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSynchronousArrayLoader, createSynchronousEnvironment } from 'twing'
import { createTwig } from '../../src/libraries/twig/index.ts'
import { emailContext, emailTemplates } from './email-templates.ts'

const name = 'order.html.twig'
const rounds = 5
/** The goals: how many times as fast as the others. */
const wanted = { php: 1.5, twing: 10 }

interface Result {
  readonly engine: string
  /** The time of one render, in the fastest round. */
  readonly microseconds: number
  readonly output: string
}

/** The result of each engine; PHP's is undefined if it is not installed. */
export function runEmailBench(): { ours: Result; php: Result | undefined; twing: Result } {
  return { ours: measureOurs(), php: measurePhp(), twing: measureTwing() }
}

function measure(engine: string, renders: number, render: () => string): Result {
  const output = render()
  for (let i = 0; i < renders; i++) render()
  let microseconds = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    // Reading a character forces V8 to flatten the string.
    for (let i = 0; i < renders; i++) render().charCodeAt(output.length - 1)
    microseconds = Math.min(microseconds, ((performance.now() - start) * 1000) / renders)
  }
  return { engine, microseconds, output }
}

function measureOurs(): Result {
  const twig = createTwig({ loader: new Map(emailTemplates) })
  return measure('mailyard/twig', 20_000, () => twig.render(name, emailContext))
}

function measureTwing(): Result {
  const loader = createSynchronousArrayLoader(Object.fromEntries(emailTemplates))
  const environment = createSynchronousEnvironment(loader, { autoEscapingStrategy: 'html' })
  const template = environment.loadTemplate(name)
  return measure('twing 7.3.1', 1_000, () => template.render(environment, emailContext))
}

function measurePhp(): Result | undefined {
  const autoload = '/usr/share/php/Twig/autoload.php'
  if (!existsSync(autoload)) return undefined
  const cache = mkdtempSync(join(tmpdir(), 'twig-bench-'))
  const script = new URL('email.php', import.meta.url).pathname
  const input = JSON.stringify({
    templates: Object.fromEntries(emailTemplates),
    name,
    context: emailContext,
    renders: 10_000,
    rounds,
  })
  const options = ['-d', 'opcache.enable_cli=1', '-d', 'opcache.file_update_protection=0']
  const run = spawnSync('php', [...options, script, autoload, cache], { input })
  rmSync(cache, { recursive: true })
  if (run.status !== 0) return undefined
  const { microseconds, output, version, php, opcache } = JSON.parse(run.stdout.toString())
  const engine = `PHP Twig ${version} (PHP ${php}, opcache ${opcache ? 'on' : 'off'})`
  return { engine, microseconds, output }
}

function line(result: Result, ours: Result, aim?: number): string {
  const perSecond = Math.round(1e6 / result.microseconds).toLocaleString('en')
  const ratio = (result.microseconds / ours.microseconds).toFixed(2)
  const same = result.output === ours.output ? 'same output' : 'OTHER OUTPUT'
  const line = `${result.engine}: ${perSecond} renders per second`
  return aim === undefined
    ? line
    : `${line}; ours is ${ratio} times as fast (goal: ${aim}); ${same}`
}

if (import.meta.main) {
  const { ours, php, twing } = runEmailBench()
  const lines = [
    `an email of ${ours.output.length} characters, ${emailTemplates.length} templates`,
    line(ours, ours),
    php === undefined
      ? 'PHP Twig: skipped, php-cli and php-twig are not installed'
      : line(php, ours, wanted.php),
    line(twing, ours, wanted.twing),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}
