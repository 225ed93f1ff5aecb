import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTemplate, addTransport, uniqueName } from '../../../../test/callers.ts'
import { addMautic, submitMessage } from '../../../../test/mautics.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'

onMailyard('a message of a Mautic in the mode queue', { isStarted: false }, (shared) => {
  test('is answered 250 without a question to its Mautic, and gets the data of its contact when it is sent', async () => {
    const { service } = shared
    const { id: transportId } = await addTransport(service, { mailerDsn: 'inbox://local' })
    const { id: templateId } = await addTemplate(service, { template: '{{ contact.firstname }}' })
    const to = `${uniqueName('ann')}@rcpt.test`
    const mautic = await addMautic(service, {
      transportId,
      emails: [17],
      contacts: { 9: { email: to, firstname: 'Ann' } },
    })
    const { requests, behaviour } = mautic.double
    const asked = requests.length
    behaviour.fault = () => 'hang'
    const subject = `${uniqueName('subject')} {twigtemplate=${templateId}}`
    const text = `X-EMAIL-ID: 17\nX-Contact-Id: 9\nSubject: ${subject}\n\nHello`
    // Nothing is sent yet, so a question could only come before the answer.
    const replies = await submitMessage(service, mautic, { to, text, mode: 'queue' })
    assert.deepEqual(replies, ['250 2.0.0'])
    assert.equal(requests.length, asked)
    behaviour.fault = () => undefined
    await service.app.start()
    await service.app.idle()
    const { text: inbox } = await service.ask('GET', '/api/inbox?limit=100')
    assert.ok(inbox.includes(subject.replace(/\{.*\}/, 'Ann')), inbox)
    assert.ok(requests.length > asked)
  })
})
