// The same job by one process and by two on one PostgreSQL, in turn: `node bench/jobs/processes.ts`.
// CONTACTS, ROUNDS. The server is the test suite's, which does not wait for the disk.
import { resolve } from 'node:path'
import { startPostgres } from '../../test/postgres-server.ts'
import { startSmtpSink } from '../mailer/smtp-sink.ts'
import { familyCpuSeconds } from './family-cpu.ts'
import { type BenchYard, furnishYard, type JobRun, runJob, startBenchYard } from './yard.ts'

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
  const first = await startBenchYard(url)
  const options = { port, contactCount, hasText: true }
  const emails = await furnishYard(first, options)
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
  furnished: { emailId: number; segment: string },
): Promise<JobRun> {
  const yards: BenchYard[] = []
  const nodeOptions =
    profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(profileFolder)}`]
  for (let count = 0; count < processCount; count++)
    yards.push(await startBenchYard(url, nodeOptions))
  try {
    const emailId = await copyEmail(yards[0], furnished.emailId)
    const others = () => ['postgres', 'smtp-sink'].map(familyCpuSeconds)
    const before = others()
    const result = await runJob(yards, { ...furnished, emailId })
    const [database = 0, taker = 0] = others().map(
      (seconds, index) => ((seconds - (before[index] ?? 0)) / contactCount) * 1e6,
    )
    const own = result.cpuMicroseconds
    // Two processes on two cores share them with database and sink; one process has a core for itself.
    const most = (2 * own) / (own + database + taker)
    process.stdout.write(
      `PostgreSQL, ${processCount} process(es): ${result.perSecond.toFixed(0)} messages/s; CPU each: ` +
        `Mailyard ${own.toFixed(0)} us, PostgreSQL ${database.toFixed(0)} us, sink ${taker.toFixed(0)} us; ` +
        `so two cores allow no more than ${most.toFixed(2)} x one core\n`,
    )
    return result
  } finally {
    for (const yard of yards) await yard.stop()
  }
}

/** A contact gets an email once, so each run has one of its own. */
async function copyEmail(yard: BenchYard | undefined, id: number): Promise<number> {
  if (yard === undefined) throw new Error('There is no Mailyard.')
  const { email } = await yard.ask('GET', `/api/emails/${id}`)
  const { name, subject, fromAddress, fromName, customHtml, plainText, isTwig } = email
  const fields = { name, subject, fromAddress, fromName, customHtml, plainText, isTwig }
  const { email: copy } = await yard.ask('POST', '/api/emails/new', fields)
  const path = '/api/multipleTransport/transportEmail'
  const { transportEmail } = await yard.ask('GET', `${path}/${id}`)
  await yard.ask('POST', `${path}/${copy.id}`, { transportId: transportEmail.transport.id })
  return copy.id
}
