import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { DeliveryIntervals } from '../../src/delivery/index.ts'
import { addEmail, addTransport, uniqueName } from '../callers.ts'
import type { TestApp, TestBody } from '../test-app.ts'
import { until } from '../until.ts'

/** What tests of jobs do over the API. */
export interface BroadcastFixture {
  /** A transport to this DSN. */
  transport(mailerDsn: string): Promise<number>
  /** An email with a transport, or without one. */
  email(transportId: number | null, values?: Record<string, unknown>): Promise<number>
  assign(emailId: number, transportId: number | null): Promise<void>
  /** Contacts in a segment of their own; each value may depend on the index. */
  segment(
    count: number,
    values?: (index: number) => Record<string, unknown>,
  ): Promise<{ segment: string; contacts: { id: number; email: string }[] }>
  /** Begins a broadcast; returns its id. */
  send(emailId: number, target: Record<string, unknown>): Promise<number>
  get(id: number): Promise<TestBody>
  act(id: number, action: 'pause' | 'resume' | 'cancel'): Promise<TestBody>
  /** Cancels a broadcast, unless it has ended by itself. */
  end(id: number): Promise<void>
  /** Waits until a broadcast is as it should be; its counters must add up all the while. */
  until(id: number, isReached: (broadcast: TestBody) => boolean): Promise<TestBody>
  /** Waits until no message of a paused or cancelled broadcast is being sent and all outcomes are written. */
  untilSettled(id: number): Promise<TestBody>
  deliveries(query: string): Promise<TestBody[]>
}

/** Longer than a broadcast takes on a machine that is busy: only one that hangs is given up. */
const waitMaxMs = 600_000

/** What a test of broadcasts does with a Mailyard that it has opened. */
export function createBroadcastFixture(service: () => TestApp): BroadcastFixture {
  const ask = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
    const answer = await service().ask(method, path, body)
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.body
  }
  const get = async (id: number) => {
    const { broadcast } = await ask('GET', `/api/broadcasts/${id}`)
    const { total, accepted, refused, uncertain, suppressed, remaining } = broadcast
    const counted = accepted + refused + uncertain + suppressed + remaining
    assert.equal(total, counted, JSON.stringify(broadcast))
    return broadcast
  }
  const hasRecipients = async (id: number, state: string) => {
    for (let after: number | null = 0; after !== null; ) {
      const path = `/api/broadcasts/${id}/recipients?state=${state}&next=${after}`
      const { recipients, next } = await ask('GET', path)
      if (recipients.length > 0) return true
      after = next
    }
    return false
  }
  return {
    get,
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
    async end(id) {
      const { status, text } = await service().ask('POST', `/api/broadcasts/${id}/cancel`)
      assert.ok(status === 200 || /is done/.test(text), text)
    },
    act: async (id, action) => (await ask('POST', `/api/broadcasts/${id}/${action}`)).broadcast,
    async until(id, isReached) {
      const deadline = performance.now() + waitMaxMs
      for (;;) {
        const askedAt = performance.now()
        const broadcast = await get(id)
        const tookMs = performance.now() - askedAt
        if (isReached(broadcast)) return broadcast
        const log = service().logged.slice(-5).join('')
        assert.ok(performance.now() < deadline, `${JSON.stringify(broadcast)}\n${log}`)
        // Other work has most of the time, also where the processor is busy.
        await setTimeout(Math.max(25, 4 * tookMs))
      }
    },
    async untilSettled(id) {
      await until(
        async () => !(await hasRecipients(id, 'sending')),
        'no recipient is being sent to',
      )
      return get(id)
    },
    deliveries: async (query) =>
      (await ask('GET', `/api/deliveries?limit=1000&${query}`)).deliveries,
  }
}

/** For tests that would mostly wait until a worker looks again. */
export const quickIntervals: DeliveryIntervals = {
  lookMs: 20,
  idleMs: 50,
  freshMs: 50,
  heartbeatMs: 500,
  expireAfterMs: 5_000,
}
