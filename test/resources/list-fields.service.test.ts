import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addEmail, addTransport, uniqueName } from '../callers.ts'
import { onMailyard } from '../on-each-database.ts'

onMailyard('the parameter fields of a list', (shared) => {
  const { ask } = shared

  test('keeps the named members of each entry, in every kind of list', async () => {
    const name = uniqueName('short')
    const email = await addEmail(shared.service, { name })
    const transport = await addTransport(shared.service, { name })
    const query = `search=${name}&fields=id,name`
    const emails = await ask('GET', `/api/emails?${query}`)
    const short = { id: email.id, name }
    assert.deepEqual(emails.body, { total: 1, emails: { [email.id]: short } })
    const transports = await ask('GET', `/api/multipleTransports?${query}`)
    assert.deepEqual(transports.body, [{ id: transport.id, name }])
  })

  test('does not need the id', async () => {
    const name = uniqueName('short')
    const { id } = await addEmail(shared.service, { name })
    const { body } = await ask('GET', `/api/emails?search=${name}&fields=name`)
    assert.deepEqual(body.emails, { [id]: { name } })
  })

  test('is refused with the known members where one is unknown', async () => {
    const { status, body } = await ask('GET', '/api/emails?fields=html')
    assert.equal(status, 400)
    assert.match(body.details.fields[0], /^must be a list of id, name, subject/)
  })
})

onMailyard('the fields of contacts', (shared) => {
  test('are listed by id, as contacts have them', async () => {
    const { body } = await shared.ask('GET', '/api/contacts/list/fields')
    const fields = Object.values(body as Record<string, { id: number; alias: string }>)
    assert.deepEqual(
      [body['1'].alias, body['3'].alias, body['3'].label],
      ['email', 'firstname', 'First Name'],
    )
    const contact = { email: `${uniqueName('ann')}@example.com`, firstname: 'Ann' }
    const created = await shared.ask('POST', '/api/contacts/new', contact)
    const { core, social } = created.body.contact.fields
    for (const { id, alias } of fields)
      assert.equal({ ...core, ...social }[alias].id, String(id), alias)
  })
})
