import { type Answer, ApiFault, ask, type Body, type Schema } from '../../lib/api.ts'
import { brandDraft } from '../../lib/brand.ts'
import type { Saved } from '../../lib/use-form.ts'
import { transportWords } from '../../words/transports.ts'
import type { TestResult } from './test-report.tsx'

type Transport = Body<'GET', '/api/multipleTransports/{id}'>
type Input = Schema<'TransportInput'>

export type Draft = ReturnType<typeof draftOf>

/** What can be changed of a transport; of none for a new one. */
export function draftOf(transport?: Transport) {
  return {
    name: transport?.name ?? '',
    mailerDsn: transport?.mailerDsn ?? '',
    description: transport?.description ?? '',
    testedEmailFrom: transport?.testedEmailFrom ?? '',
    brand: brandDraft(transport),
    isPublished: transport?.isPublished ?? true,
  }
}

export async function loadTransport(id: number): Promise<Saved<Draft>> {
  const { body, etag } = await ask('GET', '/api/multipleTransports/{id}', { path: { id } })
  return { draft: draftOf(body), etag }
}

/** A transport that is to be saved. */
type TransportToSave =
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
