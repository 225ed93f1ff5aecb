import { AppError } from '../../kit/app-error.ts'
import { callerKey } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { WorkQueue } from '../../kit/work-queue.ts'
import { type ItemToTest, testStopped, type WriteTest } from '../../platform/resource/index.ts'
import { columnsOfTest, writeLastTest } from './last-tests.ts'
import type { StoredDsns } from './stored-dsns.ts'
import type { TransportRow } from './table.ts'
import type { SendTest, TestResult } from './test-message.ts'

/** How many of these tests run at a time in this process, those of all requests together. */
const testsMax = 10

export interface SaveTestsParts {
  dsns: Pick<StoredDsns, 'find'>
  sendTest: SendTest
  clock: Clock
}

/** Tests transports before they are saved: `?ifTestPasses=1`. Callers take turns, so that no batch holds up other callers. */
export class SaveTests {
  readonly #parts: SaveTestsParts
  readonly #queue = new WorkQueue({ runningMax: testsMax, totalMax: testsMax })

  constructor(parts: SaveTestsParts) {
    this.#parts = parts
  }

  /**
   * Sends a test message through a transport as it will be stored. Returns what stores the test as its last one.
   *
   * @throws AppError (`invalid`) with the report as `facts.test` if the test fails.
   */
  run(item: ItemToTest<TransportRow>): Promise<WriteTest> {
    return this.#queue.run(callerKey(item.caller), () => this.#test(item), true)
  }

  async #test({ columns, current, caller, signal }: ItemToTest<TransportRow>): Promise<WriteTest> {
    // While the test waited for its turn.
    if (signal.aborted) throw testStopped()
    const { dsns, sendTest, clock } = this.#parts
    const id = current?.id ?? null
    const [dsn] = await dsns.find([{ id: id ?? 0, mailer_dsn: columns.mailer_dsn }])
    const result = await sendTest({
      dsn,
      isPublicOnly: columns.is_public_only,
      through: { id, name: columns.name },
      testedEmailFrom: columns.tested_email_from,
      to: undefined,
      hasTranscript: false,
      hasAlignment: false,
      caller,
      signal,
    })
    if (!result.success) throw testFailed(result)
    const test = columnsOfTest(result, caller, clock.now())
    return (tx, writtenId) => writeLastTest(tx, writtenId, test)
  }
}

function testFailed({ durationMs: _, ...test }: TestResult): AppError {
  const message = `The test failed, and the transport was not saved. ${test.message}`
  return new AppError('invalid', 'test_failed', message, { facts: { test } })
}
