import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { addTemplate, addTransport, uniqueName } from '../../test/callers.ts'
import type { MauticBehaviour } from '../../test/mautic-double/mautic-double.ts'
import { addMautic, closeMautics, type TestMautic } from '../../test/mautics.ts'
import { onMailyard } from '../../test/on-each-database.ts'
import { type QueuedSubmission, submitQueued } from '../../test/queue/submit-queued.ts'
import { useScriptedServer } from '../../test/scripted-server.ts'

onMailyard(
  'a message of a Mautic that answers, but not the question',
  { isOwn: true },
  (shared) => {
    after(closeMautics)
    const [right, fallback] = [useScriptedServer(), useScriptedServer()]
    let mautic: TestMautic
    let rightId = 0
    beforeEach(async () => {
      const { service } = shared
      for (const server of [right, fallback]) server.taken = []
      rightId = (await addTransport(service, { mailerDsn: right.dsn })).id
      const { id: transportId } = await addTransport(service, { mailerDsn: fallback.dsn })
      mautic = await addMautic(service, {
        emails: [8],
        users: { 5: 'olga@brand.test', 6: 'sam@brand.test' },
        contacts: { 9: { email: 'c9@rcpt.test', ownerId: 5 } },
        transportId,
      })
    })
    const ask = async (path: string, body?: unknown) => {
      const answer = await shared.service.ask(body === undefined ? 'GET' : 'POST', path, body)
      assert.ok(answer.status < 300, answer.text)
      return answer.body
    }
    const assign = (path: string, body: object) =>
      ask(`/api/multipleTransport/${path}?mautic=${mautic.id}`, body)
    let hashes = 1_000
    /** Submits a message that only the statistics of the Mautic name the email of. */
    const submit = ({
      emailId = '8',
      ...submission
    }: QueuedSubmission & { emailId?: string | null } = {}) => {
      const to = `${uniqueName('to')}@rcpt.test`
      const hash = String(++hashes).padStart(22, '7')
      const known = { tracking_hash: hash, email_id: emailId, lead_id: null, email_address: to }
      mautic.double.data.stats.push(known)
      const head = `List-Unsubscribe: <https://brand.test/email/unsubscribe/${hash}>`
      return submitQueued(shared.service, { mautic, to, head, ...submission })
    }
    const waiting = async () => {
      await shared.service.app.idle()
      return (await ask('/api/queue/messages?transport=unanswered')).messages
    }
    const assertWaits = async (what: string) => {
      const messages = await waiting()
      assert.deepEqual([messages.length, right.taken, fallback.taken], [1, [], []], what)
      await ask('/api/queue/cancel', { all: true })
      return messages[0].problem as string
    }

    const faults: [name: string, answer: ReturnType<MauticBehaviour['fault']>][] = [
      ['a page with 404', 404],
      [
        'an unknown address',
        {
          status: 404,
          body: { errors: [{ message: 'Requested URL not found: /api/x', code: 404 }] },
        },
      ],
      ['{}', { body: {} }],
      ['[]', { body: [] }],
      ['null', { body: null }],
      ['no list', { body: { stats: null, contacts: null, contact: null } }],
      ['another member', { body: { error: 'maintenance' } }],
      ['403', 403],
      ['500', 500],
    ]
    for (const [name, fault] of faults)
      test(`waits for its email and its owner where the answer is ${name}`, async () => {
        await assign('transportEmail/8', { transportId: rightId })
        mautic.double.behaviour.fault = () => fault
        await submit()
        const problem = await assertWaits('its email')
        assert.match(problem, /has not answered \(.+\), and the message needs it/)
        mautic.double.behaviour.fault = () => undefined
        await assign('transportUser/5', { transportId: rightId })
        await assign('transportEmail/8', { transportId: null, useOwnerTransport: true })
        mautic.double.behaviour.fault = () => fault
        await submit({ to: 'c9@rcpt.test', head: `X-EMAIL-ID: 8\nX-Contact-Id: 9\nX-T: ${name}` })
        await assertWaits('its owner')
      })

    test('waits for its contact although a user has its sender as address', async () => {
      const other = await addTransport(shared.service, { mailerDsn: right.dsn })
      await assign('transportUser/5', { transportId: rightId })
      await assign('transportUser/6', { transportId: other.id })
      mautic.double.behaviour.fault = () => 503
      await submit({ to: 'c9@rcpt.test', sender: 'sam@brand.test', head: 'X-Contact-Id: 9' })
      await assertWaits('the owner by the sender is a guess')
    })

    test('has no email where the statistics say so, whatever its subject is', async () => {
      await assign('transportEmail/8', { transportId: rightId })
      const subject = mautic.double.data.emails.get(8)?.['subject']
      const hash = String(++hashes).padStart(22, '7')
      const known = {
        tracking_hash: hash,
        email_id: null,
        lead_id: null,
        email_address: 'a@rcpt.test',
      }
      mautic.double.data.stats.push(known)
      const head = `List-Unsubscribe: <https://brand.test/email/unsubscribe/${hash}>\nSubject: ${subject}`
      await submitQueued(shared.service, { mautic, to: 'a@rcpt.test', head })
      await shared.service.app.idle()
      assert.deepEqual([right.taken, fallback.taken], [[], ['a@rcpt.test']])
    })

    test('that names an email which does not exist has no owner by its sender', async () => {
      await assign('transportUser/6', { transportId: rightId })
      const to = await submit({ sender: 'sam@brand.test', head: 'X-EMAIL-ID: 88' })
      await shared.service.app.idle()
      assert.deepEqual([right.taken, fallback.taken], [[], [to]])
    })

    test('is not greeted as a stranger because a person has decided about its transport', async () => {
      const { id } = await addTemplate(shared.service, { template: 'Dear {{ contact.firstname }}' })
      mautic.double.behaviour.fault = () => 503
      await submit({
        to: 'c9@rcpt.test',
        head: `X-EMAIL-ID: 8\nX-Contact-Id: 9\nSubject: {twigtemplate=${id}}`,
      })
      await ask('/api/queue/sendUnanswered', { transport: 'unanswered' })
      await assertWaits('the data of its contact')
    })
  },
)
