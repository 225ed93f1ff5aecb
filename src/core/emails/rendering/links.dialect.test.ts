import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTemplate, uniqueName } from '../../../../test/callers.ts'
import { useMailCatcher } from '../../../../test/mail-catcher.ts'
import { addBrand } from '../../../../test/mautics.ts'
import { onEachDatabase } from '../../../../test/on-each-database.ts'
import { createSendFixture } from '../../../../test/send-fixture.ts'
import { openTestApp, type TestBody } from '../../../../test/test-app.ts'

const publicUrl = 'https://mail.example.test/yard'
const options = { config: { mailerFrom: 'news@example.com', publicUrl } }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

const catcher = useMailCatcher()

onEachDatabase('the links of a message', options, (shared) => {
  const fixture = createSendFixture(() => shared.service)

  const { ask } = shared
  /** Asks as a mail program or a browser does: without a log-in. */
  const visit = (method: 'GET' | 'HEAD' | 'POST', url: string, body?: string, headers = form) => {
    assert.ok(url.startsWith(publicUrl), url)
    const path = url.slice(publicUrl.length)
    return ask(method, path, body, { as: 'anonymous', ...(body ? { headers } : {}) })
  }
  const mailTo = (address: string) => {
    const mail = catcher.mails.findLast(({ to }) => to.includes(address))
    const [head = '', ...parts] = (mail?.raw ?? assert.fail(`no message to ${address}`)).split(
      '\r\n\r\n',
    )
    return [head.replaceAll(/\r\n(?=[ \t])/g, ''), ...parts].join('\r\n\r\n')
  }
  const headerOf = (raw: string, name: string) =>
    new RegExp(`^${name}: (.*?)\\r$`, 'm').exec(raw)?.[1]
  const bodyOf = (raw: string) =>
    raw
      .replaceAll(/=\r\n/g, '')
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      )
  /** Sends an email to a new contact. */
  const sendNew = async (values: object = {}) => {
    const emailId = await fixture.email(await fixture.transport(catcher.dsn), { ...values })
    const [contact] = await fixture.contacts(1)
    assert.ok(contact)
    assert.deepEqual(await fixture.send(emailId, contact.id), { success: true })
    return { ...contact, emailId }
  }
  const unsubscribeLink = (address: string) =>
    headerOf(mailTo(address), 'List-Unsubscribe')?.replace(/^<|>$/g, '') ?? assert.fail()
  const listOf = async (address: string) =>
    (await ask('GET', `/api/suppressions?address=${address}`)).body.suppressions

  test('unsubscribe the address from the sender, also with one click of a mail program', async () => {
    const { email, emailId } = await sendNew()
    const link = unsubscribeLink(email)
    assert.ok(!link.includes(email))
    const answer = await visit('POST', link, 'List-Unsubscribe=One-Click')
    assert.equal(answer.status, 200)
    assert.match(answer.text, /You are unsubscribed/)
    const [suppression] = await listOf(email)
    assert.deepEqual(
      [suppression.reason, suppression.senderDomain, suppression.source],
      ['unsubscribed', 'example.com', `email ${emailId}`],
    )
  })

  test('change nothing when they are only read, say so when it is done, and undo it', async () => {
    const { email } = await sendNew()
    const link = unsubscribeLink(email)
    for (const method of ['GET', 'HEAD'] as const)
      assert.equal((await visit(method, link)).status, 200)
    assert.deepEqual(await listOf(email), [])
    const page = await visit('GET', link)
    assert.match(page.text, /<h1>Unsubscribe\?<\/h1>/)
    assert.ok(!page.text.includes(email))
    assert.match(page.text, /c•••@e•••\.com/)
    assert.doesNotMatch(page.text, /<script/)
    assert.match(
      String(page.headers['content-security-policy']),
      /default-src 'none'.*form-action 'self'/,
    )
    const multipart = { 'content-type': 'multipart/form-data; boundary=x' }
    const part =
      '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n'
    for (let time = 0; time < 2; time += 1)
      assert.match((await visit('POST', link, part, multipart)).text, /You are unsubscribed/)
    assert.equal((await listOf(email)).length, 1)
    assert.match((await visit('GET', link)).text, /You are unsubscribed.*Subscribe again/)
    assert.match((await visit('POST', link, 'action=undo')).text, /You are subscribed again/)
    assert.deepEqual(await listOf(email), [])
  })

  test('of a message of a brand unsubscribe from the brand, and undo that from the sender, too', async () => {
    const brand = await addBrand(shared.service)
    const { email } = await sendNew({ brand })
    await ask('POST', '/api/suppressions/import', {
      suppressions: [{ address: email, reason: 'unsubscribed', senderDomain: 'example.com' }],
    })
    const link = unsubscribeLink(email)
    assert.match((await visit('GET', link)).text, /You are unsubscribed/)
    await visit('POST', link, 'List-Unsubscribe=One-Click')
    const scopes = (await listOf(email)).map((each: TestBody) => [each.brand, each.senderDomain])
    assert.deepEqual(
      scopes.sort(),
      [
        [undefined, 'example.com'],
        [brand, null],
      ].sort(),
    )
    assert.match((await visit('POST', link, 'action=undo')).text, /You are subscribed again/)
    assert.deepEqual(await listOf(email), [])
  })

  test('do not undo what a person has added', async () => {
    const { email } = await sendNew()
    await ask('POST', '/api/suppressions/new', { address: email, senderDomain: 'example.com' })
    const link = unsubscribeLink(email)
    assert.doesNotMatch((await visit('GET', link)).text, /Subscribe again/)
    assert.match((await visit('POST', link, 'action=undo')).text, /You get no newsletters/)
    assert.match((await visit('POST', link, 'action=unsubscribe')).text, /You get no newsletters/)
    assert.equal((await listOf(email))[0].reason, 'manual')
  })

  test('that are forged or of another kind lead to a page with 404', async () => {
    const { email } = await sendNew({ plainText: 'See {webview_url}' })
    const link = unsubscribeLink(email)
    const token = link.slice(link.lastIndexOf('/') + 1)
    const changed = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`
    const faulty = ['x', changed, token.slice(0, 40), `${token}AA`, '%00', 'a'.repeat(5_000)]
    const paths = [...faulty.map((each) => `/unsubscribe/${each}`), `/webview/${token}`]
    for (const path of paths) {
      const { status, text } = await visit('GET', `${publicUrl}${path}`)
      assert.equal(status, 404, path.slice(0, 100))
      assert.match(text, /<h1>Page not found<\/h1>/)
    }
    const posted = await visit('POST', `${publicUrl}/unsubscribe/${changed}`, 'x=y')
    assert.equal(posted.status, 404)
  })

  test('stand in texts and show the email as a page for its contact', async () => {
    const { id, email } = await sendNew({
      plainText: '',
      customHtml:
        '<p>Dear {contactfield=firstname}</p>{unsubscribe_text} <a href="%7Bwebview_url%7D">Page</a> <a href="{unsubscribe_url}">Off</a>',
    })
    const body = bodyOf(mailTo(email))
    assert.match(
      body,
      /<a href="https:[^"]*">Unsubscribe<\/a> to no longer receive emails from us\./,
    )
    const own = unsubscribeLink(email)
    assert.ok(body.includes(`<a href="${own}">Off</a>`))
    const webview = /<a href="([^"]*)">Page/.exec(body)?.[1] ?? assert.fail(body)
    const page = await visit('GET', webview)
    assert.equal(page.status, 200)
    assert.match(page.text, /Dear N0.*Off/s)
    const policy = String(page.headers['content-security-policy'])
    assert.match(policy, /^sandbox allow-popups.*default-src 'none'/)
    assert.ok(!policy.includes('allow-scripts'))
    await ask('PATCH', `/api/contacts/${id}/edit`, { email: `moved.${email}` })
    const gone = await visit('GET', webview)
    assert.deepEqual([gone.status, /is not available/.test(gone.text)], [404, true])
  })

  test('leave an own List-Unsubscribe of the email as it is', async () => {
    const headers = { 'list-unsubscribe': '<mailto:off@example.com>' }
    const { email } = await sendNew({ headers })
    const raw = mailTo(email)
    assert.equal(headerOf(raw, 'list-unsubscribe'), '<mailto:off@example.com>')
    assert.equal(headerOf(raw, 'List-Unsubscribe'), undefined)
  })

  test('are in the message, without one click, and the tokens of a send may replace them', async () => {
    const plainText = 'Off: {unsubscribe_url}'
    const { id, email: address, emailId } = await sendNew({ plainText })
    const raw = mailTo(address)
    assert.equal(headerOf(raw, 'List-Unsubscribe-Post'), undefined)
    assert.ok(bodyOf(raw).includes(`Off: ${unsubscribeLink(address)}`))
    const tokens = { '{unsubscribe_url}': 'https://own.example/' }
    await fixture.send(emailId, id, { tokens })
    assert.ok(bodyOf(mailTo(address)).includes('Off: https://own.example/'))
  })

  test('stand in templates, also by variables, and a template alone has those of previews', async () => {
    const name = uniqueName('footer')
    const add = async (template: string) =>
      (await ask('POST', '/api/twigTemplates/new', { name, template })).body.twigTemplate.id
    const footer = await add('<a href="{unsubscribe_url}">Off</a> {{ webview_url }}')
    const { email } = await sendNew({
      plainText: `{{ include("${name}") }}`,
      subject: 'Off: {{ unsubscribe_url }}',
      customHtml: `<p>{twigtemplate=${footer}}</p>{{ include("${name}") }}`,
      isTwig: true,
    })
    const raw = mailTo(email)
    const own = unsubscribeLink(email)
    const body = bodyOf(raw)
    assert.equal(body.split(`<a href="${own}">Off</a> ${publicUrl}/webview/`).length, 4, body)
    const { body: alone } = await ask('POST', '/api/twigTemplates/render', { id: footer })
    const preview = `<a href="${publicUrl}/unsubscribe/preview">Off</a> ${publicUrl}/webview/preview`
    assert.equal(alone.output, preview)
    const lint = await ask('POST', '/api/twigTemplates/lint', { id: footer })
    assert.deepEqual(lint.body.warnings, [])
  })

  test('of a preview and of a test change nothing', async () => {
    const email = { subject: 's', plainText: 'Off: {unsubscribe_url} {webview_url}' }
    const preview = await ask('POST', '/api/emails/preview', { email })
    const links = /Off: (\S+) (\S+)/.exec(preview.body.text) ?? assert.fail(preview.text)
    for (const link of links.slice(1)) {
      const { status, text } = await visit('GET', link)
      assert.deepEqual([status, /A link of a preview/.test(text)], [200, true])
    }
    const { total } = (await ask('GET', '/api/suppressions')).body
    await visit('POST', links[1] ?? '', 'action=unsubscribe')
    assert.equal((await ask('GET', '/api/suppressions')).body.total, total)
  })

  test('stay valid for other processes, and when the data key is rotated', async () => {
    const { email } = await sendNew()
    const link = unsubscribeLink(email)
    const { storage, keyring } = shared.service.app
    const { openSigningKey, resealSigningKeys } = await import('../../../platform/storage/index.ts')
    const key = await openSigningKey({ storage, keyring }, 'links')
    const id = await keyring.rotate()
    assert.deepEqual(await resealSigningKeys(storage, keyring), [id])
    assert.deepEqual(await openSigningKey({ storage, keyring }, 'links'), key)
    const other = await shared.openAnother(options)
    await other.askFor('GET', link.slice(publicUrl.length), undefined, {
      as: 'anonymous',
    })
  })

  test('that are guessed are throttled by network, valid ones are not', async () => {
    const { email } = await sendNew()
    const link = unsubscribeLink(email)
    for (let time = 0; time < 70; time += 1) assert.equal((await visit('GET', link)).status, 200)
    let status = 404
    for (let time = 0; time < 70 && status === 404; time += 1)
      status = (await visit('GET', `${publicUrl}/unsubscribe/guess${time}`)).status
    assert.equal(status, 429)
    assert.equal((await visit('GET', link)).status, 200)
  })
})

test('without a public URL, messages have no links', async () => {
  const service = await openTestApp()
  try {
    const fixture = createSendFixture(() => service)
    const emailId = await fixture.email(await fixture.transport(catcher.dsn))
    const [contact] = await fixture.contacts(1)
    assert.ok(contact)
    await fixture.send(emailId, contact.id)
    assert.doesNotMatch(catcher.mails.at(-1)?.raw ?? '', /List-Unsubscribe/)
    const printing = `{% set off = '{unsubscribe_url}' %}{{ off }}`
    const { id: templateId } = await addTemplate(service, { template: printing })
    for (const values of [
      { plainText: 'Off: {unsubscribe_url}' },
      { plainText: "Off: {{ '{unsubscribe_url}' }}", isTwig: true },
      { plainText: `Off: {twigtemplate=${templateId}}` },
    ]) {
      const linked = await fixture.email(null, values)
      const path = `/api/emails/${linked}/contact/${contact.id}/send`
      const refused = await service.ask('POST', path, {})
      assert.equal(refused.status, 400, JSON.stringify(values))
      assert.match(refused.body.error, /\{unsubscribe_url\}.*need MAILYARD_PUBLIC_URL/)
    }
    const as = 'anonymous' as const
    const preview = await service.ask('GET', '/unsubscribe/preview', undefined, { as })
    assert.equal(preview.status, 404)
  } finally {
    await service.close()
  }
})
