import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createBroadcastFixture } from '../../../test/broadcasts/broadcast-fixture.ts'
import { addTemplate, addUser, uniqueName } from '../../../test/callers.ts'
import { submitMessage } from '../../../test/mautics.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'

onEachDatabase("a contact's owner", (shared) => {
  const fixture = createBroadcastFixture(() => shared.service)
  const username = uniqueName('owner')
  const subject = `Yours, Olga Owner (${username}, ${username}@brand.test)`
  const template =
    'Yours, {{ contact.owner.firstName }} {{ contact.owner.lastName }} ({{ contact.owner.username }}, {{ contact.owner.email }})'
  let owner: number
  let transportId: number
  let templateId: number

  before(async () => {
    const { service } = shared
    owner = (await addUser(service, {})).id
    const values = {
      username,
      email: `${username}@brand.test`,
      firstName: 'Olga',
      lastName: 'Owner',
    }
    const edited = await service.ask('PATCH', `/api/users/${owner}/edit`, values)
    assert.equal(edited.status, 200, edited.text)
    transportId = await fixture.transport('inbox://local')
    templateId = (await addTemplate(service, { template })).id
  })

  const subjectTo = async (address: string) => {
    const { body } = await shared.service.ask('GET', `/api/inbox?search=${address}`)
    return body.messages[0]?.subject
  }
  const addContacts = async (count: number) =>
    (await fixture.segment(count, () => ({ owner }))).contacts
  const addOwnEmail = () => fixture.email(transportId, { subject: template, isTwig: true })

  test('is shown by a broadcast, and by an email to one contact', async () => {
    const contacts = await addContacts(2)
    const [first, second] = contacts
    const emailId = await addOwnEmail()
    const id = await fixture.send(emailId, { contactIds: [first?.id] })
    await fixture.until(id, ({ state }) => state === 'done')
    await shared.service.ask('POST', `/api/emails/${emailId}/contact/${second?.id}/send`, {})
    for (const { email } of contacts) assert.equal(await subjectTo(email), subject)
  })

  test('is shown over SMTP, and by a preview', async () => {
    const { service } = shared
    const [contact] = await addContacts(1)
    assert.ok(contact !== undefined)
    const text = `X-Mailyard-Transport: ${transportId}\nSubject: {twigtemplate=${templateId}}\n\nHello`
    assert.deepEqual(await submitMessage(service, undefined, { to: contact.email, text }), [
      '250 2.0.0',
    ])
    assert.equal(await subjectTo(contact.email), subject)
    const body = { template, contactId: contact.id }
    const preview = await service.ask('POST', '/api/twigTemplates/render', body)
    assert.equal(preview.body.output, subject)
  })

  test('is null for a contact without one', async () => {
    const [contact] = (await fixture.segment(1)).contacts
    const body = {
      template: '{{ contact.owner is null ? "none" : "one" }}',
      contactId: contact?.id,
    }
    const { body: answer } = await shared.service.ask('POST', '/api/twigTemplates/render', body)
    assert.equal(answer.output, 'none')
  })
})
