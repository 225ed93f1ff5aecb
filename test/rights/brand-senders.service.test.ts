import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  addClient,
  addEmail,
  addTemplate,
  addTransport,
  addUser,
  getClientToken,
  type TestUser,
} from '../callers.ts'
import { addBrand } from '../mautics.ts'
import { onMailyard } from '../on-each-database.ts'
import { type Dialogue, openDialogue } from '../smtp-dialogue.ts'

/** Heads of messages by which a log-in of shop.test tries to write as bank.test. */
const heads: Record<string, readonly string[]> = {
  'a plain From': ['From: ceo@bank.test'],
  'a name that is its own address': ['From: "news@shop.test" <ceo@bank.test>'],
  'a group': ['From: Shop: news@shop.test, ceo@bank.test;'],
  'a group of others only': ['From: Board: ceo@bank.test;'],
  'an empty group': ['From: Board:;'],
  'a second mailbox': ['From: news@shop.test, ceo@bank.test', 'Sender: news@shop.test'],
  'a comment that looks like its own': ['From: ceo@bank.test (news@shop.test)'],
  'a comment inside of the address': ['From: ceo(news@shop.test)@bank.test'],
  'nested comments': ['From: (a (b@shop.test)) ceo@bank.test'],
  'a quoted local part': ['From: "news@shop.test"@bank.test'],
  'an encoded word as the address': ['From: =?utf-8?q?ceo=40bank=2Etest?='],
  'an encoded word in the address': ['From: ceo@=?utf-8?q?bank.test?='],
  'an encoded name before another address': ['From: =?utf-8?q?news=40shop.test?= <ceo@bank.test>'],
  'two headers From, its own first': ['From: news@shop.test', 'From: ceo@bank.test'],
  'two headers From, its own last': ['From: ceo@bank.test', 'From: news@shop.test'],
  'From in other letters': ['From: news@shop.test', 'FROM: ceo@bank.test'],
  'a blank before the colon': ['From : ceo@bank.test'],
  'Sender of another': ['From: news@shop.test', 'Sender: ceo@bank.test'],
  'Sender alone': ['Sender: ceo@bank.test'],
  'its own Sender alone': ['Sender: news@shop.test'],
  'no From': ['Subject: x'],
  'an empty From': ['From: '],
  'From of an empty address': ['From: <>'],
  'Resent-From of another': ['From: news@shop.test', 'Resent-From: ceo@bank.test'],
  'Resent-Sender of another': ['From: news@shop.test', 'Resent-Sender: ceo@bank.test'],
  'a folded header': ['From: news@shop.test,', ' ceo@bank.test'],
  'a header folded before its value': ['From:', ' ceo@bank.test'],
  'a source route': ['From: <@shop.test:ceo@bank.test>'],
  'two addresses in brackets': ['From: <news@shop.test><ceo@bank.test>'],
  'a subdomain': ['From: ceo@mail.shop.test'],
  'its parent domain': ['From: ceo@test'],
  'a domain that ends as its own': ['From: ceo@myshop.test'],
  'its own domain as a label': ['From: ceo@shop.test.bank.test'],
  'a confusable letter': ['From: ceo@shоp.test'],
  'a confusable letter in ASCII': ['From: ceo@xn--shp-zed.test'],
  'a full stop of another script': ['From: ceo@bank。test'],
  'a NUL': ['From: ceo@bank.test\0@shop.test'],
  'a percent route': ['From: ceo%bank.test@mail.bank.test'],
  'a mailbox without a domain': ['From: ceo'],
  'an address literal': ['From: ceo@[127.0.0.1]'],
  'a very long value': [`From: ${'"x" <news@shop.test>, '.repeat(500)}ceo@bank.test`],
  'more headers than are read': [
    ...Array.from({ length: 5_100 }, (_, index) => `X-${index}: x`),
    'From: ceo@bank.test',
  ],
}

/** Heads by which it writes as itself. */
const ownHeads: Record<string, readonly string[]> = {
  'a plain From': ['From: news@shop.test'],
  'a name and other letters': ['From: "The Shop, Ltd." <News@SHOP.test>'],
  'an encoded name': ['From: =?utf-8?q?Caf=C3=A9?= <news@shop.test>'],
  'its single address': ['From: orders@bank.test'],
  'a folded name': ['From: The', ' Shop <news@shop.test>'],
}

onMailyard('a log-in of a brand', { isOwn: true }, (shared) => {
  let user: TestUser
  let bank: number
  let shop: number
  let smtp: Dialogue
  before(async () => {
    const { service } = shared
    shop = await addBrand(service, { name: 'Shop', domains: ['shop.test', 'orders@bank.test'] })
    bank = await addBrand(service, { name: 'Bank', domains: ['bank.test'] })
    user = await addUser(service, 1, [shop])
    const transport = await addTransport(service, { mailerDsn: 'inbox://local' })
    await service.askFor('POST', `/api/multipleTransport/transportUser/${user.id}`, {
      transportId: transport.id,
    })
    const server = await service.openSmtpServer()
    smtp = await openDialogue(server.port ?? 0)
    await smtp.say('EHLO client.test')
    await smtp.logIn(user.username, user.password)
  })
  after(() => smtp.end())

  const hand = (head: readonly string[], from = 'news@shop.test') =>
    smtp.hand({
      from,
      to: ['ann@example.net'],
      raw: [...head, 'X-Mailyard-Transport: none', '', 'x'].join('\r\n'),
    })

  for (const [title, head] of Object.entries(heads))
    test(`writes as no other by ${title}`, async () => {
      const reply = await hand(head)
      assert.match(reply, /^550 5\.7\.1 /, reply)
      assert.doesNotMatch(reply, /"Bank"/)
    })

  for (const [title, head] of Object.entries(ownHeads))
    test(`writes as itself with ${title}`, async () => {
      const reply = await hand(head)
      assert.doesNotMatch(reply, /^550 5\.7\.1/, reply)
    })

  test('hears at MAIL which address its brand does not have', async () => {
    const reply = await smtp.say('MAIL FROM:<ceo@bank.test>')
    assert.equal(
      reply,
      '550 5.7.1 You may not send as ceo@bank.test: brand "Shop" sends as shop.test and orders@bank.test',
    )
    assert.match(await smtp.say('MAIL FROM:<>'), /^250 /)
    assert.match(await smtp.say('RSET'), /^250 /)
  })

  test('sends no email over HTTP, and no test, as another', async () => {
    const { service, ask } = shared
    const as = user.as
    const { contact } = await service.askFor('POST', '/api/contacts/new', {
      email: 'ann@example.net',
      brand: shop,
    })
    const headers = { Sender: 'ceo@bank.test' }
    for (const values of [
      { fromAddress: 'ceo@bank.test' },
      { fromAddress: 'news@shop.test', headers },
      { fromAddress: 'news@shop.test', isTwig: true, headers: { Sender: '{{ "ceo@bank.test" }}' } },
    ]) {
      const email = await addEmail(service, { ...values, brand: shop, plainText: 'x' })
      const path = `/api/emails/${email.id}/contact/${contact.id}/send`
      const sent = await ask('POST', path, {}, { as })
      assert.equal(sent.status, 403, sent.text)
      assert.match(sent.text, /You may not send as ceo@bank\.test: brand \\"Shop\\"/)
      const body = { id: email.id, to: 'ann@example.net' }
      assert.equal((await ask('POST', '/api/emails/send/test', body, { as })).status, 403)
    }
    const transport = await addTransport(service, {
      brand: shop,
      mailerDsn: 'inbox://local',
      testedEmailFrom: 'ceo@bank.test',
    })
    const test = `/api/multipleTransports/send/test/${transport.id}`
    assert.equal((await ask('POST', test, { to: 'ann@example.net' }, { as })).status, 403)
    const unsaved = { mailerDsn: 'inbox://local', testedEmailFrom: 'ceo@bank.test', to: 'a@b.test' }
    assert.equal(
      (await ask('POST', '/api/multipleTransports/send/test', unsaved, { as })).status,
      403,
    )
    const template = await addTemplate(service, { brand: shop })
    const ofTemplate = { id: template.id, to: 'ann@example.net', transportId: transport.id }
    assert.equal(
      (await ask('POST', '/api/twigTemplates/send/test', ofTemplate, { as })).status,
      403,
    )
  })

  test('uses neither transport, template, email nor contact of another brand', async () => {
    const { service, ask } = shared
    const as = user.as
    const transport = await addTransport(service, { name: 'Vault', brand: bank })
    for (const named of [String(transport.id), 'Vault']) {
      const reply = await smtp.hand({
        from: 'news@shop.test',
        to: ['ann@example.net'],
        raw: `From: news@shop.test\r\nX-Mailyard-Transport: ${named}\r\n\r\nx`,
      })
      const unknown = await smtp.hand({
        from: 'news@shop.test',
        to: ['ann@example.net'],
        raw: `From: news@shop.test\r\nX-Mailyard-Transport: unknown\r\n\r\nx`,
      })
      assert.equal(reply.replace(`"${named}"`, '"unknown"'), unknown)
    }
    const email = await addEmail(service, { brand: shop, fromAddress: 'news@shop.test' })
    for (const body of [{ transportId: transport.id }, { transportId: 999_999 }]) {
      const path = `/api/multipleTransport/transportEmail/${email.id}`
      const { status, text } = await ask('POST', path, body, { as })
      assert.deepEqual([status, text.replace(/\d{2,}/g, 'N')], [404, text.replace(/\d{2,}/g, 'N')])
    }
    const secret = await addTemplate(service, { name: 'Secret', brand: bank, template: 'gold' })
    const draft = { template: `{{ include("Secret") }}{{ include("id:${secret.id}") }}` }
    const rendered = await ask('POST', '/api/twigTemplates/render', draft, { as })
    assert.doesNotMatch(rendered.text, /gold/)
    const { contact } = await service.askFor('POST', '/api/contacts/new', {
      email: 'vip@example.net',
      firstname: 'Goldfinger',
      brand: bank,
    })
    const preview = { email: { subject: '{contactfield=firstname}' }, contactId: contact.id }
    assert.equal((await ask('POST', '/api/emails/preview', preview, { as })).status, 404)
  })

  test('gets neither another brand nor all of them by what it saves', async () => {
    const { service, ask } = shared
    const as = user.as
    const person = (brands: number[]) => ({
      username: `p${brands.join('-')}`,
      email: `p${brands.join('-')}@example.com`,
      role: 1,
      plainPassword: { password: 'a long password', confirm: 'a long password' },
      brands,
    })
    const edit = `/api/users/${user.id}/edit`
    for (const brands of [[], [bank], [shop, bank]]) {
      const expected = brands.length === 0 ? 400 : 403
      for (const [method, path, body] of [
        ['POST', '/api/users/new', person(brands)],
        ['PUT', edit, person(brands)],
        ['PATCH', edit, { brands }],
      ] as const)
        assert.equal(
          (await ask(method, path, body, { as })).status,
          expected,
          `${method} ${String(brands)}`,
        )
    }
    const { username, email, role } = (await ask('GET', `/api/users/${user.id}`)).body.user
    for (const by of [{ as }, {}]) {
      const kept = await ask('PUT', edit, { username, email, role: role.id }, by)
      assert.deepEqual([kept.status, kept.body.user.brands], [200, [shop]], kept.text)
    }
    const domains = ['bank.test']
    assert.equal((await ask('PATCH', `/api/brands/${shop}/edit`, { domains }, { as })).status, 403)
    assert.equal((await ask('POST', '/api/brands/new', { name: 'Mine' }, { as })).status, 403)
    for (const brand of [bank, null, 999_999]) {
      const { status } = await ask(
        'POST',
        '/api/multipleTransports/new',
        { name: 'x', mailerDsn: 'null://null', brand },
        { as },
      )
      assert.ok([403, 404].includes(status), `${brand}: ${status}`)
      const client = { name: 'x', grantTypes: ['client_credentials'], role: 1, brand }
      assert.ok(
        [403, 404].includes((await ask('POST', '/api/oauthClients/new', client, { as })).status),
      )
    }
    const own = await addClient(service, {
      grantTypes: ['client_credentials'],
      role: 1,
      brand: shop,
    })
    const { access_token: token } = await getClientToken(service, own)
    const { body } = await ask('GET', '/api/brands', undefined, { as: { token } })
    assert.deepEqual(
      body.brands.map(({ id }: { id: number }) => id),
      [shop],
    )
  })
})
