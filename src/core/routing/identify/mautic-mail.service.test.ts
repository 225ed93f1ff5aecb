import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTemplate, addTransport, uniqueName } from '../../../../test/callers.ts'
import {
  addMautic,
  callerOf,
  submitMessage,
  synchronizeMautic,
  type TestSubmission,
} from '../../../../test/mautics.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'
import type { CallerMautic } from '../../../kit/caller.ts'

onMailyard('messages of a Mautic', (shared) => {
  const submit = (...[mautic, message]: [CallerMautic, TestSubmission]) =>
    submitMessage(shared.service, mautic, message)
  const deliveriesTo = async (recipient: string) =>
    (await shared.askFor('GET', `/api/deliveries?recipient=${recipient}`)).deliveries
  const addressOf = (name: string) => `${uniqueName(name)}@rcpt.test`

  test('have the data of their contact in templates, and the trace says what was found', async () => {
    const { service } = shared
    const { id: transportId } = await addTransport(service, { mailerDsn: 'inbox://local' })
    const template = '{{ contact.firstname }} {{ contact.city }} {{ contact.owner.username }}'
    const { id: templateId } = await addTemplate(service, { template })
    const to = addressOf('ann')
    const mautic = await addMautic(service, {
      emails: [17],
      users: { 5: 'olga@brand.test' },
      contacts: { 9: { email: to, ownerId: 5, firstname: 'Ann', city: 'Bern' } },
    })
    const caller = callerOf(mautic)
    await service.app.assignments.set('email', { id: 17, transportId }, caller)
    const head = `X-EMAIL-ID: 17\nX-Contact-Id: 9\nSubject: {twigtemplate=${templateId}}\n\nHello`
    // It is cached: a slow machine may take longer than a client waits.
    await service.app.mautics.contacts.find(mautic.id, 9, { hasSegments: true })
    assert.deepEqual(await submit(mautic, { to, text: head }), ['250 2.0.0'])
    const [delivery] = await deliveriesTo(to)
    assert.deepEqual(
      [delivery.mautic, delivery.emailId, delivery.contactId, delivery.transportId],
      [{ id: mautic.id, name: mautic.name }, 17, 9, transportId],
    )
    const outcomes = delivery.trace.map(({ outcome }: { outcome: string }) => outcome)
    assert.deepEqual(outcomes, ['noted', 'noted', 'taken'])
    const { text: captured } = await service.ask('GET', '/api/inbox?limit=100')
    assert.match(captured, /Ann Bern user5/)
    const own = await service.ask('GET', `/api/deliveries?emailId=17&recipient=${to}`)
    assert.equal(own.body.deliveries.length, 0)
    const ofMautic = await service.ask('GET', `/api/deliveries?emailId=17&mautic=${mautic.id}`)
    assert.equal(ofMautic.body.deliveries.length, 1)
  })

  test('that are tests of an email take its transport: their subject names it, if only one has it', async () => {
    const { service } = shared
    const [email, fallback] = [
      await addTransport(service, { mailerDsn: 'inbox://local' }),
      await addTransport(service, { mailerDsn: 'inbox://local' }),
    ]
    const mautic = await addMautic(service, { transportId: fallback.id, emails: [17, 18, 19, 20] })
    const { data } = mautic.double
    Object.assign(data.emails.get(18), { isPublished: false, subject: 'Winter' })
    for (const id of [19, 20]) Object.assign(data.emails.get(id), { subject: 'Größe' })
    await synchronizeMautic(service, mautic.id)
    for (const id of [17, 18, 19, 20])
      await service.app.assignments.set('email', { id, transportId: email.id }, callerOf(mautic))
    /** Mautic saves no statistics of it, and its body has no pixel. */
    const sendExample = async (subject: string) => {
      const to = addressOf('tester')
      const hash = '6b03aa11bb22cc33dd44ee'
      const unsubscribe = `https://brand.test/email/unsubscribe/${hash}/${to}/0123456789abcdef`
      const text = `Subject: ${subject}\nList-Unsubscribe: <${unsubscribe}>\n\nHello [First Name]`
      assert.deepEqual(await submit(mautic, { to, text }), ['250 2.0.0'])
      const [{ emailId, transportId, trace }] = await deliveriesTo(to)
      return { emailId, transportId, trace: JSON.stringify(trace) }
    }
    // Mautic 7 may leave out the prefix.
    for (const subject of [
      '[TEST] News 17 for [First Name]',
      'News 17 for [First Name]',
      'News 17 for {contactfield=firstname}',
    ]) {
      const one = await sendExample(subject)
      assert.deepEqual([one.emailId, one.transportId], [17, email.id], subject)
    }
    const words = '[TEST] =?utf-8?Q?Gr=C3=B6=C3=9Fe?='
    for (const [subject, reason] of [
      [words, /2 published emails have the subject of this test \(19, 20\)/],
      ['[TEST] Winter', /no published email/],
      ['[TEST] News 17 for Ann', /no published email/],
      ['News 17 for =?utf-8?Q?J=C3=BCrgen?=', /no published email/],
      ['News 17 for [First Name] was edited', /no published email/],
      ['Grö=C3=9Fe', /no published email that is known has the subject of this message/],
    ] as const) {
      const { emailId, transportId, trace } = await sendExample(subject)
      assert.deepEqual([emailId, transportId], [null, fallback.id], subject)
      assert.match(trace, reason)
    }
  })

  test('wait, rather than greet a stranger, while the Mautic does not answer', async () => {
    const { service } = shared
    const { id: transportId } = await addTransport(service)
    const { id: templateId } = await addTemplate(service, { template: '{{ contact.firstname }}' })
    const to = addressOf('bea')
    const mautic = await addMautic(service, { transportId, contacts: { 4: { email: to } } })
    mautic.double.behaviour.fault = () => 'reset'
    const text = `X-Contact-Id: 4\nSubject: {twigtemplate=${templateId}}\n\nHello`
    assert.deepEqual(await submit(mautic, { to, text }), ['451 4.4.3'])
    assert.deepEqual(await deliveriesTo(to), [])
    const plain = 'X-Contact-Id: 4\nSubject: Hello\n\nHello'
    assert.deepEqual(await submit(mautic, { to, text: plain }), ['250 2.0.0'])
  })

  test('of the same email to the same recipient are duplicates only with the same content', async () => {
    const { service } = shared
    const { id: transportId } = await addTransport(service)
    const to = addressOf('cy')
    const [one, other] = [
      await addMautic(service, { transportId, emails: [1] }),
      await addMautic(service, { transportId, emails: [1] }),
    ]
    const text = (body: string) =>
      `Message-ID: <${uniqueName('id')}@brand.test>\nPrecedence: Bulk\nX-EMAIL-ID: 1\nTo: ${to}\n\n${body}`
    await submit(one, { to, text: text('Spring') })
    await submit(one, { to, text: text('Spring') })
    assert.equal((await deliveriesTo(to)).length, 1)
    await submit(one, { to, text: text('Autumn') })
    assert.equal((await deliveriesTo(to)).length, 2)
    await submit(other, { to, text: text('Spring') })
    assert.equal((await deliveriesTo(to)).length, 3)
  })
})
