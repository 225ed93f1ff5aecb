import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { addTemplate } from '../../../test/callers.ts'
import { type TestDatabase, testDatabases } from '../../../test/databases.ts'
import { openTestApp, type TestApp } from '../../../test/test-app.ts'
import { WorkQueue } from '../../kit/work-queue.ts'
import { createTwig } from '../../libraries/twig/index.ts'
import type { TemplateTables } from './table.ts'
import { StoredTemplates } from './template-sources.ts'

const base = '/api/twigTemplates'

for (const { name, createMigrated } of testDatabases) {
  describe(`Twig templates on ${name}`, () => {
    let database: TestDatabase
    let service: TestApp
    before(async () => {
      database = await createMigrated()
      service = await openTestApp({ database })
    })
    after(async () => {
      await service.close()
      await database.drop()
    })

    const save = (values: Record<string, unknown>) => addTemplate(service, values)

    test('code that cannot run is refused with every fault, its line and column', async () => {
      const template = '{{ a|nope }}\n{{ b|alsonope }}\n{% if %}{% endif %}'
      const { status, body } = await service.ask('POST', `${base}/new`, { name: 'x', template })
      assert.equal(status, 400)
      assert.equal(body.success, false)
      assert.deepEqual([body.line, body.column], [1, 6])
      assert.ok(body.faults.length >= 3, JSON.stringify(body.faults))
      const shownLines = body.faults.map(({ line }: { line: number }) => line)
      assert.deepEqual(shownLines, [1, 2, 3])
      assert.equal(body.details.template.length, body.faults.length)
    })

    test('an include that is missing, unpublished or of several templates is a warning and does not stop the save', async () => {
      await save({ name: 'hidden', template: 'x', isPublished: false })
      const first = await save({ name: 'twice', template: 'x' })
      const second = await save({ name: 'twice', template: 'y' })
      const includes = ['missing', 'hidden', 'twice'].map((each) => `{{ include("${each}") }}`)
      const { warnings } = await save({ name: 'includer', template: includes.join('\n') })
      const messages = warnings.map(({ message }: { message: string }) => message).join('\n')
      const takes = `takes template ${first.id}, .*"id:${second.id}"`
      assert.match(messages, new RegExp(`"missing" does not exist.*\n.*"hidden".*\n.*${takes}`))
      const dynamic = await save({
        name: 'dynamic',
        template: '{{ include(a) }}{{ include("hidden") }}',
      })
      assert.match(dynamic.warnings[0].message, /"hidden" is not published/)
      const ignoring = '{% include "missing" ignore missing %}'
      assert.equal((await save({ name: 'ignoring', template: ignoring })).warnings, undefined)
    })

    test('a circle of includes is refused, by either name, when its last part is saved', async () => {
      const { id } = await save({ name: 'snake', template: 'head' })
      await save({ name: 'tail', template: `{{ include("id:${id}") }}` })
      const closing = { template: '{{ include("tail") }}' }
      const { status, body } = await service.ask('PATCH', `${base}/${id}/edit`, closing)
      assert.equal(status, 400)
      assert.match(body.error, /includes itself/)
    })

    for (const atomic of ['', '?atomic=1'])
      test(`a circle that a batch would close is refused at the item that closes it${atomic}`, async () => {
        const [one, other] = [`one${atomic}`, `other${atomic}`]
        const created = await service.ask('POST', `${base}/batch/new${atomic}`, [
          { name: one, template: `{{ include("${other}") }}` },
          { name: other, template: `{{ include("${one}") }}` },
          { name: `third${atomic}`, template: 'x' },
        ])
        assert.deepEqual(Object.keys(created.body.errors), ['1'])
        assert.match(created.body.errors[1].message, /includes itself/)
        const { id } = await save({ name: `head${atomic}`, template: 'x' })
        const last = await save({ name: `last${atomic}`, template: 'x' })
        const edited = await service.ask('PATCH', `${base}/batch/edit${atomic}`, [
          { id, template: `{{ include("id:${last.id}") }}` },
          { id, name: `renamed${atomic}` },
          { id: last.id, template: `{{ include("renamed${atomic}") }}` },
        ])
        assert.deepEqual(Object.keys(edited.body.errors), ['2'])
        assert.match(edited.body.errors[2].message, /includes itself/)
      })

    test('a batch that first opens a circle may close it elsewhere', async () => {
      const first = await save({ name: 'opened', template: 'x' })
      const second = await save({ name: 'closed', template: '{{ include("opened") }}' })
      const { body } = await service.ask('PATCH', `${base}/batch/edit?atomic=1`, [
        { id: second.id, template: 'y' },
        { id: first.id, template: '{{ include("closed") }}' },
      ])
      assert.deepEqual([body.statusCodes, body.errors], [[200, 200], undefined])
    })

    test('two saves at the same time cannot close a circle between them', async () => {
      for (let pair = 0; pair < 5; pair++) {
        const first = await save({ name: `first ${pair}`, template: 'x' })
        const second = await save({ name: `second ${pair}`, template: 'x' })
        const answers = await Promise.all([
          service.ask('PATCH', `${base}/${first.id}/edit`, {
            template: `{{ include("id:${second.id}") }}`,
          }),
          service.ask('PATCH', `${base}/${second.id}/edit`, {
            template: `{{ include("id:${first.id}") }}`,
          }),
        ])
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
      }
    })

    test('templates are read as deep as they may include each other, and no deeper', async () => {
      for (let link = 0; link <= 110; link++)
        await save({ name: `link ${link}`, template: `{{ include("link ${link + 1}") }}` })
      const sources = new StoredTemplates(service.app.storage, createTwig(), new WorkQueue())
      const { loader } = await sources.load([{ names: ['link 0'] }])
      assert.notEqual(loader.get('link 100'), undefined)
      assert.equal(loader.get('link 101'), undefined)
      const template = '{{ include("link 0") }}'
      const { status, body } = await service.ask('POST', `${base}/render`, { template })
      assert.equal(status, 400)
      assert.match(body.error, /nested deeper than 100 calls/)
    })

    test('templates include each other by name and by id, and render with a context', async () => {
      const { id } = await save({ name: 'footer', template: '-- {{ brand }}' })
      await save({ name: 'header', template: 'Hi {{ contact.firstname|default("you") }}\n' })
      const template = `{{ include("header") }}{{ include("id:${id}") }}`
      const context = { brand: 'A & B', contact: { firstname: 'Ann' } }
      const body = await service.askFor('POST', `${base}/render`, { template, context })
      assert.equal(body.output, 'Hi Ann\n-- A &amp; B')
      assert.equal(typeof body.durationMs, 'number')
    })

    test('the output is answered as plain text too, where that is asked for', async () => {
      const request = {
        template: '<h1>Hi {{ name }}</h1><p>A &amp; B</p>',
        context: { name: 'Ann' },
      }
      const plain = await service.ask('POST', `${base}/render`, { ...request, withText: true })
      assert.deepEqual(plain.body.text, 'Hi Ann\n\nA & B')
      assert.equal((await service.ask('POST', `${base}/render`, request)).body.text, undefined)
    })

    test('a name that is computed while rendering finds its template', async () => {
      const template = '{% for name in names %}{{ include(name) }}{% endfor %}'
      const context = { names: ['header', 'footer'], brand: 'B' }
      const { body } = await service.ask('POST', `${base}/render`, { template, context })
      assert.equal(body.output, 'Hi you\n-- B')
      const missing = await service.ask('POST', `${base}/render`, {
        template: '{{ include(name, ignore_missing=true) }}{{ include(name ~ "2") }}',
        context: { name: 'no such' },
      })
      assert.equal(missing.status, 400)
      assert.match(missing.body.error, /Template "no such2" is not defined/)
    })

    test('a saved template renders by its id, with locale and time zone', async () => {
      const { id } = await save({ name: 'when', template: '{{ at|date("H:i") }}' })
      const request = {
        id,
        context: { at: '2026-01-31T12:00:00+00:00' },
        timezone: 'Europe/Vienna',
      }
      assert.equal((await service.ask('POST', `${base}/render`, request)).body.output, '13:00')
      const wrong = await service.ask('POST', `${base}/render`, { id, timezone: 'Mars/Olympus' })
      assert.equal(wrong.status, 400)
      assert.equal((await service.ask('POST', `${base}/render`, { id: 4_000 })).status, 404)
      assert.equal((await service.ask('POST', `${base}/render`, {})).status, 400)
    })

    test('a render that fails names the fault, its line and column', async () => {
      const template = 'one\n{{ include("nowhere") }}'
      const { status, body } = await service.ask('POST', `${base}/render`, { template })
      assert.equal(status, 400)
      assert.deepEqual([body.success, body.line, body.column], [false, 2, 4])
    })

    test('a fault in an included template names that template', async () => {
      await save({ name: 'faulty', template: '\n{{ 1 // zero }}' })
      const request = { template: '{{ include("faulty") }}', context: { zero: 0 } }
      const { status, body } = await service.ask('POST', `${base}/render`, request)
      assert.equal(status, 400)
      assert.deepEqual([body.template, body.line, body.column], ['faulty', 2, 6])
    })

    test('an endless render ends with an error, and other requests are served', async () => {
      const template =
        '{% for a in 1..100000 %}{% for b in 1..100000 %}{{ a * b }}{% endfor %}{% endfor %}'
      const { status, body } = await service.ask('POST', `${base}/render`, { template })
      assert.equal(status, 400)
      assert.equal(body.success, false)
      assert.equal((await service.ask('GET', base)).status, 200)
    })

    test('lint finds what a save would find, and saves nothing', async () => {
      const before = (await service.ask('GET', base)).body.total
      const good = await service.ask('POST', `${base}/lint`, { template: '{{ include("later") }}' })
      assert.equal(good.body.valid, true)
      assert.equal(good.body.warnings.length, 1)
      const bad = await service.ask('POST', `${base}/lint`, { template: '{{ a|nope }}' })
      assert.deepEqual([bad.status, bad.body.valid], [200, false])
      assert.deepEqual(
        [bad.body.faults[0].line, bad.body.faults[0].column, bad.body.variables[0].path],
        [1, 6, 'a'],
      )
      assert.equal((await service.ask('GET', base)).body.total, before)
    })

    test('lint finds that unsaved code of a template includes the template itself', async () => {
      const { id } = await save({ name: 'circle', template: 'x' })
      const request = { id, template: '{{ include("circle") }}' }
      const { body } = await service.ask('POST', `${base}/lint`, request)
      assert.match(body.faults[0].message, /^The template includes itself/)
    })

    test('the language lists filters, functions, tests and tags with a line about each', async () => {
      const { body } = await service.ask('GET', `${base}/language`)
      const join = body.language.find((each: { name: string }) => each.name === 'join')
      assert.equal(join.signature, 'join(glue = "", and = null)')
      const kinds = [...new Set(body.language.map((each: { kind: string }) => each.kind))]
      assert.deepEqual(kinds, ['filter', 'function', 'test', 'tag'])
    })

    test('the variables of a template are listed, with defaults and loops', async () => {
      const template =
        '{{ contact.firstname|default("x") }}{% for item in order.items %}{{ item.price }}{% endfor %}'
      const { id } = await save({ name: 'reads', template })
      const { body } = await service.ask('GET', `${base}/${id}/variables`)
      const byPath = Object.fromEntries(
        body.variables.map((each: { path: string }) => [each.path, each]),
      )
      assert.deepEqual(
        [byPath['contact.firstname'].hasDefault, byPath['contact.firstname'].isInLoop],
        [true, false],
      )
      assert.deepEqual(
        [byPath['order.items[].price'].hasDefault, byPath['order.items[].price'].isInLoop],
        [false, true],
      )
    })

    test('a saved template that cannot run any more is reported with its fault', async () => {
      const { id } = await save({ name: 'of old', template: 'x' })
      const db = service.app.storage.tables<TemplateTables>()
      const changed = db.updateTable('twig_templates').set({ template: 'a\n{{ b|gone }}' })
      await changed.where('id', '=', id).execute()
      for (const [method, url, request] of [
        ['GET', `${base}/${id}/variables`],
        ['POST', `${base}/render`, { id }],
      ] as const) {
        const { status, body } = await service.ask(method, url, request)
        assert.deepEqual([status, body.line, body.column], [400, 2, 6], url)
      }
      const lint = await service.ask('POST', `${base}/lint`, { id })
      assert.deepEqual([lint.body.faults[0].line, lint.body.faults[0].column], [2, 6])
      const includer = await save({ name: 'includer of old', template: '{{ include("of old") }}' })
      assert.equal((await service.ask('GET', `${base}/${id}/dependents`)).status, 200)
      const render = await service.ask('POST', `${base}/render`, { id: includer.id })
      assert.deepEqual([render.status, render.body.template], [400, 'of old'])
    })

    test('every save is a version, with author, time and note, and can be restored', async () => {
      const { id } = await save({ name: 'v', template: 'one', changeNote: 'first' })
      await service.ask('PATCH', `${base}/${id}/edit`, { template: 'two', changeNote: 'second' })
      await service.ask('PATCH', `${base}/${id}/edit`, { template: 'two' })
      const { body } = await service.ask('GET', `${base}/${id}/versions`)
      assert.equal(body.total, 2)
      assert.deepEqual(
        body.versions.map((each: { version: number; note: string; createdBy: string }) => [
          each.version,
          each.note,
          each.createdBy,
        ]),
        [
          [2, 'second', 'Admin'],
          [1, 'first', 'Admin'],
        ],
      )
      assert.equal(
        (await service.ask('GET', `${base}/${id}/versions/1`)).body.version.template,
        'one',
      )
      assert.equal((await service.ask('GET', `${base}/${id}/versions/9`)).status, 404)
      const restored = await service.ask('POST', `${base}/${id}/versions/1/restore`)
      assert.equal(restored.body.twigTemplate.template, 'one')
      const after = await service.ask('GET', `${base}/${id}/versions`)
      assert.equal(after.body.total, 3)
      assert.equal(after.body.versions[0].note, 'Restored version 1')
      assert.equal((await service.ask('GET', `${base}/4000/versions`)).status, 404)
    })

    test('each version says how many lines it adds and removes', async () => {
      const { id } = await save({ name: 'lines', template: 'one\ntwo\nthree' })
      for (const template of ['one\n2\nthree\nfour', 'one\nfour', '\n'.repeat(200_000)])
        await service.ask('PATCH', `${base}/${id}/edit`, { template })
      const { body } = await service.ask('GET', `${base}/${id}/versions`)
      const changed = body.versions.map((each: { changedLines: unknown }) => each.changedLines)
      assert.deepEqual(changed, [null, { added: 0, removed: 2 }, { added: 2, removed: 1 }, null])
    })
  })
}
