import { type Answer, ApiFault, ask, type Body, type Schema } from '../../lib/api.ts'
import { brandDraft, brandInput } from '../../lib/brand.ts'
import { can } from '../../lib/session.ts'
import type { Resource } from '../../records/resource-screen.tsx'
import { transportWords } from '../../words/transports.ts'
import { findRerouted } from './rerouted.tsx'
import type { TestResult } from './test-report.tsx'

export type Transport = Body<'GET', '/api/multipleTransports/{id}'>
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

/** What is sent of a transport; all of it for a new one, which has no id. */
interface TransportToSave {
  id: number | undefined
  values: Partial<Input>
  etag: string | undefined
}

/**
 * Creates or changes a transport.
 *
 * @param signal Tests it first, and saves it only if the test passes; stops the test. Undefined: saves it without a test.
 * @throws ApiFault; `failedTestOf` has the report where the test failed.
 */
export async function saveTransport(
  { id, values, etag }: TransportToSave,
  signal?: AbortSignal,
): Promise<Answer<Transport>> {
  const test = signal === undefined ? {} : { query: { ifTestPasses: 1 }, signal }
  const options = { body: values as Input, ...test }
  const path = '/api/multipleTransports'
  try {
    return id === undefined
      ? await ask('POST', `${path}/new`, options)
      : await ask('PATCH', `${path}/{id}/edit`, { ...options, path: { id }, etag })
  } catch (error) {
    throw signal?.aborted ? new ApiFault(0, transportWords.test.cancelled) : error
  }
}

/** The report on the test because of which a transport was not saved; undefined for any other fault. */
export function failedTestOf(fault: ApiFault | undefined): TestResult | undefined {
  return fault?.answer['test'] as TestResult | undefined
}

/** What the page of a transport knows of how it is saved. */
export interface Saving {
  isTested: boolean
  /** Stops the test. */
  controller?: AbortController | undefined
  /** Waits until the DSN and its fields agree. */
  settle?: (draft: Draft) => Promise<Draft>
}

export const canTest = () => can('multipleTransports:edit')

/** Transports, which are tested before they are saved. */
export function transportResource(saving: Saving): Resource<Draft, Transport> {
  return {
    path: '/transports',
    area: 'multipleTransports',
    texts: { ...transportWords, ...transportWords.editor },
    async read(id) {
      const { body, etag } = await ask('GET', '/api/multipleTransports/{id}', { path: { id } })
      return { record: body, etag }
    },
    draftOf,
    copyOf: (draft) => ({ ...draft, name: transportWords.editor.copyName(draft.name) }),
    prepare: async (draft) => (await saving.settle?.(draft)) ?? draft,
    async write(id, draft, { etag, changed }) {
      const { brand, ...own } = draft
      const values = {
        ...own,
        testedEmailFrom: draft.testedEmailFrom || null,
        ...brandInput(brand),
      }
      const changes = Object.entries(values).filter(
        ([name]) => id === undefined || changed.includes(name as keyof Draft),
      )
      const controller = saving.isTested ? new AbortController() : undefined
      saving.controller = controller
      const transport = { id, values: Object.fromEntries(changes), etag }
      const { body: record, etag: next } = await saveTransport(transport, controller?.signal)
      return { record, etag: next }
    },
    nameOf: ({ name }) => name,
    deletion: {
      kind: 'transports',
      text: transportWords.list.deleteText,
      findImpact: findRerouted,
    },
  }
}
