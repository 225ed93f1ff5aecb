import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { addEmail, addTemplate, addTransport, addUser, type TestUser } from '../callers.ts'
import { onMailyard } from '../on-each-database.ts'

const all = ['view', 'create', 'edit', 'delete', 'publish', 'send']

onMailyard('an email author without twigtemplates:view', { isOwn: true }, (shared) => {
  const { ask, askFor } = shared
  let author: TestUser
  let contactId: number
  let templateId: number
  before(async () => {
    author = await addUser(shared.service, { email: all, contact: ['view', 'create'] })
    templateId = (await addTemplate(shared.service, { name: 'prices', template: 'Secret price' }))
      .id
    const made = await ask('POST', '/api/contacts/new', { email: 'ann@example.com' })
    contactId = made.body.contact.id
    const { id: transportId } = await addTransport(shared.service)
    await ask('POST', '/api/multipleTransport/transportEmail/1', { transportId })
  })
  const as = () => ({ as: author.as })
  const uses: () => Record<string, object> = () => ({
    'a token in the HTML': { customHtml: `<p>{twigtemplate=${templateId}}</p>` },
    'a token in the subject': { subject: `{twigtemplate=${templateId}}` },
    'a token in the text': { plainText: `{twigtemplate=${templateId}}` },
    'a token in a header': { headers: { 'X-A': `{twigtemplate=${templateId}}` } },
    'an include': { isTwig: true, customHtml: '{% include "prices" %}' },
    'source()': { isTwig: true, customHtml: '{{ source("prices") }}' },
    'include() by id': { isTwig: true, subject: `{{ include("id:${templateId}") }}` },
    'a name that only rendering knows': { isTwig: true, plainText: '{{ source("pri" ~ "ces") }}' },
    'an embed': { isTwig: true, plainText: '{% embed "prices" %}{% endembed %}' },
    'an import': { isTwig: true, plainText: '{% import "prices" as p %}' },
    'a parent': { isTwig: true, customHtml: '{% extends "prices" %}' },
    'a token in Twig': { isTwig: true, plainText: `{{ "{twigtemplate=${templateId}}" }}` },
  })
  const names = Object.keys(uses())

  for (const name of names) {
    test(`cannot save or send an email that uses a template by ${name}`, async () => {
      const values = { name: 'mail', subject: 'Hello', plainText: 'x', ...uses()[name] }
      const refusedBy = (answer: { status: number; text: string }) => {
        assert.equal(answer.status, 403, answer.text)
        assert.match(answer.text, /twigtemplates:view/)
      }
      refusedBy(await ask('POST', '/api/emails/new', values, as()))
      refusedBy(await ask('PUT', '/api/emails/1/edit', values, as()))
      const plain = await ask('POST', '/api/emails/new', { name: 'mail', subject: 'Hello' }, as())
      const path = `/api/emails/${plain.body.email.id}`
      refusedBy(await ask('PATCH', `${path}/edit`, uses()[name], as()))
      const items = [values, { name: 'b', subject: 'c' }]
      const batch = await ask('POST', '/api/emails/batch/new', items, as())
      assert.deepEqual(batch.body.statusCodes, [403, 201])
      const id = plain.body.email.id
      const edits = await ask('PATCH', '/api/emails/batch/edit', [{ id, ...uses()[name] }], as())
      assert.deepEqual(edits.body.statusCodes, [403])
      const foreign = await addEmail(shared.service, values)
      refusedBy(await ask('POST', `/api/emails/${foreign.id}/contact/${contactId}/send`, {}, as()))
    })
  }

  describe('can still save', () => {
    test('emails that use no template, with and without Twig', async () => {
      for (const values of [
        { plainText: 'Hello {contactfield=firstname}' },
        {
          isTwig: true,
          plainText: '{% set a = 1 %}{{ a }}{% macro m() %}x{% endmacro %}{{ _self.m() }}',
        },
        { plainText: '{% include "prices" %}' },
      ]) {
        const email = { name: 'mail', subject: 'Hello', ...values }
        const made = await askFor('POST', '/api/emails/new', email, as())
        const url = `/api/emails/${made.email.id}/contact/${contactId}/send`
        assert.equal((await ask('POST', url, {}, as())).status, 200)
      }
    })

    test('other changes of an email that already includes a template', async () => {
      const { id } = await addEmail(shared.service, { plainText: `{twigtemplate=${templateId}}` })
      const path = `/api/emails/${id}/edit`
      assert.equal((await ask('PATCH', path, { name: 'renamed' }, as())).status, 200)
      assert.equal((await ask('PATCH', path, { plainText: 'none' }, as())).status, 200)
    })

    test('but not a switch to Twig that makes an email use a template', async () => {
      const { id } = await addEmail(shared.service, { plainText: '{{ source("prices") }}' })
      const answer = await ask('PATCH', `/api/emails/${id}/edit`, { isTwig: true }, as())
      assert.equal(answer.status, 403, answer.text)
    })
  })
})
