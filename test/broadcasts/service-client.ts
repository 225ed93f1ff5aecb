import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { asAdmin } from '../administrator.ts'
import type { TestBody } from '../test-app.ts'

/** So often is a read asked again while a process that hangs keeps the database from the others. */
const readsMax = 60

/**
 * Asks a Mailyard over HTTP, as its administrator. Fails where the answer is no success; a read that is
 * answered 503 is asked again in a moment, as the answer says.
 */
export async function askService(
  url: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<TestBody> {
  const ask = () =>
    fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: asAdmin,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  let answer = await ask()
  for (let reads = 1; method === 'GET' && answer.status === 503 && reads < readsMax; reads++) {
    await setTimeout(500)
    answer = await ask()
  }
  const text = await answer.text()
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text.slice(0, 500)}`)
  return JSON.parse(text)
}

/** Makes a transport, an email that leaves through it, and contacts in a segment; returns the email's id. */
export async function furnish(
  url: string,
  { dsn, segment, count }: { dsn: string; segment: string; count: number },
): Promise<number> {
  const transport = await askService(url, 'POST', '/api/multipleTransports/new', {
    name: segment,
    mailerDsn: dsn,
  })
  const { email } = await askService(url, 'POST', '/api/emails/new', {
    name: segment,
    subject: 'Hello {contactfield=firstname}',
    customHtml: '<p>Hello {contactfield=firstname}</p>',
    fromAddress: 'news@brand.test',
  })
  await askService(url, 'POST', `/api/multipleTransport/transportEmail/${email.id}`, {
    transportId: transport.id,
  })
  for (let start = 0; start < count; start += 5_000) {
    const contacts = Array.from({ length: Math.min(5_000, count - start) }, (_, index) => ({
      email: `${segment}-${start + index}@example.com`,
      firstname: `N${start + index}`,
      segments: [segment],
    }))
    await askService(url, 'POST', '/api/contacts/batch/new', contacts)
  }
  return email.id
}

/** Waits until a broadcast has this state, or fails. One that a kill paused while its email was rendered is resumed. */
export async function untilBroadcast(
  url: () => string,
  id: number,
  { state, timeoutMs = 300_000 }: { state: string; timeoutMs?: number },
): Promise<TestBody> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const { broadcast } = await askService(url(), 'GET', `/api/broadcasts/${id}`)
    const { total, accepted, refused, uncertain, remaining } = broadcast
    assert.equal(total, accepted + refused + uncertain + remaining, JSON.stringify(broadcast))
    if (broadcast.state === state) return broadcast
    const isPausedByKill =
      broadcast.state === 'paused' && /ended while it rendered/.test(broadcast.problem)
    if (isPausedByKill) await askService(url(), 'POST', `/api/broadcasts/${id}/resume`)
    assert.ok(
      performance.now() < deadline,
      `It did not become ${state}: ${JSON.stringify(broadcast)}`,
    )
    await setTimeout(100)
  }
}

/** All deliveries of a broadcast. */
export async function allDeliveries(url: string, broadcastId: number): Promise<TestBody[]> {
  const all: TestBody[] = []
  let next: number | null = null
  do {
    const after: string = next === null ? '' : `&next=${next}`
    const page = await askService(
      url,
      'GET',
      `/api/deliveries?broadcastId=${broadcastId}&limit=1000${after}`,
    )
    all.push(...page.deliveries)
    next = page.next
  } while (next !== null)
  return all
}
