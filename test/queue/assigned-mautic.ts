import assert from 'node:assert/strict'
import { afterEach, beforeEach } from 'node:test'
import { addTransport, uniqueName } from '../callers.ts'
import { addMautic, holdAnswers, type TestMautic } from '../mautics.ts'
import type { SharedApp } from '../on-each-database.ts'
import { type ScriptedServer, useScriptedServer } from '../scripted-server.ts'
import type { TestBody } from '../test-app.ts'
import { until } from '../until.ts'
import { type QueuedSubmission, submitQueued } from './submit-queued.ts'

/**
 * A Mautic of each test, with the email 8, the users 5 and 6, and the contact 9, whose owner is user 5.
 * Nothing is assigned; what is sent through its default goes to `fallback`.
 */
export function useAssignedMautic(shared: SharedApp) {
  const [right, fallback] = [useScriptedServer(), useScriptedServer()]
  const mautic = {} as TestMautic
  const throughRight = { transportId: 0 }
  beforeEach(async () => {
    const { service } = shared
    for (const server of [right, fallback]) {
      server.taken = []
      server.act = () => undefined
    }
    throughRight.transportId = (await addTransport(service, { mailerDsn: right.dsn })).id
    const { id: transportId } = await addTransport(service, { mailerDsn: fallback.dsn })
    const added = await addMautic(service, {
      emails: [8],
      users: { 5: 'olga@brand.test', 6: 'sam@brand.test' },
      contacts: { 9: { email: 'c9@rcpt.test', ownerId: 5 } },
      transportId,
    })
    Object.assign(mautic, added)
  })
  afterEach(() => ask('/api/queue/cancel', { all: true }))
  const ask = async (path: string, body?: unknown) => {
    const answer = await shared.ask(body === undefined ? 'GET' : 'POST', path, body)
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  /** Assigns a transport to an email or a user; by default the one of `right`. */
  const assign = (path: string, body: object = throughRight, to = mautic) =>
    ask(`/api/multipleTransport/${path}?mautic=${to.id}`, body)
  let hashes = 1_000
  /** A header field that only the statistics of the Mautic know the email of. */
  const headOf = (address: string, emailId: string | null, of = mautic) => {
    const hash = String(++hashes).padStart(22, '7')
    const stat = { tracking_hash: hash, email_id: emailId, lead_id: null, email_address: address }
    of.double.data.stats.push(stat)
    return `List-Unsubscribe: <https://brand.test/email/unsubscribe/${hash}>`
  }
  /** Each message that waits for an answer. */
  const waiting = async (): Promise<TestBody[]> => {
    await shared.service.app.idle()
    return (await ask('/api/queue/messages?transport=unanswered')).messages
  }
  return {
    right,
    fallback,
    mautic,
    throughRight,
    ask,
    assign,
    headOf,
    waiting,
    /** Submits a message, by default one that only the statistics know the email of: the email 8. */
    submit: (submission: QueuedSubmission = {}, as = mautic) => {
      const { to = `${uniqueName('to')}@rcpt.test`, head = headOf(to, '8', as) } = submission
      return submitQueued(shared.service, { ...submission, mautic: as, to, head })
    },
    hold: () => holdAnswers(mautic.double),
    /** Returns the message to a recipient, once nothing else is in progress. */
    assertWaits: async (to: string) => {
      const message = (await waiting()).find(({ recipient }) => recipient === to)
      assert.ok(![...right.taken, ...fallback.taken].includes(to), 'it is sent')
      assert.deepEqual([message.state, message.transport, message.attempts], ['deferred', null, 0])
      assert.equal(message.isUnanswered, true)
      assert.match(
        message.problem,
        /^451 4\.4\.3 Mautic ".+" (has not answered( yet| \(.+\))|was reinstalled, .+|was deleted), and the message needs /,
      )
      return message
    },
    assertSent: async (server: ScriptedServer, to: string) => {
      await until(() => server.taken.includes(to), 'it is sent')
      const others = [right, fallback].filter((each) => each !== server)
      assert.ok(!others.some(({ taken }) => taken.includes(to)), 'it is sent through another one')
    },
  }
}
