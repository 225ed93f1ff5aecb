import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addEmail, addTemplate, addTransport, addUser } from '../callers.ts'
import { useScreens } from './test-screens.ts'

describe('deleted records in the console', () => {
  const console = useScreens()

  const statusOf = async (path: string) => (await console.service.ask('GET', path)).status
  const addContact = async (email: string): Promise<number> => {
    const body = await console.ask('POST', '/api/contacts/new', { email })
    return body.contact.id
  }

  test('the dialog names what uses a transport before it is deleted, and Undo restores it', async () => {
    const { id } = await addTransport(console.service, { name: 'Brand' })
    const email = await console.fixture.email(id)
    const page = await console.open(`/transports/${id}`)
    await page.askToDelete()
    const dialog = page.dialog('Delete transport "Brand"?')
    await dialog.see('1 email loses it.', 'Used by 1 email.')
    assert.equal(await statusOf(`/api/multipleTransports/${id}`), 200)
    await dialog.button('Delete').click()
    await page.see('Deleted: Brand. It was assigned to 1 email')
    assert.equal(await statusOf(`/api/multipleTransports/${id}`), 404)
    await page.button('Undo').click()
    await page.opens('Brand')
    const body = await console.ask('GET', `/api/multipleTransport/transportEmail/${email}`)
    assert.equal(body.transportEmail.transport.id, id)
  })

  test('templates in use are named before all are deleted anyway, and Undo restores them', async () => {
    const used = await addTemplate(console.service, { name: 'Used footer' })
    const free = await addTemplate(console.service, { name: 'Free footer' })
    const customHtml = `{twigtemplate=${used.id}}`
    await addEmail(console.service, { name: 'Spring', customHtml })
    const ofUsed = `/api/twigTemplates/${used.id}`
    const ofFree = `/api/twigTemplates/${free.id}`
    const page = await console.open('/templates')
    const dialog = page.dialog()
    for (const { id } of [used, free]) await page.getByLabel(`Select ${id}`).check()
    await page.button('Delete').click()
    await dialog.see(/Used footer: .+ included by 1 published email: "Spring" \(\d+\)/)
    assert.doesNotMatch(await dialog.innerText(), /force/)
    await dialog.button('Keep them').click()
    assert.deepEqual([await statusOf(ofUsed), await statusOf(ofFree)], [200, 200])
    await page.button('Delete').click()
    await dialog.button('Delete anyway').click()
    await page.link('Used footer').gone()
    assert.deepEqual([await statusOf(ofUsed), await statusOf(ofFree)], [404, 404])
    await page.button('Undo').click()
    await page.link('Free footer').waitFor()
    assert.deepEqual([await statusOf(ofUsed), await statusOf(ofFree)], [200, 200])
  })

  test('a deleted email is listed with the user who deleted it, and restored with a warning', async () => {
    const transport = await addTransport(console.service)
    const id = await console.fixture.email(transport.id, { name: 'Summer' })
    await console.ask('DELETE', `/api/emails/${id}/delete`)
    await console.ask('DELETE', `/api/multipleTransports/${transport.id}/delete`)
    const page = await console.open('/emails')
    await page.link('Deleted').click()
    await page.row(/Summer .*admin/i).waitFor()
    await page.button('Restore Summer').click()
    await page.see(
      `Transport ${transport.id}, which it was assigned to, is deleted.`,
      'Nothing is deleted.',
    )
    assert.equal(await statusOf(`/api/emails/${id}`), 200)
    const viewer = await addUser(console.service, { email: ['view'] })
    await console.ask('DELETE', `/api/emails/${id}/delete`)
    await console.open('/emails?view=deleted', viewer)
    await page.getByRole('cell', { name: 'Summer' }).waitFor()
    assert.equal(await page.button(/Restore|Erase/).count(), 0)
  })

  test('deleted contacts are found, restored and erased, many at once', async () => {
    const ids: number[] = []
    for (const name of ['ann', 'bob', 'cy', 'dee'])
      ids.push(await addContact(`${name}@example.net`))
    const [ann, bob, cy] = ids
    const path = `/api/contacts/batch/delete?ids=${ids.join()}`
    assert.equal((await console.service.ask('DELETE', path)).status, 200)
    const page = await console.open('/contacts?view=deleted')
    const dialog = page.dialog()
    for (const id of [ann, bob]) await page.getByLabel(`Select ${id}`).check()
    await page.button('Restore').click()
    await page.see('Restored: 2.')
    await page.button('Erase cy@example.net').click()
    await dialog.see('Erase cy@example.net?')
    await dialog.button('Erase').click()
    await page.see('Erased: 1.')
    const restore = await console.service.ask('POST', `/api/contacts/${cy}/restore`)
    assert.equal(restore.status, 404)
    assert.equal(await statusOf(`/api/contacts/${ann}`), 200)
    await page.enter({ 'Search the deleted by name': 'nothing' })
    await page.see('Nothing deleted matches.')
    await page.enter({ 'Search the deleted by name': 'dee' })
    await page.getByRole('cell', { name: 'dee@example.net' }).waitFor()
  })
})
