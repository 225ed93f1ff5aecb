import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addEmail } from '../../test/callers.ts'
import { type MailCatcher, startMailCatcher } from '../../test/mail-catcher.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { createJobWorld } from '../../test/sending-jobs/job-world.ts'

onEachDatabase('an email that cannot be sent as it is', (shared) => {
  const world = createJobWorld(() => shared.yard)
  let catcher: MailCatcher
  let transport: number
  before(async () => {
    catcher = await startMailCatcher()
    transport = await world.transport(catcher.dsn)
  })
  after(() => catcher.stop())

  const addTemplate = async (template: string) => {
    const values = { name: 'footer', template }
    return (await shared.yard.ask('POST', '/api/twigTemplates/new', values)).body.twigTemplate.id
  }
  const sendOne = (emailId: number, contactId: number, tokens: object = {}) =>
    shared.yard.ask('POST', `/api/emails/${emailId}/contact/${contactId}/send`, { tokens })

  test('is refused by name, for one contact and for many, and warned of when it is saved', async () => {
    const { contacts } = await world.segment(1)
    const contactId = contacts[0]?.id ?? 0
    const footer = await addTemplate('Bye {{ contact.firstname }} {webview_url}')
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
      [{ plainText: `{twigtemplate=${footer}}` }, /\{webview_url\}/],
    ]
    for (const [values, reason] of cases) {
      const email = await addEmail(shared.yard, { plainText: 'Hello', ...values })
      await world.assign(email.id, transport)
      const one = await sendOne(email.id, contactId)
      assert.deepEqual([one.status, one.body.success], [400, false], JSON.stringify(values))
      assert.match(one.body.error, reason)
      const body = { contactIds: [contactId] }
      const many = await shared.yard.ask('POST', `/api/emails/${email.id}/send`, body)
      assert.equal(many.status, 400)
      assert.match(many.body.error, reason)
      const edited = await shared.yard.ask('PATCH', `/api/emails/${email.id}/edit`, values)
      const isInTemplate = String(values['plainText']).includes('twigtemplate')
      if (!isInTemplate) assert.match(edited.body.email.warnings.join(), reason)
    }
    assert.equal(catcher.mails.length, count)
  })

  test('is sent to one contact where the request gives what its tokens stand for', async () => {
    const { contacts } = await world.segment(1)
    const contactId = contacts[0]?.id ?? 0
    const emailId = await world.email(transport, { plainText: '{unsubscribe_url} {Code=1} {city}' })
    const tokens = { '{UNSUBSCRIBE_URL}': 'https://x.test/u', 'code=1': '4711' }
    const some = await sendOne(emailId, contactId, tokens)
    assert.equal(some.status, 400)
    assert.match(some.body.error, /: \{city\}\./)
    const all = await sendOne(emailId, contactId, { ...tokens, city: 'Rome' })
    assert.deepEqual(all.body, { success: true })
    assert.match(catcher.mails.at(-1)?.raw ?? '', /https:\/\/x\.test\/u 4711 Rome/)
  })

  test('with braces of style sheets, and fields without a value, is sent', async () => {
    const { contacts } = await world.segment(1)
    const style = '<style>p{color:red}@media print{p{margin:0}}</style>'
    const customHtml = `${style}<p>{"a": 1} [{contactfield=city}] {contactfield=nick|friend}</p>`
    const emailId = await world.email(transport, { plainText: null, customHtml })
    const { body } = await sendOne(emailId, contacts[0]?.id ?? 0)
    assert.deepEqual(body, { success: true })
  })

  test('pauses a broadcast that had begun, which goes on once the email is mended', async () => {
    const emailId = await world.email(null)
    const { segment } = await world.segment(3)
    const id = await world.send(emailId, { segment })
    await world.until(id, ({ problem }) => problem !== null)
    const edit = (values: object) => shared.yard.ask('PATCH', `/api/emails/${emailId}/edit`, values)
    await edit({ plainText: '' })
    const empty = await world.until(id, ({ status }) => status === 'paused')
    assert.match(empty.problem, /no HTML and no text/)
    await edit({ plainText: '{webview_url}' })
    await world.act(id, 'resume')
    const unresolved = await world.until(id, ({ status }) => status === 'paused')
    assert.match(unresolved.problem, /\{webview_url\}/)
    await edit({ plainText: 'Hello' })
    await world.assign(emailId, transport)
    await world.act(id, 'resume')
    const done = await world.until(id, ({ status }) => status === 'done')
    assert.equal(done.accepted, 3)
  })

  test('because it is Twig that comes to nothing, is not sent to this contact', async () => {
    const { contacts } = await world.segment(1)
    const emailId = await world.email(transport, {
      plainText: '{% if false %}x{% endif %} ',
      isTwig: true,
    })
    const { body } = await sendOne(emailId, contacts[0]?.id ?? 0)
    assert.equal(body.success, false)
    assert.match(body.failed, /empty for this contact/)
  })
})
