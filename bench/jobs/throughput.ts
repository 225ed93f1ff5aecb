// Messages a second of a job to Postfix's smtp-sink, from the request to the last outcome on disk:
// `node bench/jobs/throughput.ts`. CONTACTS, TEXT=made, PROFILE=folder.
import { join, resolve } from 'node:path'
import { startSmtpSink } from '../mailer/smtp-sink.ts'
import { createBenchFolder, furnishYard, runJob, startBenchYard } from './yard.ts'

const contactCount = Number(process.env['CONTACTS'] ?? 100_000)
const hasText = process.env['TEXT'] !== 'made'
const profileFolder = process.env['PROFILE']

const sink = await startSmtpSink()
if (sink === undefined) {
  process.stdout.write('skipped: smtp-sink is not installed (Debian: postfix).\n')
} else {
  const { folder, remove } = createBenchFolder()
  const nodeOptions =
    profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(profileFolder)}`]
  const url = `sqlite:${join(folder, 'mailyard.db')}`
  let yard = await startBenchYard(url)
  try {
    const furnished = await furnishYard(yard, { port: sink.port, contactCount, hasText })
    // What the contacts took is no part of it.
    await yard.stop()
    yard = await startBenchYard(url, nodeOptions)
    const run = await runJob([yard], furnished)
    process.stdout.write(
      `SQLite, ${contactCount} contacts, text ${hasText ? 'given' : 'made from the HTML'}: ` +
        `${run.perSecond.toFixed(0)} messages/s, ${run.cpuMicroseconds.toFixed(0)} us CPU each, ` +
        `${run.memoryMb.toFixed(0)} MB at most\n`,
    )
  } finally {
    await yard.stop()
    await sink.stop()
    remove()
  }
}
