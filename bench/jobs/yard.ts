import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { asAdmin } from '../../test/administrator.ts'
import { apiSettings, type MailyardProcess, startMailyard } from '../../test/mailyard-process.ts'
import { cpuSeconds, residentMegabytes } from '../process-usage.ts'
import { newsletter, newsletterTemplate } from './newsletter.ts'

/** A Mailyard that is asked as its administrator. */
export interface BenchYard extends MailyardProcess {
  ask(method: string, path: string, body?: unknown): Promise<Answer>
}

// biome-ignore lint/suspicious/noExplicitAny: answers of the API, read at once.
type Answer = any

/** An empty folder for a database; `remove` deletes it. */
export function createBenchFolder(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'mailyard-bench-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Starts `mailyard serve` on a free port; `nodeOptions` such as `--cpu-prof`. */
export async function startBenchYard(
  databaseUrl: string,
  nodeOptions: readonly string[] = [],
): Promise<BenchYard> {
  const yard = await startMailyard({ databaseUrl, env: apiSettings, nodeOptions })
  return {
    ...yard,
    async ask(method, path, body) {
      const json = body === undefined ? {} : { 'content-type': 'application/json' }
      const answer = await fetch(`${yard.url}${path}`, {
        method,
        headers: { authorization: asAdmin, ...json },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`)
      return JSON.parse(text)
    },
  }
}

/** Makes a transport to the sink, a newsletter that leaves through it, and contacts in a segment. */
export async function furnishYard(
  yard: BenchYard,
  { port, contactCount, hasText }: { port: number; contactCount: number; hasText: boolean },
): Promise<{ emailId: number; segment: string }> {
  const segment = 'readers'
  const transport = await yard.ask('POST', '/api/multipleTransports/new', {
    name: 'sink',
    mailerDsn: `smtp://127.0.0.1:${port}?restart_threshold=0`,
  })
  const { twigTemplate } = await yard.ask('POST', '/api/twigTemplates/new', {
    name: 'points',
    template: newsletterTemplate,
  })
  const { subject, html, text } = newsletter(twigTemplate.id)
  const { email } = await yard.ask('POST', '/api/emails/new', {
    name: 'Newsletter',
    subject,
    fromAddress: 'news@example.com',
    fromName: 'The shop',
    customHtml: html,
    ...(hasText ? { plainText: text } : {}),
    isTwig: true,
  })
  const path = `/api/multipleTransport/transportEmail/${email.id}`
  await yard.ask('POST', path, { transportId: transport.id })
  for (let start = 0; start < contactCount; start += 5_000) {
    const contacts = Array.from({ length: Math.min(5_000, contactCount - start) }, (_, index) => ({
      email: `reader${start + index}@example.com`,
      firstname: `Reader ${start + index}`,
      city: index % 3 === 0 ? 'Zürich' : '',
      points: index % 100,
      tags: ['news', `group ${index % 7}`],
      segments: [segment],
    }))
    await yard.ask('POST', '/api/contacts/batch/new', contacts)
  }
  return { emailId: email.id, segment }
}

/** How a job went. */
export interface JobRun {
  perSecond: number
  /** Of the sender's processor time, for one message. */
  cpuMicroseconds: number
  memoryMb: number
  uncertain: number
}

/** Sends to the segment and waits for the end. */
export async function runJob(
  yards: readonly BenchYard[],
  { emailId, segment }: { emailId: number; segment: string },
): Promise<JobRun> {
  const [first] = yards
  if (first === undefined) throw new Error('There is no Mailyard.')
  const cpu = () => yards.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0)
  const cpuBefore = cpu()
  const startedAt = performance.now()
  const { job } = await first.ask('POST', `/api/emails/${emailId}/send`, { segment })
  let memoryMb = 0
  for (;;) {
    await setTimeout(200)
    memoryMb = Math.max(memoryMb, ...yards.map(({ pid }) => residentMegabytes(pid)))
    const { sending } = await first.ask('GET', `/api/sendings/${job.id}`)
    if (sending.status !== 'done') continue
    const { total, accepted, uncertain } = sending
    if (accepted !== total) throw new Error(`Not all were accepted: ${JSON.stringify(sending)}`)
    const seconds = (performance.now() - startedAt) / 1_000
    const cpuMicroseconds = ((cpu() - cpuBefore) / total) * 1e6
    return { perSecond: total / seconds, cpuMicroseconds, memoryMb, uncertain }
  }
}
