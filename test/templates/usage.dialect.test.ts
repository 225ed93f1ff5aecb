import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { addEmail, addTemplate, addTransport, addUser, uniqueName } from '../callers.ts'
import { logDeliveries } from '../log-deliveries.ts'
import { onEachDatabase } from '../on-each-database.ts'

const dayMs = 86_400_000

onEachDatabase('usage in lists', (shared) => {
  const ask = async (method: 'GET' | 'PATCH' | 'POST', path: string, body?: object) => {
    const answer = await shared.ask(method, `/api/${path}`, body)
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  const emailUsage = async (id: number) =>
    (await ask('GET', `emails?with=usage&search=ids:${id}`)).emails[id].usage
  const templateUsage = async (id: number) =>
    (await ask('GET', `twigTemplates?with=usage&search=ids:${id}`)).twigTemplates[0].usage
  const iso = (time: number) => new Date(time).toISOString().replace(/\.\d+Z$/, '+00:00')

  describe('of emails', () => {
    test('says when an email was last sent, and how its last deliveries ended', async () => {
      const { id } = await addEmail(shared.service, {})
      assert.deepEqual(await emailUsage(id), {
        lastSent: null,
        outcomes: {},
        useOwnerTransport: false,
        transport: null,
      })
      const now = shared.clock.now()
      const sent = { email_id: id, started_at: now - 60_000 }
      await logDeliveries(shared.service, [
        { ...sent, outcome: 'accepted' },
        { ...sent, outcome: 'accepted', started_at: now - 30_000 },
        { ...sent, outcome: 'refused' },
        { ...sent, outcome: 'started' },
        // Too old, and the same id in a Mautic.
        { ...sent, outcome: 'uncertain', started_at: now - 31 * dayMs },
        { ...sent, outcome: 'accepted', started_at: now, mautic_id: 7 },
      ])
      const { lastSent, outcomes } = await emailUsage(id)
      assert.equal(lastSent, iso(now - 30_000))
      assert.deepEqual(outcomes, { accepted: 2, refused: 1 })
    })

    test('counts no more than the last thousand deliveries', async () => {
      const { id } = await addEmail(shared.service, {})
      const started_at = shared.clock.now() - 1_000
      const rows = Array.from({ length: 1_200 }, (_, index) => ({
        email_id: id,
        started_at: started_at + (index < 300 ? 0 : 1),
        outcome: index < 300 ? ('refused' as const) : ('accepted' as const),
      }))
      await logDeliveries(shared.service, rows)
      assert.deepEqual((await emailUsage(id)).outcomes, { accepted: 900, refused: 100 })
    })

    test('names the assigned transport to callers who may view transports', async () => {
      const { id } = await addEmail(shared.service, {})
      const transport = await addTransport(shared.service, { name: 'Brand A' })
      const values = { transportId: transport.id, useOwnerTransport: true }
      await ask('POST', `multipleTransport/transportEmail/${id}`, values)
      const usage = await emailUsage(id)
      assert.deepEqual(usage.transport, { id: transport.id, name: 'Brand A', isPublished: true })
      assert.equal(usage.useOwnerTransport, true)
      const { as } = await addUser(shared.service, { email: ['view'] })
      const url = `/api/emails?with=usage&search=ids:${id}`
      const list = await shared.askFor('GET', url, undefined, { as })
      assert.equal('transport' in list.emails[id].usage, false)
    })
  })

  describe('of templates', () => {
    let footer: { id: number; name: string }
    let letter: { id: number; name: string }
    before(async () => {
      footer = await addTemplate(shared.service, { name: uniqueName('footer') })
      letter = await addTemplate(shared.service, {
        name: uniqueName('letter'),
        template: `{{ include("${footer.name}") }}`,
      })
    })

    test('counts direct and indirect users, and follows each change of an email', async () => {
      const none = { templates: 0, emails: 0, lastSent: null }
      assert.deepEqual(await templateUsage(letter.id), none)
      assert.deepEqual(await templateUsage(footer.id), { ...none, templates: 1 })
      const { id } = await addEmail(shared.service, { customHtml: `{twigtemplate=${letter.id}}` })
      await logDeliveries(shared.service, [
        { email_id: id, started_at: shared.clock.now(), outcome: 'accepted' },
      ])
      const lastSent = iso(shared.clock.now())
      assert.deepEqual(await templateUsage(letter.id), { templates: 0, emails: 1, lastSent })
      assert.deepEqual(await templateUsage(footer.id), { templates: 1, emails: 1, lastSent })
      await ask('PATCH', `emails/${id}/edit`, { customHtml: 'Hello' })
      assert.deepEqual(await templateUsage(letter.id), none)
    })

    test('means the oldest published template of a name', async () => {
      const name = uniqueName('Signature')
      const first = await addTemplate(shared.service, { name })
      const second = await addTemplate(shared.service, { name })
      await addEmail(shared.service, { isTwig: true, plainText: `{{ include("${name}") }}` })
      assert.equal((await templateUsage(first.id)).emails, 1)
      assert.equal((await templateUsage(second.id)).emails, 0)
      await ask('PATCH', `twigTemplates/${first.id}/edit`, { isPublished: false })
      assert.equal((await templateUsage(first.id)).emails, 0)
      assert.equal((await templateUsage(second.id)).emails, 1)
    })
  })

  test('the impact of a change groups equal changes', async () => {
    const { id } = await addTemplate(shared.service, {
      name: uniqueName('imprint'),
      template: 'Example Ltd',
    })
    const emails: number[] = []
    for (const customHtml of [
      `<p>One {twigtemplate=${id}}.</p>`,
      `<p>Two,</p>\n<p>{twigtemplate=${id}}</p>`,
      `<p>Twice {twigtemplate=${id}}</p>\n<p>-</p>\n<p>{twigtemplate=${id}}</p>`,
      `<p>{twigtemplate=${id}},</p>\n<p>and again:</p>\n<p>{twigtemplate=${id}}</p>`,
    ])
      emails.push((await addEmail(shared.service, { subject: 'Same', customHtml })).id)
    const change = { template: 'Example GmbH' }
    const { impact } = await ask('POST', `twigTemplates/${id}/impact`, change)
    const ofEmails = emails.map((emailId) =>
      impact.find(
        (each: { kind: string; id: number }) => each.kind === 'email' && each.id === emailId,
      ),
    )
    const [one, two, twice, again] = ofEmails.map((each) => each.changeKey)
    assert.equal(one, two)
    assert.notEqual(one, twice)
    assert.equal(twice, again)
    const same = await ask('POST', `twigTemplates/${id}/impact`, { template: 'Example Ltd' })
    assert.equal(same.impact[1].changeKey, null)
    const broken = await ask('POST', `twigTemplates/${id}/impact`, {
      template: '{{ include("no such template") }}',
    })
    const keys = broken.impact.slice(1).map((each: { changeKey: string }) => each.changeKey)
    assert.equal(new Set(keys).size, 1, 'they fail with the same error')
  })
})
