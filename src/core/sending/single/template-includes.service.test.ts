import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addEmail, addTemplate, uniqueName } from '../../../../test/callers.ts'
import { useMailCatcher } from '../../../../test/mail-catcher.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'
import { createSendFixture } from '../../../../test/send-fixture.ts'

const publicUrl = 'https://mail.example.com'

onMailyard('an include in an email', { config: { publicUrl } }, (shared) => {
  const catcher = useMailCatcher()
  let transport: number
  let contactId: number
  const fixture = createSendFixture(() => shared.service)
  const { ask } = shared
  before(async () => {
    transport = await fixture.transport(catcher.dsn)
    contactId = (await fixture.contact()).id
  })
  const save = async (name: string, template: string, isPublished = true) => {
    const { id } = await addTemplate(shared.service, { name, template, isPublished })
    return id as number
  }

  test('is never an error of Mailyard, whatever it names and however', async () => {
    const twice = uniqueName('twice')
    const hidden = uniqueName('hidden')
    const [circle, back] = [uniqueName('circle'), uniqueName('back')]
    const broken = uniqueName('broken')
    await save(twice, '{% block it %}first{% endblock %}')
    await save(twice, 'second')
    const hiddenId = await save(hidden, 'x', false)
    const circleId = await save(circle, `{% if 1 %}{{ include("${back}") }}{% endif %}`)
    await save(back, `{% if 1 %}{{ include("${circle}") }}{% endif %}`)
    await save(broken, '{{ 1 % 0 }}')
    const texts = [twice, hidden, circle, broken, `id:${hiddenId}`, 'id:-1', '', '\u{D83D}']
    const codes = ['"a\\0b"', '"x"|repeat(3000)', 'null', '1.5', '[[""]]', 'contact', '_self']
    const names = [
      ...texts.map((text) => `"${text}"`),
      ...codes,
      `"id:${'9'.repeat(20)}"`,
      `["missing", "${twice}"]`,
      'template_from_string("{{ include(_self) }}")',
    ]
    const uses = (name: string) => [
      `{{ include(${name}) }}`,
      `{% include ${name} %}`,
      `{% include ${name} ignore missing %}`,
      `{% embed ${name} %}{% endembed %}`,
      `{% extends ${name} %}`,
      `{% import ${name} as m %}{{ m.x() }}`,
      `{% from ${name} import x %}{{ x() }}`,
      `{% use ${name} %}`,
      `{{ source(${name}) }}`,
      `{{ block("it", ${name}) }}`,
    ]
    const check = async (path: string, body: object) => {
      const { status, text } = await ask('POST', path, body)
      assert.ok(status < 500, `${path} ${JSON.stringify(body)}: ${text}`)
    }
    const checkEmail = async (customHtml: string, isTwig: boolean) => {
      const email = { subject: 's', customHtml, isTwig }
      await check('/api/emails/preview', { email, contactId })
      return email
    }
    for (const template of names.flatMap(uses)) {
      await checkEmail(template, true)
      await check('/api/twigTemplates/lint', { template })
    }
    for (const [template = ''] of names.map(uses)) {
      await check('/api/twigTemplates/render', { template })
      const email = await checkEmail(template, true)
      await check('/api/emails/send/test', { email, contactId, to: 'ann@example.com' })
    }
    for (const id of ['0', '-1', '9'.repeat(15), '9'.repeat(30), '', 'x', `${circleId}`])
      await checkEmail(`{twigtemplate=${id}}`, false)
  })

  test('that cannot be rendered is a reason in every answer', async () => {
    const email = await addEmail(shared.service, {
      plainText: `a {{ include("${uniqueName('missing')}") }} {webview_url}`,
      isTwig: true,
    })
    await fixture.assign(email.id, transport)
    const one = await ask('POST', `/api/emails/${email.id}/contact/${contactId}/send`, {})
    assert.deepEqual([one.status, one.body.success], [200, false], one.text)
    assert.match(one.body.failed, /cannot be rendered: Template "missing.* in "email" at line 1/)
    const { body } = await ask('GET', `/api/emails/${email.id}/preview?contactId=${contactId}`)
    assert.deepEqual([body.error.line, body.error.column], [1, 6])
  })

  test('of a name that gets a second template sends what it sent before', async () => {
    const name = uniqueName('footer')
    const first = await save(name, 'first')
    const email = await addEmail(shared.service, {
      plainText: `Sent with the {{ include("${name}") }} footer`,
      isTwig: true,
    })
    await fixture.assign(email.id, transport)
    const send = async () => {
      const { body } = await ask('POST', `/api/emails/${email.id}/contact/${contactId}/send`, {})
      assert.deepEqual(body, { success: true })
      return catcher.mails.at(-1)?.raw ?? ''
    }
    assert.match(await send(), /the first footer/)
    await save(name, 'second')
    assert.match(await send(), /the first footer/)
    await shared.ask('DELETE', `/api/twigTemplates/${first}/delete?force=1`)
    assert.match(await send(), /the second footer/)
  })
})
