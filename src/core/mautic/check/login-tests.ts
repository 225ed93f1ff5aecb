import { AppError } from '../../../kit/app-error.ts'
import { callerKey } from '../../../kit/caller.ts'
import { WorkQueue } from '../../../kit/work-queue.ts'
import { type ItemToTest, testStopped } from '../../../platform/resource/index.ts'
import type { MauticClients } from '../client/mautic-clients.ts'
import type { MauticRow } from '../table.ts'
import { checkLogin } from './check-mautic.ts'

/** How many of these tests run at a time in this process, those of all requests together. */
const testsMax = 10

/** Tests the log-in of Mautics before they are saved: `?ifTestPasses=1`. */
export class LoginTests {
  readonly #clients: Pick<MauticClients, 'open'>
  readonly #queue = new WorkQueue({ runningMax: testsMax, totalMax: testsMax })

  constructor(clients: Pick<MauticClients, 'open'>) {
    this.#clients = clients
  }

  /**
   * Reaches a Mautic and logs in to it, as it will be stored. Nothing is changed in it.
   *
   * @throws AppError (`invalid`) with the report as `facts.test`, and the field that is wrong, if the test fails.
   */
  run(item: ItemToTest<MauticRow>): Promise<void> {
    return this.#queue.run(callerKey(item.caller), () => this.#test(item), true)
  }

  async #test({ columns, signal }: ItemToTest<MauticRow>): Promise<void> {
    // While the test waited for its turn.
    if (signal.aborted) throw testStopped()
    const client = await this.#clients.open(columns)
    const test = await checkLogin({ mautic: columns, client, signal })
    if (test.success) return
    const isReached = test.stages[0]?.outcome === 'ok'
    const secret = columns.client_id === null ? 'password' : 'clientSecret'
    const details = isReached
      ? { [secret]: ['was not accepted by this Mautic'] }
      : { url: ['does not lead to a Mautic whose API can be used'] }
    const message = `The Mautic "${columns.name}" was not saved. ${test.message}`
    throw new AppError('invalid', 'test_failed', message, { details, facts: { test } })
  }
}
