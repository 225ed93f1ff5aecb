import { describe, test } from 'node:test'
import { type SmtpMode, smtpModes } from '../../src/kit/smtp-mode.ts'
import { testDatabases } from '../databases.ts'
import { volume } from '../volume.ts'
import { runCrashes, shareOf } from './crashes.ts'
import { type MachineFailure, openFailingMachine } from './failing-machine.ts'
import { machineTriggers } from './kill-triggers.ts'
import { openScriptedUpstream } from './scripted-upstream.ts'

/** How often the machine of each combination fails; the combinations together fail at every step. */
const failures = volume({ short: 3, full: 50 })

interface Combination {
  databaseName: string
  mode: SmtpMode
  failure: MachineFailure
}

/** What a power failure leaves of PostgreSQL's commits is PostgreSQL's own; see `power-failure.test.ts`. */
const combinations: Combination[] = testDatabases.flatMap(({ name: databaseName }) =>
  smtpModes.flatMap((mode) => [
    { databaseName, mode, failure: 'killed' as const },
    ...(databaseName === 'SQLite'
      ? [{ databaseName, mode, failure: 'without power' as const }]
      : []),
  ]),
)

describe('no message is lost or sent twice when Mailyard fails at each step, its upstream server at each step, and the clock is set', {
  concurrency: true,
}, () => {
  for (const [index, { databaseName, mode, failure }] of combinations.entries())
    test(`${databaseName}, ${mode}, ${failure}`, async (t) => {
      const upstream = await openScriptedUpstream()
      const { port: upstreamPort } = upstream
      const relay = await openFailingMachine({ databaseName, failure, mode, upstreamPort })
      const about = {
        combinations: combinations.length,
        triggers: machineTriggers,
        count: failures,
      }
      try {
        await runCrashes({
          ...{ relay, upstreams: [upstream], mode, databaseUrl: () => relay.databaseUrl },
          async watch(notice) {
            relay.onCommit = (step) => notice('database', step)
            return async () => {
              relay.onCommit = () => undefined
            }
          },
          triggers: shareOf(index, about),
          workers: volume({ short: 3, full: 12 }),
          mayForgetOutcomes: failure === 'without power',
          say: (text) => t.diagnostic(text),
        })
      } finally {
        await relay.close()
        await upstream.close()
      }
    })
})
