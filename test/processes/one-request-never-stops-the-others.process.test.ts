import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { inspect } from 'node:util'
import {
  apiSettings,
  type MailyardProcess,
  sourceMain,
  startMailyard,
} from '../mailyard-process.ts'
import { twigInputs } from '../templates/twig-inputs.ts'
import { isFull, volume } from '../volume.ts'
import { attack, type HostileInput, type HostileTarget } from './hostile-input.ts'
import { httpInputs } from './http-inputs.ts'
import { smtpInputs } from './smtp-inputs.ts'
import { storedInputs, storeMuch } from './stored-inputs.ts'
import { type Watched, watchService } from './watch-service.ts'

/** Unbounded work takes minutes, and `npm test` shows that it ends. On a machine of its own, the soak measures how long others wait. */
const gapMaxMs = volume({ short: Number.POSITIVE_INFINITY, full: 250 })
const memoryMaxMiB = 128
/** How often each input is sent at the same time, and what memory they may take together. */
const atOnce = 50
const peakMaxMiB = 256
/** After its start, the process gives back what that took. */
const settleMs = 6_000
/** How long memory that is not needed may stay: a release that freed little delays the next. */
const releasedMs = 180_000

/** `npm test` sends every fourth request, and renders every tenth template. */
const everySoMany = volume({ short: 10, full: 1 })
const renders: readonly HostileInput[] = twigInputs
  .filter((_input, index) => index % everySoMany === 0)
  .map(({ name, template, context = {} }) => ({
    name: `render: ${name}`,
    send: (target) =>
      target.ask({
        method: 'POST',
        path: '/api/twigTemplates/render',
        body: { template, context },
      }),
  }))
const requests = [...httpInputs, ...smtpInputs]
const all: readonly HostileInput[] = [...requests, ...renders]
/** `HOSTILE_ONLY`, a pattern of names, chooses some. */
const chosen = new RegExp(process.env['HOSTILE_ONLY'] ?? '')
const isSent = (_input: HostileInput, index: number) =>
  index >= requests.length || index % volume({ short: 4, full: 1 }) === 0
const inputs = all.filter(isSent).filter(({ name }) => chosen.test(name))
/** `npm test` sends those many times at once that need no minutes: queries, a head, bodies and a template. The full form sends all. */
const sample = [
  '20,000 clauses',
  'If-Match of 60,000 tags',
  'JSON nested 8 million deep',
  'a form of 19,000 nested keys',
  '190,001 items',
  renders[0]?.name,
]
const repeated = [...storedInputs, ...all].filter(
  ({ name }) => chosen.test(name) && (isFull || sample.includes(name)),
)

let mailyard: MailyardProcess
let watch: ReturnType<typeof watchService>
let idleMiB = 0

before(async () => {
  const { MAILYARD_SMTP_PORT: _closed, ...settings } = apiSettings
  const env = { ...settings, MAILYARD_MAILER_DSN: 'null://null' }
  mailyard = await startMailyard({ env, main: sourceMain })
  watch = watchService(mailyard)
})

after(async () => {
  await watch.stop()
  await mailyard.stop()
})

/** What a service has after its first hour; where it is idle, its memory is known. */
async function warmUp(target: HostileTarget): Promise<void> {
  const make = (path: string, body: object) => target.ask({ method: 'POST', path, body })
  await make('/api/contacts/new', { email: 'ann@example.com', firstname: 'Ann' })
  const description = 'a'.repeat(65_000)
  const rows = Array.from({ length: 20 }, (_, each) => ({
    name: `row ${each}`,
    template: 'x',
    description,
  }))
  await make('/api/twigTemplates/batch/new', { ...rows })
  await target.submit(Buffer.from('Subject: s\r\n\r\nx\r\n.\r\n'))
  // Libraries are loaded when a template first asks for them, and stay.
  const template = `{{ '*a*'|markdown_to_html|inline_css('p{color:red}')|html_to_markdown|slug }}
    {{ 'word'|plural }}{{ 1|format_currency('EUR') }}{{ 1|format_datetime }}{{ 'DE'|country_name }}
    {{ 'a' matches '/a/' }}{{ 'é'|u.ascii }}{{ timezone_names()|length }}`
  await make('/api/twigTemplates/render', { template })
}

test('no request keeps others waiting, nor keeps the memory that it took', async () => {
  assert.ok(all.length >= volume({ short: 30, full: 80 }), `${all.length} inputs`)
  const target = attack(mailyard)
  await warmUp(target)
  await setTimeout(settleMs)
  idleMiB = (await watch.look()).nowMiB
  const failures: string[] = []
  for (const input of inputs) {
    const { seen, errors } = await sendWatched(input, target, { count: 1 })
    const fault = faultOf(seen, errors)
    if (fault !== undefined) failures.push(`${input.name}: ${fault}`)
  }
  assert.deepEqual(failures, [])
  const grown = await settledGrowth()
  assert.ok(grown < memoryMaxMiB, `${grown} MiB more than when it was idle`)
  assert.equal((await target.ask({ path: '/api/users/self' })).status, 200)
})

test('nor do fifty such requests at once', async () => {
  const target = attack(mailyard)
  if (isFull) await storeMuch(target)
  const failures: string[] = []
  assert.ok(repeated.length >= sample.length || process.env['HOSTILE_ONLY'] !== undefined)
  for (const input of repeated) {
    const { nowMiB } = await watch.look()
    const { seen, errors } = await sendWatched(input, target, { count: atOnce })
    // What the inputs before it took is not given back at once.
    const grown = Math.round(seen.residentMiB - Math.max(nowMiB, idleMiB))
    if (grown > peakMaxMiB) failures.push(`${input.name}: ${grown} MiB more than before`)
    const fault = faultOf(seen, errors)
    if (fault !== undefined) failures.push(`${input.name}: ${fault}`)
  }
  assert.deepEqual(failures, [])
  assert.equal((await target.ask({ path: '/api/users/self' })).status, 200)
})

/** Sends an input, `count` times at once. */
async function sendWatched(
  input: HostileInput,
  target: HostileTarget,
  { count }: { count: number },
): Promise<{ seen: Watched; errors: unknown[] }> {
  const sent = await Promise.allSettled(Array.from({ length: count }, () => input.send(target)))
  await setTimeout(30)
  const seen = await watch.look()
  const errors = sent.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  return { seen, errors }
}

/** How many MiB more than when it was idle are left; it has some time to give them back. */
async function settledGrowth(): Promise<number> {
  const deadline = performance.now() + releasedMs
  for (;;) {
    await setTimeout(1_000)
    const grown = Math.round((await watch.look()).nowMiB - idleMiB)
    if (grown < memoryMaxMiB || performance.now() > deadline) return grown
  }
}

function faultOf({ gapMs, wallMs }: Watched, errors: readonly unknown[]): string | undefined {
  if (gapMs > gapMaxMs || !Number.isFinite(gapMs))
    return `others waited while it worked ${gapMs} ms (${Math.round(wallMs)} ms)`
  // What is too large may be answered while it is still being sent.
  const isCutOff = (error: unknown) =>
    error instanceof Error && /ECONNRESET|EPIPE|socket hang up/.test(error.message)
  const unanswered = errors.filter((error) => !isCutOff(error))
  return unanswered.length === 0 ? undefined : `it was not answered: ${inspect(unanswered[0])}`
}
