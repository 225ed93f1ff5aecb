import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { MailyardProcess } from '../../test/mailyard-process.ts'

/** The Node options of a service whose statements are counted. */
export const countingStatements = ['--import', join(import.meta.dirname, 'statement-counter.ts')]

/** What a service sent to PostgreSQL. */
export interface StatementCounts {
  statements: number
  commits: number
}

/** Runs work, and returns what the service sent to PostgreSQL meanwhile. */
export async function countStatements(
  service: MailyardProcess,
  work: () => Promise<unknown>,
): Promise<StatementCounts> {
  await readCounts(service)
  await work()
  return readCounts(service)
}

async function readCounts(service: MailyardProcess): Promise<StatementCounts> {
  const seen = service.output().length
  service.kill('SIGUSR2')
  for (;;) {
    await setTimeout(20)
    const counted = /counted (\d+) statements, (\d+) commits/.exec(service.output().slice(seen))
    if (counted !== null) return { statements: Number(counted[1]), commits: Number(counted[2]) }
  }
}
