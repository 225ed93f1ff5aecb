// Messages per second of a broadcast to Postfix's smtp-sink, from the request to the last outcome on disk:
// `node bench/broadcasts/throughput.ts`. CONTACTS, TEXT=made, PROFILE=folder.
import { join, resolve } from 'node:path'
import { startSmtpSink } from '../mailer/smtp-sink.ts'
import { createBenchFolder, runBroadcast, seedService, startBenchService } from './service.ts'

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
  let service = await startBenchService(url)
  try {
    const seeded = await seedService(service, { port: sink.port, contactCount, hasText })
    // Creating the contacts is not measured.
    await service.stop()
    service = await startBenchService(url, nodeOptions)
    const run = await runBroadcast([service], seeded)
    process.stdout.write(
      `SQLite, ${contactCount} contacts, text ${hasText ? 'given' : 'made from the HTML'}: ` +
        `${run.perSecond.toFixed(0)} messages/s, ${run.cpuMicroseconds.toFixed(0)} us CPU each, ` +
        `${run.memoryMb.toFixed(0)} MB at most\n`,
    )
  } finally {
    await service.stop()
    await sink.stop()
    remove()
  }
}
