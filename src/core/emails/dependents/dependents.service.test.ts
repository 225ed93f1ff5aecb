import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addEmail, addTemplate } from '../../../../test/callers.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'
import type { TestBody } from '../../../../test/test-app.ts'

onMailyard('the dependents of a template', (shared) => {
  let [header, page, email] = [0, 0, 0]
  before(async () => {
    const { service } = shared
    const template = 'Old {{ contact.firstname }}'
    header = (await addTemplate(service, { name: 'header', template })).id
    const including = { name: 'page', template: '{{ include("header") }}!' }
    page = (await addTemplate(service, including)).id
    const values = { name: 'Uses', subject: 's', plainText: `{twigtemplate=${page}}` }
    email = (await addEmail(service, values)).id
  })
  const measure = (more: object = {}) => {
    const context = { contact: { firstname: 'Ann' } }
    const change = { template: 'New {{ contact.firstname }}', context, ...more }
    return shared.ask('POST', `/api/twigTemplates/${header}/impact`, change)
  }
  const idsOf = (items: TestBody[]) => items.map(({ kind, id }) => [kind, id])

  test('are listed, with those that use it through another one', async () => {
    const { body } = await shared.ask('GET', `/api/twigTemplates/${header}/dependents`)
    assert.deepEqual(body.templates, [{ id: page, name: 'page', isDirect: true }])
    assert.deepEqual(body.emails, [{ id: email, name: 'Uses', isDirect: false }])
  })

  test('show the impact of a change before it is made', async () => {
    const { total, next, impact } = (await measure()).body
    assert.deepEqual([total, next], [3, null])
    const all = [
      ['template', header],
      ['template', page],
      ['email', email],
    ]
    assert.deepEqual(idsOf(impact), all)
    assert.match(impact[2].diff, /^-Old Ann!\n.*\n\+New Ann!$/m)
    const { body: one } = await measure({ only: { kind: 'email', id: email } })
    assert.deepEqual(one.impact[0].before, { subject: 's', html: null, text: 'Old Ann!' })
    assert.deepEqual(one.impact[0].after, { subject: 's', html: null, text: 'New Ann!' })
    assert.equal((await measure({ only: { kind: 'email', id: 999_999 } })).status, 404)
    const { body: kept } = await shared.ask('GET', `/api/twigTemplates/${header}`)
    assert.equal(kept.twigTemplate.template, 'Old {{ contact.firstname }}')
  })

  test('have an impact that is measured page by page', async () => {
    const more = Array.from({ length: 300 }, (_, index) => {
      return { name: `more ${index}`, template: '{{ include("header") }}' }
    })
    await shared.ask('POST', '/api/twigTemplates/batch/new', more)
    const { total, next, impact } = (await measure()).body
    assert.equal(total, 303)
    assert.ok(next !== null && next <= 200 && impact.length === next)
    const last = (await measure({ start: total - 1 })).body
    assert.deepEqual([idsOf(last.impact), last.next], [[['email', email]], null])
  })
})
