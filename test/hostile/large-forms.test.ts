import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTransport, uniqueName } from '../callers.ts'
import { onEachDatabase } from '../on-each-database.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }
/** Far more than any of these takes, and far less than the square of their length would. */
const patienceMs = 5_000

onEachDatabase('a form or query of very many fields', (shared) => {
  test('takes no longer than its length says, also from somebody who is not logged in', async () => {
    const places = Array.from({ length: 100_000 }, (_, place) => `a[${place}]=`)
    const bodies = ['a[]=&'.repeat(190_000), 'a=&'.repeat(340_000), places.join('&')]
    const start = performance.now()
    for (const body of bodies) {
      for (const url of ['/oauth/v2/token', '/oauth/v2/authorize', '/oauth/v2/authorize_login']) {
        const answer = await shared.yard.ask('POST', url, body, { as: 'nobody', headers: form })
        assert.equal(answer.status, 413, answer.text)
      }
      const query = body.slice(0, 200_000)
      const answer = await shared.yard.ask('GET', `/api/users?${query}`, undefined, {
        as: 'nobody',
      })
      assert.equal(answer.status, 401)
    }
    assert.ok(performance.now() - start < patienceMs)
  })

  test('is read whole: a list of any length, and a batch of any places', async () => {
    const { yard } = shared
    const tags = Array.from({ length: 200 }, (_, index) => `tag ${index}`)
    const body = tags.map((tag) => `tags[]=${tag}`).join('&')
    const contact = await yard.ask('POST', '/api/contacts/new', body, { headers: form })
    assert.equal(contact.status, 201, contact.text)
    assert.equal(contact.body.contact.tags.length, tags.length)

    const name = uniqueName('form')
    const items = Array.from(
      { length: 300 },
      (_, index) => `${index}[name]=${name}-${index}&${index}[mailerDsn]=null://null`,
    )
    const url = '/api/multipleTransports/batch/new'
    const batch = await yard.ask('POST', url, items.join('&'), { headers: form })
    assert.equal(batch.status, 201, batch.text)
    assert.deepEqual(
      batch.body.multipleTransports.map((each: { name: string }) => each.name),
      items.map((_, index) => `${name}-${index}`),
    )
  })

  test('is refused above a megabyte, where JSON is taken', async () => {
    const { yard } = shared
    const { id } = await addTransport(yard)
    const text = 'x'.repeat(1_100_000)
    const url = '/api/multipleTransports/batch/edit'
    const asForm = await yard.ask('PATCH', url, `0[id]=${id}&0[unknown]=${text}`, { headers: form })
    assert.equal(asForm.status, 413)
    assert.equal((await yard.ask('PATCH', url, [{ id, unknown: text }])).status, 200)
  })
})
