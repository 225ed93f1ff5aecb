import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addUser, uniqueName } from '../callers.ts'
import { onMailyard } from '../on-each-database.ts'
import type { TestApp, TestBody } from '../test-app.ts'

onMailyard('one contact per email address', { isOwn: true }, (shared) => {
  const { ask, askFor } = shared
  const create = (values: object) => ask('POST', '/api/contacts/new', values)
  const address = () => `${uniqueName('ann').replaceAll(' ', '-')}@example.com`
  const countOf = async (email: string): Promise<number> => {
    const query = new URLSearchParams({ search: email.trim().toLowerCase() })
    return (await ask('GET', `/api/contacts?${query.toString()}`)).body.total
  }
  const all = (contact: TestBody) => contact.fields.all

  describe('creating a contact whose address exists', () => {
    test('updates it: 200, the same id, and missing fields are unchanged', async () => {
      const email = address()
      const first = await create({ email, firstname: 'Ann', city: 'Bern', tags: ['a'] })
      assert.equal(first.status, 201, first.text)
      const second = await create({ email: ` ${email.toUpperCase()} `, city: 'Basel', tags: ['b'] })
      assert.equal(second.status, 200, second.text)
      assert.equal(second.headers['location'], undefined)
      const { contact } = second.body
      assert.equal(contact.id, first.body.contact.id)
      assert.deepEqual([all(contact).firstname, all(contact).city], ['Ann', 'Basel'])
      assert.equal(all(contact).email, email.toUpperCase())
      assert.deepEqual(contact.tags, [{ tag: 'a' }, { tag: 'b' }])
      assert.deepEqual((await ask('GET', `/api/contacts/${contact.id}`)).body, { contact })
      assert.equal(await countOf(email), 1)
    })

    test('asks for the permission to edit contacts, and to publish where it does', async () => {
      const email = address()
      const { body } = await create({ email, isPublished: false })
      const creator = await addUser(shared.service, { contact: ['create'] })
      const refused = await ask(
        'POST',
        '/api/contacts/new',
        { email, city: 'x' },
        { as: creator.as },
      )
      assert.equal(refused.status, 403, refused.text)
      const editor = await addUser(shared.service, { contact: ['create', 'edit'] })
      const edited = await ask('POST', '/api/contacts/new', { email, city: 'x' }, { as: editor.as })
      assert.deepEqual([edited.status, edited.body.contact?.isPublished], [200, false])
      const published = await ask(
        'POST',
        '/api/contacts/new',
        { email, isPublished: true },
        { as: editor.as },
      )
      assert.equal(published.status, 403, published.text)
      assert.equal(
        (await ask('GET', `/api/contacts/${body.contact.id}`)).body.contact.isPublished,
        false,
      )
    })

    test('updates it in a batch: 200 for that item, 201 for the others, in order', async () => {
      const [old, fresh] = [address(), address()]
      const { body } = await create({ email: old, firstname: 'Old' })
      const batch = await askFor('POST', '/api/contacts/batch/new', [
        { email: fresh, firstname: 'Fresh' },
        { email: 'not an address' },
        { email: old.toUpperCase(), lastname: 'Changed' },
        { firstname: 'without an address' },
        { email: ` ${fresh}`, city: 'Bern' },
        { firstname: 'without an address' },
      ])
      assert.deepEqual(batch.statusCodes, [201, 400, 200, 201, 200, 201])
      const [first, , updated, , again] = batch.contacts
      assert.equal(updated.id, body.contact.id)
      assert.deepEqual([all(updated).firstname, all(updated).lastname], ['Old', 'Changed'])
      assert.equal(again.id, first.id)
      assert.deepEqual([all(again).firstname, all(again).city], ['Fresh', 'Bern'])
      assert.equal(await countOf(fresh), 1)
    })

    test('updates it where a PUT names an id that is not there', async () => {
      const email = address()
      const { body } = await create({ email, firstname: 'Ann' })
      const { id } = body.contact
      const put = await ask('PUT', '/api/contacts/999999/edit', { email, city: 'Bern' })
      assert.deepEqual([put.status, put.body.contact.id], [200, id])
      const batch = await ask('PUT', '/api/contacts/batch/edit', [
        { id: 999_999, email, lastname: 'One' },
        { id, email, firstname: 'Two' },
      ])
      assert.deepEqual(batch.body.statusCodes, [200, 200], batch.text)
      const { contact } = (await ask('GET', `/api/contacts/${id}`)).body
      assert.deepEqual([all(contact).firstname, all(contact).lastname], ['Two', null])
    })

    test('updates one only in batches at the same moment, in any order', async () => {
      const emails = Array.from({ length: 300 }, address)
      const other = await shared.openAnother()
      const send = (service: TestApp, list: string[], tag: string) =>
        service.ask(
          'POST',
          '/api/contacts/batch/new',
          list.map((email) => ({ email, tags: [tag] })),
        )
      const answers = await Promise.all([
        send(shared.service, emails, 'a'),
        send(other, emails.toReversed(), 'b'),
      ])
      const codes = answers.flatMap(({ body }) => body.statusCodes)
      assert.equal(codes.filter((code) => code === 201).length, 300)
      assert.equal(codes.filter((code) => code === 200).length, 300)
      const { body } = await create({ email: emails[7] })
      assert.deepEqual(body.contact.tags.map(({ tag }: TestBody) => tag).toSorted(), ['a', 'b'])
    })
  })

  describe('an edit to the address of another contact', () => {
    test('is refused with the id of the other', async () => {
      const [one, two] = [address(), address()]
      const { id } = (await create({ email: one })).body.contact
      const other = (await create({ email: two })).body.contact
      for (const method of ['PATCH', 'PUT'] as const) {
        const moved = await ask(method, `/api/contacts/${other.id}/edit`, {
          email: ` ${one.toUpperCase()}`,
        })
        assert.equal(moved.status, 409, moved.text)
        assert.match(moved.body.error, new RegExp(`\\b${id}\\b`))
      }
      const batch = await ask('PATCH', '/api/contacts/batch/edit', [
        { id: other.id, email: one },
        { id, city: 'Bern' },
      ])
      assert.deepEqual(batch.body.statusCodes, [409, 200])
      const own = await ask('PATCH', `/api/contacts/${id}/edit`, { email: one.toUpperCase() })
      assert.equal(all(own.body.contact).email, one.toUpperCase())
    })

    test('is refused to all but one that do so at the same moment', async () => {
      const email = address()
      const ids: number[] = []
      for (let count = 0; count < 8; count++) {
        ids.push((await create({ email: address() })).body.contact.id)
      }
      const other = await shared.openAnother()
      const answers = await Promise.all(
        ids.map((id, index) =>
          (index % 2 === 0 ? shared.service : other).ask('PATCH', '/api/contacts/batch/edit', [
            { id, email },
          ]),
        ),
      )
      const codes = answers.flatMap(({ body, status }) => body.statusCodes ?? [status])
      assert.deepEqual(codes.toSorted(), [200, ...Array.from({ length: 7 }, () => 409)])
    })
  })

  test('contacts without an address are as many as there are', async () => {
    for (const email of [undefined, null, '', '  ']) {
      const { status, body } = await create({ firstname: 'No address', email })
      assert.deepEqual([status, all(body.contact).email], [201, null])
    }
  })
})
