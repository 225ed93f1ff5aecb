import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTransport, uniqueName } from '../callers.ts'
import { onMailyard } from '../on-each-database.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }

onMailyard('a form or query of very many fields', (shared) => {
  // The square of their length would take hours.
  test('takes time in proportion to its length, also from anonymous callers', async () => {
    const places = Array.from({ length: 100_000 }, (_, place) => `a[${place}]=`)
    const bodies = ['a[]=&'.repeat(190_000), 'a=&'.repeat(340_000), places.join('&')]
    for (const body of bodies) {
      for (const url of ['/oauth/v2/token', '/oauth/v2/authorize', '/oauth/v2/authorize_login']) {
        const options = { as: 'anonymous', headers: form } as const
        assert.equal((await shared.ask('POST', url, body, options)).status, 413)
      }
      const url = `/api/users?${body.slice(0, 200_000)}`
      const answer = await shared.ask('GET', url, undefined, { as: 'anonymous' })
      assert.equal(answer.status, 401)
    }
  })

  test('is read whole: a list of any length, and a batch of any places', async () => {
    const { service } = shared
    const tags = Array.from({ length: 200 }, (_, index) => `tag ${index}`)
    const body = tags.map((tag) => `tags[]=${tag}`).join('&')
    const contact = await service.askFor('POST', '/api/contacts/new', body, { headers: form })
    assert.equal(contact.contact.tags.length, tags.length)

    const name = uniqueName('form')
    const items = Array.from(
      { length: 300 },
      (_, index) => `${index}[name]=${name}-${index}&${index}[mailerDsn]=null://null`,
    )
    const url = '/api/multipleTransports/batch/new'
    const batch = await service.ask('POST', url, items.join('&'), { headers: form })
    assert.equal(batch.status, 201, batch.text)
    assert.deepEqual(
      batch.body.multipleTransports.map((each: { name: string }) => each.name),
      items.map((_, index) => `${name}-${index}`),
    )
  })

  test('is refused above a megabyte, where JSON is taken', async () => {
    const { service } = shared
    const { id } = await addTransport(service)
    const text = 'x'.repeat(1_100_000)
    const url = '/api/multipleTransports/batch/edit'
    const asForm = await service.ask('PATCH', url, `0[id]=${id}&0[unknown]=${text}`, {
      headers: form,
    })
    assert.equal(asForm.status, 413)
    assert.equal((await service.ask('PATCH', url, [{ id, unknown: text }])).status, 200)
  })
})
