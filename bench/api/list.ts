// The list of 100,000 transports: memory above idle and how long the event loop is blocked, compared with a bare handler
// that reads all rows and writes one JSON text. Goal: at most 50 MB and 50 ms. `node bench/api/list.ts`
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { asAdmin } from '../../test/administrator.ts'
import { apiSettings, type MailyardProcess, startMailyard } from '../../test/mailyard-process.ts'
import { megabytes, print } from '../print.ts'
import { residentMegabytes } from '../process-usage.ts'
import { loopHeldMs, watchLoop } from './parts/loop-held.ts'
import { withScratchFolder } from './parts/scratch.ts'
import { createTransports, transports } from './parts/transports.ts'

const count = 100_000
const batch = 10_000
const rounds = 3

async function runListBench(folder: string): Promise<void> {
  const options = { databaseUrl: `sqlite:${join(folder, 'mailyard.db')}`, env: apiSettings }
  const filled = await startMailyard(options)
  const body = JSON.stringify(transports(batch))
  for (let done = 0; done < count; done += batch) await createTransports(filled, body)
  await filled.stop()

  const ours = await startMailyard({ ...options, nodeOptions: watchLoop })
  await measure('Mailyard', ours)
  await ours.stop()
  const main = join(import.meta.dirname, 'parts/bare-list.ts')
  const bare = await startMailyard({ ...options, nodeOptions: watchLoop, main })
  await measure('all at once', bare)
  await bare.stop()
}

async function measure(name: string, service: MailyardProcess): Promise<void> {
  await read(service, '/api/multipleTransports?limit=1')
  // The memory of the start is released some seconds later.
  await setTimeout(6_000)
  const idle = residentMegabytes(service.pid)
  await loopHeldMs(service)
  for (let round = 0; round < rounds; round += 1) {
    let highest = idle
    const watch = setInterval(() => {
      highest = Math.max(highest, residentMegabytes(service.pid))
    }, 20)
    const startedAt = performance.now()
    const bytes = await read(service, '/api/multipleTransports')
    const ms = performance.now() - startedAt
    clearInterval(watch)
    print(
      `${name}: ${megabytes(bytes)} in ${ms.toFixed(0)} ms, ${(highest - idle).toFixed(0)} MB above idle ` +
        `(${idle.toFixed(0)} MB), event loop held for ${await loopHeldMs(service)} ms at most`,
    )
  }
}

/** Reads a response and discards it. */
async function read({ url }: MailyardProcess, path: string): Promise<number> {
  const answer = await fetch(url + path, { headers: { authorization: asAdmin } })
  if (answer.status !== 200) throw new Error(await answer.text())
  let bytes = 0
  for await (const chunk of answer.body ?? []) bytes += (chunk as Uint8Array).length
  return bytes
}

if (import.meta.main) await withScratchFolder(runListBench)
