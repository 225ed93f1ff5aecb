import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { asAdmin } from '../../test/administrator.ts'
import { apiSettings, type MailyardProcess, startMailyard } from '../../test/mailyard-process.ts'
import { cpuSeconds, residentMegabytes } from '../process-usage.ts'
import { newsletter, newsletterTemplate } from './newsletter.ts'

/** A running Mailyard with a client that has administrator rights. */
export interface BenchService extends MailyardProcess {
  ask(method: string, path: string, body?: unknown): Promise<Answer>
}

// biome-ignore lint/suspicious/noExplicitAny: responses of the API.
type Answer = any

/** An empty folder for a database; `remove` deletes it. */
export function createBenchFolder(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'mailyard-bench-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Starts `mailyard serve` on a free port; `nodeOptions` such as `--cpu-prof`. */
export async function startBenchService(
  databaseUrl: string,
  nodeOptions: readonly string[] = [],
): Promise<BenchService> {
  const service = await startMailyard({ databaseUrl, env: apiSettings, nodeOptions })
  return {
    ...service,
    async ask(method, path, body) {
      const json = body === undefined ? {} : { 'content-type': 'application/json' }
      const answer = await fetch(`${service.url}${path}`, {
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

/** Creates a transport to the sink, a newsletter that uses it, and contacts in a segment. */
export async function seedService(
  service: BenchService,
  { port, contactCount, hasText }: { port: number; contactCount: number; hasText: boolean },
): Promise<{ emailId: number; segment: string }> {
  const segment = 'readers'
  const transport = await service.ask('POST', '/api/multipleTransports/new', {
    name: 'sink',
    mailerDsn: `smtp://127.0.0.1:${port}?restart_threshold=0`,
  })
  const { twigTemplate } = await service.ask('POST', '/api/twigTemplates/new', {
    name: 'points',
    template: newsletterTemplate,
  })
  const { subject, html, text } = newsletter(twigTemplate.id)
  const { email } = await service.ask('POST', '/api/emails/new', {
    name: 'Newsletter',
    subject,
    fromAddress: 'news@example.com',
    fromName: 'The shop',
    customHtml: html,
    ...(hasText ? { plainText: text } : {}),
    isTwig: true,
  })
  const path = `/api/multipleTransport/transportEmail/${email.id}`
  await service.ask('POST', path, { transportId: transport.id })
  for (let start = 0; start < contactCount; start += 5_000) {
    const contacts = Array.from({ length: Math.min(5_000, contactCount - start) }, (_, index) => ({
      email: `reader${start + index}@example.com`,
      firstname: `Reader ${start + index}`,
      city: index % 3 === 0 ? 'Zürich' : '',
      points: index % 100,
      tags: ['news', `group ${index % 7}`],
      segments: [segment],
    }))
    await service.ask('POST', '/api/contacts/batch/new', contacts)
  }
  return { emailId: email.id, segment }
}

/** The result of one broadcast. */
export interface BroadcastRun {
  perSecond: number
  /** The processor time of all services for one message. */
  cpuMicroseconds: number
  memoryMb: number
  uncertain: number
}

/** Sends the email to the segment and waits until the broadcast is done. */
export async function runBroadcast(
  services: readonly BenchService[],
  { emailId, segment }: { emailId: number; segment: string },
): Promise<BroadcastRun> {
  const [first] = services
  if (first === undefined) throw new Error('There is no service.')
  const cpu = () => services.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0)
  const cpuBefore = cpu()
  const startedAt = performance.now()
  const { job } = await first.ask('POST', `/api/emails/${emailId}/send`, { segment })
  let memoryMb = 0
  for (;;) {
    await setTimeout(200)
    memoryMb = Math.max(memoryMb, ...services.map(({ pid }) => residentMegabytes(pid)))
    const { broadcast } = await first.ask('GET', `/api/broadcasts/${job.id}`)
    if (broadcast.state !== 'done') continue
    const { total, accepted, uncertain } = broadcast
    if (accepted !== total) throw new Error(`Not all were accepted: ${JSON.stringify(broadcast)}`)
    const seconds = (performance.now() - startedAt) / 1_000
    const cpuMicroseconds = ((cpu() - cpuBefore) / total) * 1e6
    return { perSecond: total / seconds, cpuMicroseconds, memoryMb, uncertain }
  }
}
