import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addBrandUser } from '../brand-callers.ts'
import { addEmail, addTemplate, addUser, uniqueName } from '../callers.ts'
import { addBrand } from '../mautics.ts'
import { onMailyard } from '../on-each-database.ts'
import type { TestBody, TestCaller } from '../test-app.ts'

onMailyard('names of templates', { isOwn: true }, (shared) => {
  const { ask } = shared
  const path = '/api/twigTemplates'
  const save = (values: Record<string, unknown>) => addTemplate(shared.service, values)
  const render = (template: string) => ask('POST', `${path}/render`, { template })

  test('are looked up regardless of letter case and outer blanks', async () => {
    const name = uniqueName('Füßler')
    const { id } = await save({ name: ` ${name} `, template: 'found' })
    for (const written of [name, name.toUpperCase().replace('SS', 'ß'), `  ${name}`, `id:${id}`]) {
      const { body } = await render(`{{ include(${JSON.stringify(written)}) }}`)
      assert.equal(body.output, 'found', `${written}: ${body.error}`)
    }
  })

  describe('that several templates have', () => {
    test('mean the oldest published one, wherever they are included', async () => {
      const name = uniqueName('Footer')
      const block = (text: string) => `{% block part %}${text}{% endblock %}`
      const one = await save({ name, template: block('one') })
      const two = await save({ name: ` ${name.toUpperCase()}`, template: block('two') })
      for (const use of [
        `{{ include("${name}") }}`,
        `{% include "${name}" %}`,
        `{% include "${name}" ignore missing %}`,
        `{{ include(["${uniqueName('missing')}", "${name}", "id:${two.id}"]) }}`,
        `{% extends "${name}" %}`,
        `{% embed "${name}" %}{% endembed %}`,
        `{% use "${name}" %}{{ block("part") }}`,
        `{{ block("part", "${name}") }}`,
        `{% set name = "${name}" %}{{ include(name) }}`,
      ]) {
        const { status, body } = await render(use)
        assert.deepEqual([status, body.output], [200, 'one'], `${use}: ${body.error}`)
      }
      const { body } = await render(`{{ source("${name}") }}`)
      assert.equal(body.output, block('one'))
      assert.equal((await render(`{{ include("id:${two.id}") }}`)).body.output, 'two')
      assert.ok(one.id < two.id)
    })

    test('mean the next one when the oldest is unpublished or deleted, and again when it is published', async () => {
      const name = uniqueName('footer')
      const one = await save({ name, template: 'one' })
      const two = await save({ name, template: 'two' })
      await save({ name, template: 'three' })
      const output = async () => (await render(`{{ include("${name}") }}`)).body.output
      assert.equal(await output(), 'one')
      await ask('PATCH', `${path}/${one.id}/edit`, { isPublished: false })
      assert.equal(await output(), 'two')
      await ask('PATCH', `${path}/${one.id}/edit`, { isPublished: true })
      assert.equal(await output(), 'one')
      await ask('PATCH', `${path}/${one.id}/edit`, { name: uniqueName('other') })
      await ask('DELETE', `${path}/${two.id}/delete`)
      assert.equal(await output(), 'three')
    })

    test('are named in the warnings of each, in every answer that has it', async () => {
      const name = uniqueName('header')
      const one = await save({ name, template: 'one' })
      assert.equal(one.warnings, undefined)
      const two = await save({ name: name.toUpperCase(), template: 'two' })
      const [ofTwo] = two.warnings
      assert.partialDeepStrictEqual(ofTwo, { line: 1, column: 1 })
      assert.match(ofTwo.message, new RegExp(`ids ${one.id}, ${two.id}.* means template ${one.id}`))
      const edited = await ask('PATCH', `${path}/${one.id}/edit`, { template: 'changed' })
      const [ofOne] = edited.body.twigTemplate.warnings
      assert.match(ofOne.message, new RegExp(`ids ${one.id}, ${two.id}.* means this one`))
      const got = await ask('GET', `${path}/${one.id}`)
      assert.deepEqual(got.body.twigTemplate.warnings, [ofOne])
      const listed = await ask('GET', `${path}?search=ids:${two.id}`)
      assert.deepEqual(listed.body.twigTemplates[0].warnings, [ofTwo])
      const linted = await ask('POST', `${path}/lint`, { id: two.id })
      assert.deepEqual(linted.body.warnings, [ofTwo])
      await ask('PATCH', `${path}/batch/edit`, [
        { id: one.id, isPublished: false },
        { id: two.id, isPublished: false },
      ])
      const hidden = await ask('GET', `${path}/${two.id}`)
      assert.match(hidden.body.twigTemplate.warnings[0].message, /\. None of them is published\.$/)
      const renamed = await ask('PATCH', `${path}/${one.id}/edit`, { name: uniqueName('other') })
      assert.equal(renamed.body.twigTemplate.warnings, undefined)
      const batch = await ask('POST', `${path}/batch/new`, [{ name, template: 'three' }])
      assert.ok(batch.body.twigTemplates[0].warnings[0].message.includes(`(ids ${two.id}, `))
    })

    test('are not in the warnings of a deleted template, and those of others do not name it', async () => {
      const name = uniqueName('banner')
      const one = await save({ name, template: 'one' })
      const two = await save({ name, template: 'two' })
      const three = await save({ name, template: 'three' })
      const byId = await save({ name: `id:${one.id}`, template: 'four' })
      const removed = await ask('DELETE', `${path}/${three.id}/delete`)
      assert.doesNotMatch(removed.text, /are named/)
      const both = await ask('DELETE', `${path}/batch/delete?ids=${two.id},${byId.id}&dryRun=1`)
      assert.match(both.text, /Two templates are named .* always means the template/)
      for (const { id } of [two, byId]) await ask('DELETE', `${path}/${id}/delete`)
      const deleted = await ask('GET', `${path}?deleted=1&limit=3`)
      const ids = deleted.body.twigTemplates.map(({ id }: TestBody) => id)
      assert.deepEqual(new Set(ids), new Set([two.id, three.id, byId.id]))
      for (const { warnings } of deleted.body.twigTemplates) assert.equal(warnings, undefined)
      const got = await ask('GET', `${path}/${one.id}`)
      assert.equal(got.body.twigTemplate.warnings, undefined)
      const linted = await ask('POST', `${path}/lint`, { id: one.id })
      assert.deepEqual(linted.body.warnings, [])
    })

    test('in the form of an id mean the template with that id, which is said of others', async () => {
      const other = await save({ name: uniqueName('other'), template: 'other' })
      const name = `ID:${other.id} `
      const one = await save({ name, template: 'one' })
      const two = await save({ name, template: 'two' })
      for (const { warnings } of [one, two])
        assert.match(warnings[0].message, /always means the template with the id/)
      const own = await ask('PATCH', `${path}/${one.id}/edit`, { name: `id:${one.id}` })
      assert.equal(own.body.twigTemplate.warnings, undefined)
      const { body } = await render(`{% include '${name}' %}, {% include 'id:${two.id}' %}`)
      assert.equal(body.output, 'other, two')
    })

    test('are named by lint before a template of that name is saved', async () => {
      const name = uniqueName('footer')
      const { id } = await save({ name, template: 'one' })
      const request = { template: 'two', name: name.toUpperCase() }
      const { body } = await ask('POST', `${path}/lint`, request)
      assert.equal(body.valid, true)
      assert.match(
        body.warnings[0].message,
        new RegExp(`The name means template ${id}, the oldest`),
      )
    })

    test('may include the oldest one, which is no circle', async () => {
      const name = uniqueName('frame')
      const one = await save({ name, template: 'one' })
      const two = await save({ name, template: `[{{ include("${name}") }}]` })
      assert.equal((await render(`{{ include("id:${two.id}") }}`)).body.output, '[one]')
      const circle = { template: `{{ include("${name}") }}` }
      const { status, body } = await ask('PATCH', `${path}/${one.id}/edit`, circle)
      assert.equal(status, 400)
      assert.match(body.error, /includes itself/)
    })

    test('count as used by what means them', async () => {
      const name = uniqueName('logo')
      const one = await save({ name, template: 'one' })
      const two = await save({ name, template: 'two' })
      const template = `{{ include(" ${name.toUpperCase()}") }}`
      const user = await save({ name: uniqueName('page'), template })
      const usersOf = async (id: number) => {
        const { body } = await ask('GET', `${path}/${id}/dependents`)
        return body.templates.map((each: { id: number }) => each.id)
      }
      assert.deepEqual(await usersOf(one.id), [user.id])
      assert.deepEqual(await usersOf(two.id), [])
    })

    test('are renamed, published and unpublished with a warning that names the emails that change', async () => {
      const name = uniqueName('footer')
      const old = await save({ name: uniqueName('older'), template: 'old' })
      const taken = await save({ name, template: 'taken' })
      const page = await save({ name: uniqueName('page'), template: `{{ include("${name}") }}` })
      const byName = await addEmail(shared.service, {
        customHtml: `{twigtemplate=${page.id}}`,
      })
      const byId = await addEmail(shared.service, { customHtml: `{twigtemplate=${old.id}}` })
      await addEmail(shared.service, {
        customHtml: `{{ include("${name}") }}`,
        isTwig: true,
        isPublished: false,
      })
      const firstWarning = async (id: number, change: object, as?: TestCaller): Promise<string> => {
        const options = as === undefined ? {} : { as }
        const { body } = await ask('PATCH', `${path}/${id}/edit`, change, options)
        return body.twigTemplate.warnings?.[0]?.message
      }
      const ofName = (now: number | string, before: number) =>
        `means ${now === 'none' ? 'no template' : `template ${now}`} now; it meant template ${before} before`
      const assertNames = (warning: string, meaning: string, emails: { id: number }[]) => {
        assert.ok(warning.includes(meaning), warning)
        for (const { id } of emails) assert.ok(warning.includes(`(${id})`), warning)
      }
      assertNames(await firstWarning(old.id, { name }), ofName(old.id, taken.id), [byName])
      assert.doesNotMatch(await firstWarning(old.id, { template: 'changed' }), /This changes/)
      const hidden = await firstWarning(old.id, { isPublished: false })
      assertNames(hidden, ofName(taken.id, old.id), [byName, byId])
      const none = await firstWarning(taken.id, { isPublished: false })
      assertNames(none, ofName('none', taken.id), [byName])
      const blind = await addUser(shared.service, { twigtemplates: ['full'] })
      const seen = await firstWarning(old.id, { isPublished: true }, blind.as)
      assert.match(seen, /changes 2 published emails\.$/)
      const { body } = await ask('PATCH', `${path}/batch/edit`, [
        { id: taken.id, isPublished: true },
        { id: old.id, name: uniqueName('other') },
      ])
      for (const { warnings } of body.twigTemplates)
        assertNames(warnings[0].message, ofName(taken.id, old.id), [byName])
    })

    test('change the emails of their brand only, and those of others when they leave it', async () => {
      const { service } = shared
      const [own, other] = [await addBrand(service), await addBrand(service)]
      const { as } = await addBrandUser(service, [own])
      const name = uniqueName('header')
      const [template, taken] = [
        await save({ name, brand: own }),
        await save({ name, brand: other }),
      ]
      const customHtml = `{{ include("${name}") }} {{ include("id:${template.id}") }}`
      const [email, foreign] = [
        await addEmail(service, { customHtml, isTwig: true, brand: own }),
        await addEmail(service, { customHtml, isTwig: true, brand: other }),
      ]
      const change = async (values: object, options = {}): Promise<string> => {
        const { body } = await ask('PATCH', `${path}/${template.id}/edit`, values, options)
        return body.twigTemplate.warnings[0].message
      }
      const ofOwn = `This changes 1 published email: ${JSON.stringify(email.name)} (${email.id}).`
      const renamed = await change({ name: uniqueName('other') }, { as })
      assert.ok(renamed.endsWith(`before. ${ofOwn}`), renamed)
      assert.ok((await change({ name }, { as })).endsWith(ofOwn))
      const removal = `${path}/${template.id}/delete`
      const refused = await ask('DELETE', removal, undefined, { as })
      assert.match(refused.body.error, /is included by 1 published email: /)
      await ask('PATCH', `${path}/${taken.id}/edit`, { isPublished: false })
      const moved = await change({ brand: other })
      for (const { id } of [email, foreign]) assert.ok(moved.includes(`(${id})`), moved)
      assert.match(
        moved,
        /means no template now; .* can no longer be included\..* can be included now\./,
      )
    })

    test('have an impact before the change that makes them mean another one', async () => {
      const name = uniqueName('closing')
      const one = await save({ name, template: 'one' })
      const two = await save({ name, template: 'two' })
      const user = await save({ name: uniqueName('letter'), template: `{{ include("${name}") }}` })
      const impactOf = async (id: number, change: object) => {
        const { body, text } = await ask('POST', `${path}/${id}/impact`, change)
        return body.impact?.find((each: { id: number }) => each.id === user.id)?.diff ?? text
      }
      assert.match(await impactOf(one.id, { isPublished: false }), /\n-one\n.*\n\+two\n/)
      assert.match(await impactOf(one.id, { name: uniqueName('other') }), /\n-one\n.*\n\+two\n/)
      assert.match(await impactOf(one.id, { template: 'three' }), /\n-one\n.*\n\+three\n/)
      await ask('PATCH', `${path}/${one.id}/edit`, { isPublished: false })
      assert.match(await impactOf(one.id, { isPublished: true }), /\n-two\n.*\n\+one\n/)
      assert.match(await impactOf(two.id, { isPublished: false }), /-two/)
    })
  })
})
