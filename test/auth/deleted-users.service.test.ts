import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addClient, addRole, addTransport, addUser } from '../callers.ts'
import { onMailyard } from '../on-each-database.ts'

onMailyard('deleting a user or a role', (shared) => {
  const { ask, askFor } = shared

  test('says which contacts have no owner then, and that the assignment ended', async () => {
    const user = await addUser(shared.service, {})
    const contacts = [{ owner: user.id }, { owner: user.id }, { firstname: 'Not theirs' }]
    const { body: created } = await ask('POST', '/api/contacts/batch/new', contacts)
    const contactId = created.contacts[0].id
    const { id: transportId } = await addTransport(shared.service)
    const assignment = `/api/multipleTransport/transportUser/${user.id}`
    await ask('POST', assignment, { transportId })
    const body = await askFor('DELETE', `/api/users/${user.id}/delete`)
    assert.match(body.message, /2 contacts have no owner now/)
    assert.match(body.message, new RegExp(`assignment of transport ${transportId} .* has ended`))
    const { contact } = (await ask('GET', `/api/contacts/${contactId}`)).body
    assert.equal(contact.owner, null)
  })

  test('says so in a batch, by item', async () => {
    const [owner, other] = [await addUser(shared.service, {}), await addUser(shared.service, {})]
    await ask('POST', '/api/contacts/new', { owner: owner.id })
    const ids = `${other.id},${owner.id}`
    const { body } = await ask('DELETE', `/api/users/batch/delete?ids=${ids}`)
    assert.deepEqual(body.messages, { 1: '1 contact has no owner now.' })
  })

  test('of a role that is in use is refused, with the number of its users and clients', async () => {
    const role = await addRole(shared.service, { email: ['view'] })
    await addUser(shared.service, role)
    await addClient(shared.service, { role, grantTypes: ['client_credentials'], redirectUris: [] })
    const { status, body } = await ask('DELETE', `/api/roles/${role}/delete`)
    assert.equal(status, 409)
    assert.match(body.error, /in use by 1 user and 1 OAuth client\./)
  })
})
