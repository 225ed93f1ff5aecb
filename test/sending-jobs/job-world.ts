import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { addEmail, addTransport, uniqueName } from '../callers.ts'
import type { TestApp, TestBody } from '../test-app.ts'

/** What tests of jobs do over the API. */
export interface JobWorld {
  /** A transport to this DSN. */
  transport(mailerDsn: string): Promise<number>
  /** An email that leaves through a transport, or through none. */
  email(transportId: number | null, values?: Record<string, unknown>): Promise<number>
  assign(emailId: number, transportId: number | null): Promise<void>
  /** Contacts in a segment of their own; each value may depend on the index. */
  segment(
    count: number,
    values?: (index: number) => Record<string, unknown>,
  ): Promise<{ segment: string; contacts: { id: number; email: string }[] }>
  /** Begins a sending; returns its id. */
  send(emailId: number, target: Record<string, unknown>): Promise<number>
  get(id: number): Promise<TestBody>
  act(id: number, action: 'pause' | 'resume' | 'cancel'): Promise<TestBody>
  /** Waits until a sending is as it should be; its counters must add up all the while. */
  until(id: number, isReached: (sending: TestBody) => boolean): Promise<TestBody>
  deliveries(query: string): Promise<TestBody[]>
}

const waitMaxMs = 30_000

/** The world of a Mailyard that a test has opened. */
export function createJobWorld(yard: () => TestApp): JobWorld {
  const ask = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
    const answer = await yard().ask(method, path, body)
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.body
  }
  const get = async (id: number) => {
    const { sending } = await ask('GET', `/api/sendings/${id}`)
    const { total, accepted, refused, uncertain, remaining } = sending
    assert.equal(total, accepted + refused + uncertain + remaining, JSON.stringify(sending))
    return sending
  }
  return {
    get,
    transport: async (mailerDsn) => (await addTransport(yard(), { mailerDsn })).id,
    async email(transportId, values = {}) {
      const { id } = await addEmail(yard(), { plainText: 'Hello', ...values })
      if (transportId !== null)
        await ask('POST', `/api/multipleTransport/transportEmail/${id}`, { transportId })
      return id
    },
    async assign(emailId, transportId) {
      await ask('POST', `/api/multipleTransport/transportEmail/${emailId}`, { transportId })
    },
    async segment(count, values = () => ({})) {
      const segment = uniqueName('segment')
      const contacts = Array.from({ length: count }, (_, index) => ({
        email: `${segment}-${index}@example.com`,
        firstname: `N${index}`,
        segments: [segment],
        ...values(index),
      }))
      const body = await ask('POST', '/api/contacts/batch/new', contacts)
      return {
        segment,
        contacts: body.contacts.map(({ id, fields }: TestBody) => ({
          id,
          email: fields.all.email,
        })),
      }
    },
    async send(emailId, target) {
      return (await ask('POST', `/api/emails/${emailId}/send`, target)).job.id
    },
    act: async (id, action) => (await ask('POST', `/api/sendings/${id}/${action}`)).sending,
    async until(id, isReached) {
      const deadline = performance.now() + waitMaxMs
      for (;;) {
        const sending = await get(id)
        if (isReached(sending)) return sending
        const log = yard().logged.slice(-5).join('')
        assert.ok(performance.now() < deadline, `${JSON.stringify(sending)}\n${log}`)
        await setTimeout(25)
      }
    },
    deliveries: async (query) =>
      (await ask('GET', `/api/deliveries?limit=1000&${query}`)).deliveries,
  }
}

/** A clock that goes on by itself, and that a test may put forward. */
export function createMovableClock() {
  let aheadMs = 0
  return {
    now: () => Date.now() + aheadMs,
    advance(ms: number) {
      aheadMs += ms
    },
  }
}
