import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addEmail, addUser, uniqueName } from '../callers.ts'
import { onEachDatabase } from '../on-each-database.ts'
import type { TestApp, TestBody, TestCaller } from '../test-app.ts'

onEachDatabase('names of templates', (shared) => {
  const ask: TestApp['ask'] = (...request) => shared.service.ask(...request)
  const path = '/api/twigTemplates'
  const save = async (values: object) => {
    const { status, body, text } = await ask('POST', `${path}/new`, values)
    assert.equal(status, 201, text)
    return body.twigTemplate
  }
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
      const ids = `(ids ${one.id}, ${two.id}).`
      const ofTwo = `Two templates are named "${name.toUpperCase()}" ${ids} The name means template ${one.id}, the oldest published one. Include this one by "id:${two.id}", or rename it.`
      const ofOne = `Two templates are named "${name}" ${ids} The name means this one, the oldest published one. Include another one by its id: "id:${two.id}".`
      assert.deepEqual(two.warnings, [{ message: ofTwo, line: 1, column: 1 }])
      const edited = await ask('PATCH', `${path}/${one.id}/edit`, { template: 'changed' })
      assert.equal(edited.body.twigTemplate.warnings[0].message, ofOne)
      const got = await ask('GET', `${path}/${one.id}`)
      assert.deepEqual(got.body.twigTemplate.warnings, [{ message: ofOne, line: 1, column: 1 }])
      const listed = await ask('GET', `${path}?search=ids:${two.id}`)
      assert.equal(listed.body.twigTemplates[0].warnings[0].message, ofTwo)
      const linted = await ask('POST', `${path}/lint`, { id: two.id })
      assert.equal(linted.body.warnings[0].message, ofTwo)
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
      for (const { id, warnings } of [one, two]) {
        const message = `The name "ID:${other.id}" always means the template with the id ${other.id}. Include this one by "id:${id}", or rename it.`
        assert.deepEqual(warnings, [{ message, line: 1, column: 1 }])
      }
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

    test('are named by lint where they are included', async () => {
      const name = uniqueName('signature')
      const one = await save({ name, template: 'one' })
      const template = `x\n{{ include("${name}") }}`
      assert.deepEqual((await ask('POST', `${path}/lint`, { template })).body.warnings, [])
      const two = await save({ name, template: 'two' })
      const message = `Two templates are named "${name}" (ids ${one.id}, ${two.id}). This include takes template ${one.id}, the oldest published one. Include another one by its id: "id:${two.id}".`
      const { body } = await ask('POST', `${path}/lint`, { template })
      assert.deepEqual(body.warnings, [{ message, line: 2, column: 4 }])
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

    test('are taken over by none that looks like an id', async () => {
      const one = await save({ name: uniqueName('target'), template: 'one' })
      await save({ name: `id:${one.id}`, template: 'other' })
      assert.equal((await render(`{{ include("id:${one.id}") }}`)).body.output, 'one')
    })

    test('count as used by what means them', async () => {
      const name = uniqueName('logo')
      const one = await save({ name, template: 'one' })
      const two = await save({ name, template: 'two' })
      const user = await save({ name: uniqueName('page'), template: `{{ include("${name}") }}` })
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
      const firstWarning = async (id: number, change: object, as?: TestCaller) => {
        const options = as === undefined ? {} : { as }
        const { body } = await ask('PATCH', `${path}/${id}/edit`, change, options)
        return body.twigTemplate.warnings?.[0]?.message
      }
      const ofName = (now: string, before: string) =>
        `The name "${name}" means ${now} now; it meant ${before} before.`
      const ofEmail = `This changes 1 published email: "${byName.name}" (${byName.id}).`
      const [one, two] = [`template ${old.id}`, `template ${taken.id}`]
      assert.equal(await firstWarning(old.id, { name }), `${ofName(one, two)} ${ofEmail}`)
      assert.doesNotMatch(await firstWarning(old.id, { template: 'changed' }), /This changes/)
      assert.equal(
        await firstWarning(old.id, { isPublished: false }),
        `${ofName(two, one)} Template ${old.id} can no longer be included. ` +
          `This changes 2 published emails: "${byName.name}" (${byName.id}), "${byId.name}" (${byId.id}).`,
      )
      assert.equal(
        await firstWarning(taken.id, { isPublished: false }),
        `${ofName('no template', two)} ${ofEmail}`,
      )
      const blind = await addUser(shared.service, { twigtemplates: ['full'] })
      assert.match(
        await firstWarning(old.id, { isPublished: true }, blind.as),
        /can be included now\. This changes 2 published emails\.$/,
      )
      const { body } = await ask('PATCH', `${path}/batch/edit`, [
        { id: taken.id, isPublished: true },
        { id: old.id, name: uniqueName('other') },
      ])
      assert.deepEqual(
        body.twigTemplates.map(({ warnings }: TestBody) => warnings[0].message),
        [
          `${ofName(two, one)} Template ${taken.id} can be included now. ${ofEmail}`,
          `${ofName(two, one)} ${ofEmail}`,
        ],
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

  test('that differ in letter case are found as dependents of a template', async () => {
    const name = uniqueName('part')
    const part = await save({ name, template: 'x' })
    const user = await save({
      name: uniqueName('whole'),
      template: `{{ include(" ${name.toUpperCase()}") }}`,
    })
    const { body } = await ask('GET', `${path}/${part.id}/dependents`)
    assert.deepEqual(
      body.templates.map(({ id }: { id: number }) => id),
      [user.id],
    )
  })
})
