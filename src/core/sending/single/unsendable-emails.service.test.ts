import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addEmail, addTemplate } from '../../../../test/callers.ts'
import { useMailCatcher } from '../../../../test/mail-catcher.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'
import { createSendFixture } from '../../../../test/send-fixture.ts'

onMailyard('an email that cannot be sent as it is', (shared) => {
  const fixture = createSendFixture(() => shared.service)
  const catcher = useMailCatcher()
  let transport: number
  before(async () => {
    transport = await fixture.transport(catcher.dsn)
  })

  const sendOne = (emailId: number, contactId: number, tokens: object = {}) =>
    shared.ask('POST', `/api/emails/${emailId}/contact/${contactId}/send`, { tokens })

  test('is refused with its faults; saving it returns a warning', async () => {
    const { id: contactId } = await fixture.contact()
    const template = 'Bye {{ contact.firstname }} {webview_url}'
    const { id: footer } = await addTemplate(shared.service, { template })
    const count = catcher.mails.length
    const cases: [values: Record<string, unknown>, reason: RegExp][] = [
      [{ plainText: null, customHtml: null }, /no HTML and no text/],
      [{ plainText: ' \n', customHtml: '' }, /no HTML and no text/],
      [{ customHtml: '<a href="{unsubscribe_url}">x</a>' }, /\{unsubscribe_url\}/],
      [{ plainText: 'Hello {frstname}' }, /\{frstname\}/],
      [{ subject: 'Hello {contactfield=frstname}' }, /\{contactfield=frstname\}/],
      [{ headers: { 'X-Link': '{webview_url}' } }, /\{webview_url\}/],
      [{ fromName: '{ownerfield=firstname}' }, /\{ownerfield=firstname\}/],
      [{ plainText: '{{ 1 }}{signature}', isTwig: true }, /\{signature\}/],
      [{ plainText: `{twigtemplate=${footer}}` }, /\{webview_url\}.*MAILYARD_PUBLIC_URL/],
      [{ plainText: '{{ unsubscribe_url }}', isTwig: true }, /\{unsubscribe_url\}/],
    ]
    for (const [values, reason] of cases) {
      const email = await addEmail(shared.service, { plainText: 'Hello', ...values })
      await fixture.assign(email.id, transport)
      const one = await sendOne(email.id, contactId)
      assert.deepEqual([one.status, one.body.success], [400, false], JSON.stringify(values))
      assert.match(one.body.error, reason)
      const edited = await shared.ask('PATCH', `/api/emails/${email.id}/edit`, values)
      const isInTemplate = /twigtemplate|\{\{ unsub/.test(String(values['plainText']))
      if (!isInTemplate) assert.match(edited.body.email.warnings.join(), reason)
    }
    assert.equal(catcher.mails.length, count)
  })

  test('is sent to one contact if the request has values for its tokens', async () => {
    const { id: contactId } = await fixture.contact()
    const emailId = await fixture.email(transport, {
      plainText: '{unsubscribe_url} {Code=1} {city}',
    })
    const tokens = { '{UNSUBSCRIBE_URL}': 'https://x.test/u', 'code=1': '4711' }
    const some = await sendOne(emailId, contactId, tokens)
    assert.equal(some.status, 400)
    assert.match(some.body.error, /: \{city\}\./)
    const all = await sendOne(emailId, contactId, { ...tokens, city: 'Rome' })
    assert.deepEqual(all.body, { success: true })
    assert.match(catcher.mails.at(-1)?.raw ?? '', /https:\/\/x\.test\/u 4711 Rome/)
  })

  test('is sent if it only has braces of style sheets, or fields without a value', async () => {
    const { id: contactId } = await fixture.contact()
    const style = '<style>p{color:red}@media print{p{margin:0}}</style>'
    const customHtml = `${style}<p>{"a": 1} [{contactfield=city}] {contactfield=nick|friend}</p>`
    const emailId = await fixture.email(transport, { plainText: null, customHtml })
    const { body } = await sendOne(emailId, contactId)
    assert.deepEqual(body, { success: true })
  })

  test('is not sent to a contact for whom it renders empty', async () => {
    const { id: contactId } = await fixture.contact()
    const emailId = await fixture.email(transport, {
      plainText: '{% if false %}x{% endif %} ',
      isTwig: true,
    })
    const { body } = await sendOne(emailId, contactId)
    assert.equal(body.success, false)
    assert.match(body.failed, /empty for this contact/)
  })
})
