import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { type SmtpMode, smtpModes } from '../../src/kit/smtp-mode.ts'
import { testDatabases } from '../databases.ts'
import { volume } from '../volume.ts'
import { repeatTriggers, runCrashes, shareOf } from './crashes.ts'
import { type MachineFailure, openFailingMachine } from './failing-machine.ts'
import { type KillTrigger, machineTriggers, powerTriggers } from './kill-triggers.ts'
import { openScriptedUpstream } from './scripted-upstream.ts'

/** How often the machine of each combination fails. Together they fail at every step. */
const failures = volume({ short: 4, full: 50 })

interface Combination {
  databaseName: string
  mode: SmtpMode
}

const combinations: Combination[] = testDatabases.flatMap(({ name: databaseName }) =>
  smtpModes.map((mode) => ({ databaseName, mode })),
)

/** The triggers of a combination. */
function triggersOf(index: number, failure: MachineFailure): KillTrigger[] {
  const about = { combinations: combinations.length, triggers: machineTriggers }
  return repeatTriggers(failure === 'killed' ? shareOf(index, about) : powerTriggers, failures)
}

async function fail(index: number, failure: MachineFailure, context: TestContext): Promise<void> {
  const { databaseName, mode } = combinations[index] ?? assert.fail()
  const upstream = await openScriptedUpstream()
  const { port: upstreamPort } = upstream
  const relay = await openFailingMachine({ databaseName, failure, mode, upstreamPort })
  try {
    await runCrashes({
      ...{ relay, upstreams: [upstream], mode, databaseUrl: () => relay.databaseUrl },
      async watch(notice) {
        relay.onCommit = (step) => notice('database', step)
        return async () => {
          relay.onCommit = () => undefined
        }
      },
      triggers: triggersOf(index, failure),
      workers: volume({ short: 6, full: 12 }),
      mayForgetOutcomes: failure === 'without power',
      say: (text) => context.diagnostic(text),
    })
  } finally {
    await relay.close()
    await upstream.close()
  }
}

describe('no message is lost or sent twice when Mailyard fails at each step, its upstream server at each step, and the clock is set', {
  // They share one thread: more of them would not connect to their databases in time.
  concurrency: 3,
}, () => {
  for (const [index, { databaseName, mode }] of combinations.entries()) {
    test(`${databaseName}, ${mode}, killed`, (context) => fail(index, 'killed', context))
    // PostgreSQL keeps what it has answered: `src/core/queue/synchronous-commit.dialect.test.ts`.
    if (databaseName === 'SQLite')
      test(`${databaseName}, ${mode}, without power`, (context) =>
        fail(index, 'without power', context))
  }
})
