import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTemplate, addTransport, uniqueName } from '../../../test/callers.ts'
import type { MauticBehaviour } from '../../../test/mautic-double/mautic-double.ts'
import { onMailyard } from '../../../test/on-each-database.ts'
import { useAssignedMautic } from '../../../test/queue/assigned-mautic.ts'
import type { MauticTables } from '../mautic/index.ts'

onMailyard(
  'a message of a Mautic that answers, but not the question',
  { isOwn: true },
  (shared) => {
    const { right, fallback, mautic, ask, assign, submit, headOf, assertWaits } =
      useAssignedMautic(shared)
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
      ['an empty list without a total', { body: { stats: [], contacts: [], contact: { id: 9 } } }],
      ['an empty list with a total', { body: { total: '3', stats: [], contacts: [] } }],
      [
        'an empty list with errors',
        { body: { total: '0', stats: [], contacts: [], errors: [{ message: 'x', code: 500 }] } },
      ],
      [
        'other records, and parts',
        {
          body: {
            total: '1',
            stats: [{ tracking_hash: '1'.repeat(22), email_id: '4', email_address: 'a@b.test' }],
            contact: { id: 9, owner: null, fields: { core: {} } },
          },
        },
      ],
      ['403', 403],
      ['500', 500],
    ]
    for (const [name, fault] of faults)
      test(`waits for its email and its owner where the answer is ${name}`, async () => {
        await assign('transportEmail/8')
        mautic.double.behaviour.fault = () => fault
        const { problem } = await assertWaits(await submit())
        assert.match(problem, /has not answered \(.+\)/)
        mautic.double.behaviour.fault = () => undefined
        await assign('transportUser/5')
        await assign('transportEmail/8', { transportId: null, useOwnerTransport: true })
        mautic.double.behaviour.fault = () => fault
        await assertWaits(await submit({ head: `X-EMAIL-ID: 8\nX-Contact-Id: 9` }))
      })

    for (const email of [{}, { email_id: false }, { email_id: 'x' }])
      test(`waits for its email where the statistics have ${JSON.stringify(email)} of it`, async () => {
        await assign('transportEmail/8')
        const to = `${uniqueName('to')}@rcpt.test`
        mautic.double.behaviour.fault = ({ path }) => {
          const [hash] = /7\d{21}/.exec(path) ?? []
          const stat = { tracking_hash: hash, lead_id: null, email_address: to, ...email }
          return { body: { total: '1', stats: [stat] } }
        }
        await assertWaits(await submit({ to }))
      })

    test('waits for its owner where the contact has no member of it', async () => {
      await assign('transportUser/5')
      await assign('transportEmail/8', { transportId: null, useOwnerTransport: true })
      const to = 'c9@rcpt.test'
      const contact = { id: 9, fields: { all: { id: 9, email: to } } }
      mautic.double.behaviour.fault = () => ({ body: { contact } })
      await assertWaits(await submit({ to, head: 'X-EMAIL-ID: 8\nX-Contact-Id: 9' }))
    })

    test('waits where the secret of its Mautic cannot be decrypted, also in hybrid', async () => {
      await assign('transportEmail/8')
      const mautics = shared.service.app.storage.tables<MauticTables>().updateTable('mautics')
      await mautics.set({ secret: 'of another key' }).where('id', '=', mautic.id).execute()
      for (const mode of ['queue', 'hybrid'] as const) {
        const { problem } = await assertWaits(await submit({ mode }))
        assert.match(problem, /cannot be decrypted/)
      }
    })

    test('waits for its contact although a user has its sender as address', async () => {
      const other = await addTransport(shared.service, { mailerDsn: right.dsn })
      await assign('transportUser/5')
      await assign('transportUser/6', { transportId: other.id })
      mautic.double.behaviour.fault = () => 503
      await assertWaits(await submit({ sender: 'sam@brand.test', head: 'X-Contact-Id: 9' }))
    })

    test('has no email where the statistics say so, whatever its subject is', async () => {
      await assign('transportEmail/8')
      const subject = mautic.double.data.emails.get(8)?.['subject']
      const to = 'a@rcpt.test'
      await submit({ to, head: `${headOf(to, null)}\nSubject: ${subject}` })
      await shared.service.app.idle()
      assert.deepEqual([right.taken, fallback.taken], [[], [to]])
    })

    test('that names an email which does not exist has no owner by its sender', async () => {
      await assign('transportUser/6')
      const to = await submit({ sender: 'sam@brand.test', head: 'X-EMAIL-ID: 88' })
      await shared.service.app.idle()
      assert.deepEqual([right.taken, fallback.taken], [[], [to]])
    })

    test('is not greeted as a stranger because a person has decided about its transport', async () => {
      const { id } = await addTemplate(shared.service, { template: 'Dear {{ contact.firstname }}' })
      mautic.double.behaviour.fault = () => 503
      const subject = `Subject: {twigtemplate=${id}}`
      const to = await submit({ head: `X-EMAIL-ID: 8\nX-Contact-Id: 9\n${subject}` })
      await ask('/api/queue/sendUnanswered', { transport: 'unanswered' })
      await assertWaits(to)
    })
  },
)
