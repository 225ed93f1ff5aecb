import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addTemplate, addUser, uniqueName } from '../../../../test/callers.ts'
import { submitMessage } from '../../../../test/mautics.ts'
import { onEachDatabase } from '../../../../test/on-each-database.ts'
import { createSendFixture } from '../../../../test/send-fixture.ts'

onEachDatabase("a contact's owner", (shared) => {
  const fixture = createSendFixture(() => shared.service)
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
    const names = { username, firstName: 'Olga', lastName: 'Owner' }
    const values = { ...names, email: `${username}@brand.test` }
    await service.askFor('PATCH', `/api/users/${owner}/edit`, values)
    transportId = await fixture.transport('inbox://local')
    templateId = (await addTemplate(service, { template })).id
  })

  const subjectTo = async (address: string) => {
    const { body } = await shared.ask('GET', '/api/inbox')
    const message = body.messages.find(({ recipients }: { recipients: string[] }) =>
      recipients.includes(address),
    )
    return message?.subject
  }
  const addContacts = (count: number) => fixture.contacts(count, () => ({ owner }))
  const addOwnEmail = () => fixture.email(transportId, { subject: template, isTwig: true })

  test('is shown by an email to the contact', async () => {
    const [contact] = await addContacts(1)
    assert.ok(contact !== undefined)
    await fixture.send(await addOwnEmail(), contact.id)
    assert.equal(await subjectTo(contact.email), subject)
  })

  test('is shown over SMTP, and by a preview', async () => {
    const { service } = shared
    const [contact] = await addContacts(1)
    assert.ok(contact !== undefined)
    const text = `X-Mailyard-Transport: ${transportId}\nSubject: {twigtemplate=${templateId}}\n\nHello`
    await submitMessage(service, undefined, { to: contact.email, text })
    assert.equal(await subjectTo(contact.email), subject)
    const body = { template, contactId: contact.id }
    const preview = await service.ask('POST', '/api/twigTemplates/render', body)
    assert.equal(preview.body.output, subject)
  })

  test('is null for a contact without one', async () => {
    const [contact] = await fixture.contacts(1)
    const template = '{{ contact.owner is null ? "none" : "one" }}'
    const body = { template, contactId: contact?.id }
    const { body: answer } = await shared.ask('POST', '/api/twigTemplates/render', body)
    assert.equal(answer.output, 'none')
  })
})
