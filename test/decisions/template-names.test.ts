import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { uniqueName } from '../callers.ts'
import { onEachDatabase } from '../on-each-database.ts'
import type { TestApp } from '../test-app.ts'

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
    test('fail where they are included, with the ids', async () => {
      const name = uniqueName('Footer')
      const one = await save({ name, template: 'one' })
      const two = await save({ name: ` ${name.toUpperCase()}`, template: 'two' })
      const sentence = `Two templates are named "${name}" (ids ${one.id}, ${two.id}). Include one by id: "id:${one.id}"`
      for (const use of [
        `{{ include("${name}") }}`,
        `{% include "${name}" %}`,
        `{% include "${name}" ignore missing %}`,
        `{{ include(["${name}", "id:${one.id}"]) }}`,
        `{{ source("${name}") }}`,
        `{% extends "${name}" %}`,
        `{% import "${name}" as macros %}`,
        `{% set name = "${name}" %}\n{{ include(name) }}`,
      ]) {
        const { status, body } = await render(use)
        assert.equal(status, 400, use)
        assert.ok(body.error.includes(sentence), `${use}: ${body.error}`)
        assert.equal(body.line, use.split('\n').length)
      }
      const { body } = await render(`{{ include("id:${two.id}") }}`)
      assert.equal(body.output, 'two')
    })

    test('are one name again when the others are unpublished or deleted', async () => {
      const name = uniqueName('footer')
      const [one, two, three] = [
        await save({ name, template: 'one' }),
        await save({ name, template: 'two' }),
        await save({ name, template: 'three' }),
      ]
      assert.match((await render(`{{ include("${name}") }}`)).body.error, /^3 templates are named/)
      await ask('PATCH', `${path}/${one.id}/edit`, { isPublished: false })
      await ask('DELETE', `${path}/${three.id}/delete`)
      assert.equal((await render(`{{ include("${name}") }}`)).body.output, 'two')
      assert.ok(two.id)
    })

    test('are warned of when one of them is saved', async () => {
      const name = uniqueName('header')
      const one = await save({ name, template: 'one' })
      assert.equal(one.warnings, undefined)
      const two = await save({ name: name.toUpperCase(), template: 'two' })
      const ids = `(ids ${one.id}, ${two.id})`
      assert.ok(two.warnings[0].message.includes(ids), two.warnings[0].message)
      const edited = await ask('PATCH', `${path}/${one.id}/edit`, { template: 'changed' })
      assert.ok(edited.body.twigTemplate.warnings[0].message.includes(ids))
      const renamed = await ask('PATCH', `${path}/${one.id}/edit`, { name: uniqueName('other') })
      assert.equal(renamed.body.twigTemplate.warnings, undefined)
      const batch = await ask('POST', `${path}/batch/new`, [{ name, template: 'three' }])
      assert.ok(batch.body.twigTemplates[0].warnings[0].message.includes(`(ids ${two.id}, `))
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
