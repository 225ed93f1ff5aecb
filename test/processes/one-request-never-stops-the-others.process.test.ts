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
import { isFull, volume } from '../volume.ts'
import { attack, type HostileInput, type HostileTarget } from './hostile-input.ts'
import { httpInputs } from './http-inputs.ts'
import { renderInputs } from './render-inputs.ts'
import { smtpInputs } from './smtp-inputs.ts'
import { storedInputs, storeMuch } from './stored-inputs.ts'
import { watchService } from './watch-service.ts'

// Unbounded work takes minutes: these tests show that it ends. bench/api/hostile.ts measures how long others wait.

const memoryMaxMiB = 128
/** How often each input is sent at the same time. */
const atOnce = 50
/** Fifty lists of 100,000 take minutes: bench/api/hostile.ts has these. */
const rows = 10_000
/** After its start, the process gives back what that took. */
const settleMs = 6_000
/** How long memory that is not needed may stay: a release that freed little delays the next, by five minutes at most. */
const releasedMs = 330_000

const requests = [...httpInputs, ...smtpInputs]
/** `npm test` sends every fourth request, and renders every tenth template. `HOSTILE_ONLY`, a pattern of names, chooses some. */
const chosen = new RegExp(process.env['HOSTILE_ONLY'] ?? '')
const every = (count: number) => (_input: HostileInput, index: number) =>
  index % volume({ short: count, full: 1 }) === 0
const inputs = [...requests.filter(every(4)), ...renderInputs.filter(every(10))].filter(
  ({ name }) => chosen.test(name),
)
/** `npm test` sends those many times at once that need no minutes: queries, a head, bodies and a template. The full form sends all. */
const sample = [
  '20,000 clauses',
  'If-Match of 60,000 tags',
  'JSON nested 8 million deep',
  'a form of 19,000 nested keys',
  '190,001 items',
  renderInputs[0]?.name,
]
const repeated = [...storedInputs, ...requests, ...renderInputs].filter(
  ({ name }) => chosen.test(name) && (isFull || sample.includes(name)),
)

let mailyard: MailyardProcess
let watch: ReturnType<typeof watchService>

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

/** Sends each input `count` times at once, one input after the other. All are answered, and so are others. */
async function sendAll(
  some: readonly HostileInput[],
  target: HostileTarget,
  count: number,
): Promise<void> {
  const failures: string[] = []
  for (const input of some) {
    const sent = await Promise.allSettled(Array.from({ length: count }, () => input.send(target)))
    for (const each of sent)
      if (each.status === 'rejected' && !isCutOff(each.reason))
        failures.push(`${input.name}: ${inspect(each.reason)}`)
    const { gapMs } = await watch.look()
    if (!Number.isFinite(gapMs)) failures.push(`${input.name}: others were not answered`)
  }
  assert.deepEqual(failures, [])
}

/** What is too large may be answered while it is still being sent. */
function isCutOff(error: unknown): boolean {
  return error instanceof Error && /ECONNRESET|EPIPE|socket hang up/.test(error.message)
}

const residentMiB = async () => (await watch.look()).nowMiB

/** What Mailyard holds. After fifty of each, glibc keeps some 600 MiB that were freed in pieces. */
async function heldMiB(target: HostileTarget): Promise<number> {
  const { text } = await target.ask({ path: '/metrics' })
  const read = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
  const heldBytes = read('nodejs_heap_size_used_bytes') + read('nodejs_external_memory_bytes')
  return heldBytes / 1_048_576
}

/** Fails if much more memory is taken than when it was idle; it has some time to give it back. */
async function checkMemory(measureMiB: () => Promise<number>, idleMiB: number): Promise<void> {
  const grown = async () => Math.round((await measureMiB()) - idleMiB)
  const deadline = performance.now() + releasedMs
  while ((await grown()) >= memoryMaxMiB && performance.now() < deadline) await setTimeout(1_000)
  const grownMiB = await grown()
  assert.ok(grownMiB < memoryMaxMiB, `${grownMiB} MiB more than when it was idle`)
}

test('each hostile request ends, and gives back the memory that it took', async () => {
  assert.ok(inputs.length > 0)
  const target = attack(mailyard)
  await warmUp(target)
  await setTimeout(settleMs)
  const idleMiB = await residentMiB()
  await sendAll(inputs, target, 1)
  await checkMemory(residentMiB, idleMiB)
  assert.equal((await target.ask({ path: '/api/users/self' })).status, 200)
})

test('so do fifty of each at once, and none of it is held', async () => {
  const target = attack(mailyard)
  const measureMiB = isFull ? () => heldMiB(target) : residentMiB
  const idleMiB = await measureMiB()
  if (isFull) await storeMuch(target, rows)
  assert.ok(repeated.length > 0)
  await sendAll(repeated, target, atOnce)
  await checkMemory(measureMiB, idleMiB)
  assert.equal((await target.ask({ path: '/api/users/self' })).status, 200)
})
