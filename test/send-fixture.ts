import assert from 'node:assert/strict'
import type { DeliveryIntervals } from '../src/core/delivery/index.ts'
import { addEmail, addTransport, uniqueName } from './callers.ts'
import type { TestApp, TestBody } from './test-app.ts'

/** A contact that a test made. */
export interface TestContact {
  id: number
  email: string
}

/** What tests do over the API to send emails. */
export interface SendFixture {
  /** A transport to this DSN. */
  transport(mailerDsn: string): Promise<number>
  /** An email with a transport, or without one. */
  email(transportId: number | null, values?: Record<string, unknown>): Promise<number>
  assign(emailId: number, transportId: number | null): Promise<void>
  /** Contacts with addresses that no other test has; each value may depend on the index. */
  contacts(
    count: number,
    values?: (index: number) => Record<string, unknown>,
  ): Promise<TestContact[]>
  contact(values?: Record<string, unknown>): Promise<TestContact>
  /** Sends an email to a contact; returns the answer. */
  send(emailId: number, contactId: number, body?: object): Promise<TestBody>
  /** Sends an email to new contacts, one after the other. */
  sendTo(emailId: number, addresses: readonly string[]): Promise<TestContact[]>
  deliveries(query: string): Promise<TestBody[]>
}

/** What a test that sends emails does with a Mailyard that it has opened. */
export function createSendFixture(service: () => TestApp): SendFixture {
  const ask = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
    const answer = await service().ask(method, path, body)
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.body
  }
  const addContacts: SendFixture['contacts'] = async (count, values = () => ({})) => {
    const name = uniqueName('contact')
    const contacts = Array.from({ length: count }, (_, index) => ({
      email: `${name}-${index}@example.com`,
      firstname: `N${index}`,
      ...values(index),
    }))
    const body = await ask('POST', '/api/contacts/batch/new', contacts)
    return body.contacts.map(({ id, fields }: TestBody) => ({ id, email: fields.all.email }))
  }
  const send: SendFixture['send'] = (emailId, contactId, body = {}) =>
    ask('POST', `/api/emails/${emailId}/contact/${contactId}/send`, body)
  return {
    transport: async (mailerDsn) => (await addTransport(service(), { mailerDsn })).id,
    async email(transportId, values = {}) {
      const { id } = await addEmail(service(), { plainText: 'Hello', ...values })
      if (transportId !== null)
        await ask('POST', `/api/multipleTransport/transportEmail/${id}`, { transportId })
      return id
    },
    async assign(emailId, transportId) {
      await ask('POST', `/api/multipleTransport/transportEmail/${emailId}`, { transportId })
    },
    contacts: addContacts,
    async contact(values = {}) {
      const [contact] = await addContacts(1, () => values)
      return contact ?? assert.fail('There is no contact.')
    },
    send,
    async sendTo(emailId, addresses) {
      const contacts = await addContacts(addresses.length, (index) => ({ email: addresses[index] }))
      for (const { id } of contacts) await send(emailId, id)
      return contacts
    },
    deliveries: async (query) =>
      (await ask('GET', `/api/deliveries?limit=1000&${query}`)).deliveries,
  }
}

/** For tests that would mostly wait until a worker looks again. */
export const quickIntervals: DeliveryIntervals = {
  idleMs: 50,
  heartbeatMs: 500,
  expireAfterMs: 5_000,
}
