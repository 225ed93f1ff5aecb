import { type Answer, ApiFault, ask, type Schema } from '../../lib/api.ts'
import { transportWords } from '../../words/transports.ts'
import type { Transport } from './draft.ts'
import type { TestResult } from './run-test.ts'

type Input = Schema<'TransportInput'>

/** A transport that is to be saved. */
export type TransportToSave =
  | { id: undefined; values: Input }
  | { id: number; values: Partial<Input>; etag?: string | undefined }

/**
 * Creates or changes a transport.
 *
 * @param testSignal Tests it first, and saves it only if the test passes; stops the test. Undefined: saves it without a test.
 * @throws ApiFault; `failedTestOf` has the report where the test failed.
 */
export async function saveTransport(
  transport: TransportToSave,
  testSignal?: AbortSignal,
): Promise<Answer<Transport>> {
  const options = testSignal === undefined ? {} : { query: { ifTestPasses: 1 }, signal: testSignal }
  try {
    if (transport.id === undefined) {
      const { values: body } = transport
      return await ask('POST', '/api/multipleTransports/new', { body, ...options })
    }
    const { id, values: body, etag } = transport
    const path = { id }
    return await ask('PATCH', '/api/multipleTransports/{id}/edit', { path, body, etag, ...options })
  } catch (error) {
    throw testSignal?.aborted ? new ApiFault(0, transportWords.test.cancelled) : error
  }
}

/** The report on the test because of which a transport was not saved; undefined for any other fault. */
export function failedTestOf(fault: ApiFault | undefined): TestResult | undefined {
  return fault?.answer['test'] as TestResult | undefined
}
