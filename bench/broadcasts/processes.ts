// The same broadcast by one process and by two on one PostgreSQL, alternately: `node bench/broadcasts/processes.ts`.
// CONTACTS, ROUNDS. The server is that of the test suite, without fsync.
import { resolve } from 'node:path'
import { startPostgres } from '../../test/postgres-server.ts'
import { familyCpuSeconds } from '../family-cpu.ts'
import { startSmtpSink } from '../mailer/smtp-sink.ts'
import {
  type BenchService,
  type BroadcastRun,
  runBroadcast,
  seedService,
  startBenchService,
} from './service.ts'

const contactCount = Number(process.env['CONTACTS'] ?? 30_000)
const rounds = Number(process.env['ROUNDS'] ?? 2)
const profileFolder = process.env['PROFILE']

const sink = await startSmtpSink()
if (sink === undefined) {
  process.stdout.write('skipped: smtp-sink is not installed (Debian: postfix).\n')
} else {
  const postgres = await startPostgres()
  try {
    await compare(postgres.url, sink.port)
  } finally {
    await postgres.stop()
    await sink.stop()
  }
}

async function compare(url: string, port: number): Promise<void> {
  const first = await startBenchService(url)
  const options = { port, contactCount, hasText: true }
  const emails = await seedService(first, options)
  await first.stop()
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    const one = await run(url, 1, emails)
    const two = await run(url, 2, emails)
    ratios.push(two.perSecond / one.perSecond)
  }
  ratios.sort((left, right) => left - right)
  process.stdout.write(
    `two processes : one = ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}\n`,
  )
}

async function run(
  url: string,
  processCount: number,
  seeded: { emailId: number; segment: string },
): Promise<BroadcastRun> {
  const services: BenchService[] = []
  const nodeOptions =
    profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(profileFolder)}`]
  for (let count = 0; count < processCount; count++)
    services.push(await startBenchService(url, nodeOptions))
  try {
    const emailId = await copyEmail(services[0], seeded.emailId)
    const others = () => ['postgres', 'smtp-sink'].map((name) => familyCpuSeconds([name]))
    const before = others()
    const result = await runBroadcast(services, { ...seeded, emailId })
    const [database = 0, sinkCpu = 0] = others().map(
      (seconds, index) => ((seconds - (before[index] ?? 0)) / contactCount) * 1e6,
    )
    const own = result.cpuMicroseconds
    // Two processes on two cores share them with the database and the sink; one process has a core of its own.
    const most = (2 * own) / (own + database + sinkCpu)
    process.stdout.write(
      `PostgreSQL, ${processCount} process(es): ${result.perSecond.toFixed(0)} messages/s; CPU each: ` +
        `Mailyard ${own.toFixed(0)} us, PostgreSQL ${database.toFixed(0)} us, sink ${sinkCpu.toFixed(0)} us; ` +
        `so two cores allow no more than ${most.toFixed(2)} x one core\n`,
    )
    return result
  } finally {
    for (const service of services) await service.stop()
  }
}

/** Copies the email for each run, because a contact gets an email once. */
async function copyEmail(service: BenchService | undefined, id: number): Promise<number> {
  if (service === undefined) throw new Error('There is no service.')
  const { email } = await service.ask('GET', `/api/emails/${id}`)
  const { name, subject, fromAddress, fromName, customHtml, plainText, isTwig } = email
  const fields = { name, subject, fromAddress, fromName, customHtml, plainText, isTwig }
  const { email: copy } = await service.ask('POST', '/api/emails/new', fields)
  const path = '/api/multipleTransport/transportEmail'
  const { transportEmail } = await service.ask('GET', `${path}/${id}`)
  await service.ask('POST', `${path}/${copy.id}`, { transportId: transportEmail.transport.id })
  return copy.id
}
