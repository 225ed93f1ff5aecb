import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import type { ItemToTest, WriteTest } from '../../platform/resource/index.ts'
import { columnsOfTest, writeLastTest } from './last-tests.ts'
import type { StoredDsns } from './stored-dsns.ts'
import type { TransportRow } from './table.ts'
import type { TestResult, TestTransport } from './test-message.ts'

export interface SaveTestsParts {
  dsns: Pick<StoredDsns, 'find'>
  sendTest: TestTransport
  clock: Clock
}

/** Tests transports before they are saved: `?ifTestPasses=1`. */
export class SaveTests {
  readonly #parts: SaveTestsParts

  constructor(parts: SaveTestsParts) {
    this.#parts = parts
  }

  /**
   * Sends a test message through a transport as it will be stored. Returns what stores the test as its last one.
   *
   * @throws AppError (`invalid`) with the report as `facts.test` if the test fails.
   */
  async run({ columns, current, caller, signal }: ItemToTest<TransportRow>): Promise<WriteTest> {
    const { dsns, sendTest, clock } = this.#parts
    const id = current?.id ?? null
    const [dsn] = await dsns.find([{ id: id ?? 0, mailer_dsn: columns.mailer_dsn }])
    const result = await sendTest({
      dsn,
      isPublicOnly: columns.is_public_only,
      brand: columns.brand_id,
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
