import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addEmail, addUser, uniqueName } from '../callers.ts'
import { onMailyard } from '../on-each-database.ts'

onMailyard('emails and contacts', (shared) => {
  const { ask, askFor } = shared

  describe('emails', () => {
    test('have the fields decided, in the shape of Mautic', async () => {
      const values = {
        name: uniqueName('email'),
        subject: 'Hello {contactfield=firstname}',
        fromAddress: 'from@example.com',
        fromName: 'Ann & Co',
        replyToAddress: 'reply@example.com',
        customHtml: '<p class="a">Hello</p>\r\n',
        plainText: 'Hello\n',
        isPublished: false,
        headers: { 'X-Campaign': 'spring' },
      }
      const { email } = await askFor('POST', '/api/emails/new', values)
      assert.deepEqual({ ...email, ...values }, email)
      assert.deepEqual((await ask('GET', `/api/emails/${email.id}`)).body, { email })
      const { body } = await ask('GET', '/api/emails?limit=0')
      assert.deepEqual(body.emails[email.id], email, 'a list is keyed by id')
      const gone = await ask('DELETE', `/api/emails/${email.id}/delete`)
      assert.deepEqual([gone.status, gone.body.email.id], [200, null])
    })

    test("take headers as Mautic's list, too, and none that would break a message", async () => {
      const email = await addEmail(shared.service)
      assert.deepEqual(email.headers, [])
      const edit = (headers: unknown) => ask('PATCH', `/api/emails/${email.id}/edit`, { headers })
      const listed = await edit({ list: [{ label: 'X-A', value: 'v' }] })
      assert.deepEqual(listed.body.email.headers, { 'X-A': 'v' })
      assert.deepEqual((await edit([])).body.email.headers, [])
      for (const wrong of [
        { 'X-A': 'v\r\nBcc: everyone@example.com' },
        { 'X-A\r\nBcc': 'v' },
        { 'X A': 'v' },
        { 'X-A': 5 },
        { list: [{ label: 'X-A', value: 'v\nw' }] },
        'X-A: v',
      ]) {
        assert.equal((await edit(wrong)).status, 400, JSON.stringify(wrong))
      }
    })
  })

  describe('contacts', () => {
    test("take Mautic's flat fields and give its nested ones", async () => {
      const owner = await addUser(shared.service, {})
      const values = {
        firstname: 'Ada',
        lastname: 'Lovelace',
        email: 'ada@example.com',
        company: 'Analytical Engines',
        city: 'London',
        points: 7,
        owner: owner.id,
        tags: ['first', 'second'],
      }
      const { contact } = await askFor('POST', '/api/contacts/new', values)
      const { all, core } = contact.fields
      assert.deepEqual(
        [all.firstname, all.lastname, all.email, all.company, all.city, all.points],
        ['Ada', 'Lovelace', 'ada@example.com', 'Analytical Engines', 'London', 7],
      )
      assert.equal(core.firstname.value, 'Ada')
      assert.equal(contact.owner.id, owner.id)
      assert.deepEqual(contact.tags, [{ tag: 'first' }, { tag: 'second' }])
      assert.deepEqual((await ask('GET', `/api/contacts/${contact.id}`)).body, { contact })
      const { body } = await ask('GET', '/api/contacts?limit=0')
      assert.deepEqual(body.contacts[contact.id], contact)
    })

    test('are changed field by field; tags are added, and taken away with a minus', async () => {
      const values = { firstname: 'Ada', email: 'a@example.com', tags: 'one, zero,' }
      const { body } = await ask('POST', '/api/contacts/new', values)
      const path = `/api/contacts/${body.contact.id}/edit`
      const edited = await ask('PATCH', path, { city: 'London', tags: ['two', '-one'] })
      const { fields, tags } = edited.body.contact
      assert.deepEqual([fields.all.firstname, fields.all.city], ['Ada', 'London'])
      assert.deepEqual(tags, [{ tag: 'zero' }, { tag: 'two' }])
      const asText = await ask('PATCH', path, { tags: '-zero,three' })
      assert.deepEqual(asText.body.contact.tags, [{ tag: 'two' }, { tag: 'three' }])
      const cleared = await ask('PATCH', path, { city: '', owner: null })
      assert.equal(cleared.body.contact.fields.all.city, null)
    })

    test('are listed by a tag that they have, and by no part of one', async () => {
      const vip = `${uniqueName('Vip')} "A" é`
      for (const tags of [['x', vip], [vip], [`${vip} 2`]])
        await ask('POST', '/api/contacts/new', { firstname: 'Tagged', tags })
      const totalOf = async (tag: string) =>
        (await ask('GET', `/api/contacts?${new URLSearchParams({ tag })}`)).body.total
      assert.equal(await totalOf(vip), 2)
      assert.equal(await totalOf(vip.slice(1)), 0)
    })

    test('have a limited number of tags, of limited length', async () => {
      const named = (kind: string, count: number, from = 0) =>
        Array.from({ length: count }, (_, index) => `${kind} ${from + index}`)
      const { body } = await ask('POST', '/api/contacts/new', { tags: named('t', 150) })
      const path = `/api/contacts/${body.contact.id}/edit`
      const more = await ask('PATCH', path, { tags: named('t', 60, 150) })
      assert.equal(more.status, 400)
      assert.match(more.body.details.tags[0], /200 or fewer; the contact would have 210/)
      const swapped = [...named('t', 60, 150), ...named('-t', 10)]
      assert.equal((await ask('PATCH', path, { tags: swapped })).body.contact.tags.length, 200)
      for (const list of [named('t', 401), ['x'.repeat(256)]])
        for (const tags of [list, list.join(',')]) {
          const { status, body: refused } = await ask('POST', '/api/contacts/new', { tags })
          assert.equal(status, 400)
          assert.match(refused.error, /\b(200|400|255)\b/)
        }
    })
  })
})
