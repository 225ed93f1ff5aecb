import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onMailyard } from '../../../test/on-each-database.ts'

onMailyard('an email that is Twig itself', (shared) => {
  const save = (values: object) =>
    shared.ask('POST', '/api/emails/new', {
      name: 'Twig',
      subject: 's',
      isTwig: true,
      ...values,
    })

  test('is refused where it cannot run, with every fault, its line and column', async () => {
    const { status, body } = await save({
      subject: 'Hi {{ contact.firstname }',
      customHtml: '<p>{contactfield=firstname}</p>\n{contactfield=lastname} {% if %}',
      headers: { 'X-Broken': '{{', 'X-Whole': 'x' },
    })
    assert.equal(status, 400)
    assert.deepEqual(Object.keys(body.details), ['subject', 'customHtml', 'headers.X-Broken'])
    assert.match(body.details.subject[0], /\(line 1, column 2\d\)\.$/)
    assert.match(body.details.customHtml[0], /\(line 2, column \d\d\)\.$/)
  })

  test('names the expected format where headers have another one', async () => {
    for (const headers of [
      { list: [{ label: 'X Bad', value: 'x' }] },
      { 'X-Two': 'a\r\nb' },
      'x',
    ]) {
      const { status, body } = await save({ headers })
      assert.equal(status, 400)
      assert.match(body.details.headers[0], /each header one line of text: \{"X-Name": "value"\}/)
    }
  })

  test('has a hundred headers at most, and only those are linted', async () => {
    const many = (count: number, value: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-${index}`, value]))
    const list = (count: number) =>
      Object.keys(many(count, '')).map((label) => ({ label, value: 'x' }))
    assert.equal((await save({ headers: many(100, '{{ 1 }}') })).status, 201)
    assert.equal((await save({ headers: { list: list(100) } })).status, 201)
    // When all were parsed, each of the last three blocked other requests for seconds.
    for (const headers of [
      many(101, 'x'),
      { list: list(101) },
      many(40_000, '{{'),
      Array.from({ length: 150_000 }, () => '{{'),
      '{'.repeat(900_000),
    ]) {
      const { status, body } = await save({ headers })
      assert.equal(status, 400)
      assert.match(body.details.headers[0], /100 headers or fewer/)
      assert.ok(Object.keys(body.details).length <= 101)
    }
  })

  test('lists its faults together with those of other fields', async () => {
    const { status, body } = await save({ name: '', subject: '{{' })
    assert.equal(status, 400)
    assert.deepEqual(Object.keys(body.details), ['name', 'subject'])
  })

  test('may contain tokens, and templates that do not exist yet', async () => {
    const html = '{twigtemplate=999999}{{ "{contactfield=email}" }}{% include "Later" %}'
    assert.equal((await save({ customHtml: html })).status, 201)
  })

  test('is linted as a whole when an edit only sets isTwig', async () => {
    const plain = await save({ isTwig: false, customHtml: 'a {{ b' })
    assert.equal(plain.status, 201)
    const path = `/api/emails/${plain.body.email.id}/edit`
    const { status, body } = await shared.ask('PATCH', path, { isTwig: true })
    assert.equal(status, 400)
    assert.deepEqual(Object.keys(body.details), ['customHtml'])
  })
})
