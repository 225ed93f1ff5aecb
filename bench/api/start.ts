// From the start of the process to the first 200 of `/readyz`, on an existing database, and the memory of an
// idle service, compared with an empty Node process. Goal: 500 ms, 120 MB. `node bench/api/start.ts [main.js]`
import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { apiSettings, startMailyard } from '../../test/mailyard-process.ts'
import { median, print } from '../print.ts'
import { cpuSeconds, residentMegabytes } from '../process-usage.ts'
import { withScratchFolder } from './parts/scratch.ts'

const rounds = 9

async function runStartBench(folder: string): Promise<void> {
  const main = process.argv[2]
  const options = {
    databaseUrl: `sqlite:${join(folder, 'mailyard.db')}`,
    env: apiSettings,
    ...(main === undefined ? {} : { main: resolve(main) }),
  }
  const startsMs: number[] = []
  const cpuMs: number[] = []
  const emptyMs: number[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const emptyAt = performance.now()
    spawnSync(process.execPath, ['-e', '0'])
    emptyMs.push(performance.now() - emptyAt)
    const startedAt = performance.now()
    const service = await startMailyard(options)
    if ((await fetch(`${service.url}/readyz`)).status !== 200) throw new Error('It is not ready.')
    // The first start creates the database.
    if (round > 0) {
      startsMs.push(performance.now() - startedAt)
      cpuMs.push(cpuSeconds(service.pid) * 1_000)
    }
    if (round === rounds) {
      await setTimeout(8_000)
      print(`idle: ${residentMegabytes(service.pid).toFixed(0)} MB`)
    }
    await service.stop()
  }
  print(
    `to /readyz: median ${median(startsMs).toFixed(0)} ms, best ${Math.min(...startsMs).toFixed(0)} ms, ` +
      `${median(cpuMs).toFixed(0)} ms of processor time`,
  )
  print(
    `an empty Node process: ${median(emptyMs).toFixed(0)} ms; ratio ${(median(startsMs) / median(emptyMs)).toFixed(1)}`,
  )
}

if (import.meta.main) await withScratchFolder(runStartBench)
