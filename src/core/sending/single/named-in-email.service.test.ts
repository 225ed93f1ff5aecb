import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addTemplate, addTransport, addUser } from '../../../../test/callers.ts'
import { useMailCatcher } from '../../../../test/mail-catcher.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'
import { createSendFixture } from '../../../../test/send-fixture.ts'
import type { TestBody } from '../../../../test/test-app.ts'

onMailyard('an email that names a transport in its header', (shared) => {
  const catcher = useMailCatcher()
  const fixture = createSendFixture(() => shared.service)
  const { ask } = shared
  let named: TestBody
  let assigned: number
  before(async () => {
    assigned = await fixture.transport('null://null')
    named = await addTransport(shared.service, { name: 'Brand A', mailerDsn: catcher.dsn })
  })
  const addEmail = (value: string, values: Record<string, unknown> = {}) =>
    fixture.email(assigned, {
      headers: { 'x-mailyard-Transport': value, 'X-Kept': 'yes' },
      ...values,
    })
  const resolve = (query: string) => ask('GET', `/api/multipleTransport/resolve?${query}`)
  const mailTo = (email: string) => catcher.mails.find(({ to }) => to.includes(email))?.raw ?? ''

  test('is sent through it instead of the assigned one, without the header', async () => {
    for (const value of ['brand a', String(named.id), ' Brand A ']) {
      const [emailId, contact] = [await addEmail(value), await fixture.contact()]
      assert.deepEqual(await fixture.send(emailId, contact.id), { success: true })
      const [delivery] = await fixture.deliveries(`emailId=${emailId}`)
      assert.deepEqual([delivery.transportId, delivery.trace[0].source], [named.id, 'named'])
      const { body } = await resolve(`emailId=${emailId}&contactId=${contact.id}`)
      assert.deepEqual(body.trace, delivery.trace)
      assert.equal(body.transport.id, named.id)
      assert.match(mailTo(contact.email), /^X-Kept: yes\r$/m)
      assert.doesNotMatch(mailTo(contact.email), /X-Mailyard-Transport/i)
    }
  })

  test('may name one for each contact by a token or Twig, sent to one contact', async () => {
    for (const [value, isTwig] of [
      ['{contactfield=city}', false],
      ['{{ contact.city }}', true],
    ] as const) {
      const emailId = await addEmail(value, { isTwig })
      const contact = await fixture.contact({ city: 'Brand A' })
      assert.deepEqual(await fixture.send(emailId, contact.id), { success: true })
      assert.equal((await fixture.deliveries(`emailId=${emailId}`))[0].transportId, named.id)
      const found = await resolve(`emailId=${emailId}&contactId=${contact.id}`)
      assert.equal(found.body.transport.id, named.id)
      const lost = await resolve(`emailId=${emailId}`)
      assert.equal(lost.status, 400)
      assert.match(lost.text, /depends on the contact.*contactId/)
      // If the contact has no value, no transport is named.
      const other = await fixture.contact()
      assert.deepEqual(await fixture.send(emailId, other.id), { success: true })
      assert.equal((await fixture.deliveries(`contactId=${other.id}`))[0].transportId, assigned)
    }
  })

  test('is not sent through another if that one cannot be used', async () => {
    const contact = await fixture.contact()
    const emailId = await addEmail('No such brand')
    const { success, failed } = await fixture.send(emailId, contact.id)
    assert.equal(success, false)
    assert.match(failed, /"No such brand".*not found/)
    const { body } = await resolve(`emailId=${emailId}`)
    assert.match(body.problem, /"No such brand".*not found/)
    assert.deepEqual(await fixture.deliveries(`emailId=${emailId}`), [])
  })

  test('shows no template to a caller who may not view templates', async () => {
    const { id } = await addTemplate(shared.service, { template: 'hidden text' })
    const emailId = await addEmail(`{twigtemplate=${id}}`)
    const contact = await fixture.contact()
    const view = ['view']
    const rights = { multipleTransports: view, email: view, contact: view }
    const { as } = await addUser(shared.service, rights)
    const path = `/api/multipleTransport/resolve?emailId=${emailId}&contactId=${contact.id}`
    const answer = await ask('GET', path, undefined, { as })
    assert.equal(answer.status, 403)
    assert.doesNotMatch(answer.text, /hidden text/)
  })
})
