import { describe, test } from 'node:test'
import { type SmtpMode, smtpModes } from '../../src/kit/smtp-mode.ts'
import { type TestDatabase, testDatabases } from '../databases.ts'
import { volume } from '../volume.ts'
import { repeatTriggers, runCrashes, shareOf } from './crashes.ts'
import { killTriggersOf, watchDatabase } from './kill-triggers.ts'
import { openRelay } from './open-relay.ts'
import { openScriptedUpstream } from './scripted-upstream.ts'

/** How often the process of each combination is killed. */
const kills = volume({ short: 1, full: 30 })

interface Combination {
  name: string
  create: () => Promise<TestDatabase>
  mode: SmtpMode
  members: number
}

/** All combinations; the short form has one: `machine-failures.test.ts` has the others in less time. */
const combinations: Combination[] = testDatabases
  .flatMap(({ name, createMigrated: create }) =>
    smtpModes.flatMap((mode) => [1, 2].map((members) => ({ name, create, mode, members }))),
  )
  .filter(
    ({ name, mode, members }) =>
      volume({ short: 0, full: 1 }) === 1 ||
      (name === 'PostgreSQL' && mode === 'hybrid' && members === 2),
  )

describe('no message is lost or sent twice when processes are killed', {
  concurrency: true,
}, () => {
  for (const [index, { name, create, mode, members }] of combinations.entries()) {
    const route = members === 1 ? 'one transport' : 'a failover'
    test(`${name}, ${mode}, ${route}: killed at each step while the upstream server disconnects at random steps`, async (t) => {
      const database = await create()
      const upstreams = await Promise.all(Array.from({ length: members }, openScriptedUpstream))
      const dsns = upstreams.map(({ port }) => `smtp://127.0.0.1:${port}`)
      const dsn = members === 1 ? dsns.join('') : `failover(${dsns.join(' ')})?retry_period=1`
      const env = { MAILYARD_SMTP_WAIT_SECONDS: '1' }
      const relay = await openRelay({ dsn, databaseUrl: database.url, mode, env })
      const triggers = killTriggersOf(mode)
      const share = shareOf(index, { combinations: combinations.length, triggers })
      try {
        await runCrashes({
          ...{ relay, upstreams, mode, databaseUrl: () => database.url },
          watch: watchDatabase(database.url),
          triggers: repeatTriggers(share, kills),
          workers: volume({ short: 4, full: 12 }),
          say: (text) => t.diagnostic(text),
        })
      } finally {
        await relay.close()
        await Promise.all(upstreams.map((upstream) => upstream.close()))
        await database.drop()
      }
    })
  }
})
