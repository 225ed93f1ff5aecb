import assert from 'node:assert/strict'
import { afterEach, before, test } from 'node:test'
import { addEmail, addTransport, uniqueName } from '../../../test/callers.ts'
import { addBrand, addMautic, callerOf, type TestMautic } from '../../../test/mautics.ts'
import { onMailyard } from '../../../test/on-each-database.ts'
import { type Dialogue, openDialogue } from '../../../test/smtp-dialogue.ts'
import type { Brands } from '../../kit/caller.ts'
import { type DeliveryTables, submitterOf } from '../delivery/index.ts'

const to = 'ann@rcpt.test'
const inbox = { mailerDsn: 'inbox://local' }

/** Who asks over HTTP: their brands differ from request to request. */
const caller = { ...callerOf(undefined), brands: 'all' as Brands }

onMailyard('a log-in of brands', { caller, config: inbox }, (shared) => {
  let port: number | undefined
  let mautic: TestMautic
  let name: string
  let shop: number
  let lab: number
  before(async () => {
    ;({ port } = await shared.service.openSmtpServer())
    mautic = await addMautic(shared.service)
    name = uniqueName('Shop')
    await setDomains({ name, domains: ['shop.test', 'ceo@holding.test'] })
    shop = await addBrand(shared.service, { domains: ['shop.test'] })
    lab = await addBrand(shared.service, { domains: ['lab.test'] })
  })
  afterEach(() => {
    caller.brands = 'all'
  })

  const setDomains = (values: object) =>
    shared.askFor('PATCH', `/api/brands/${mautic.brand}/edit`, values)
  const open = async (context: { after(work: () => void): void }): Promise<Dialogue> => {
    const client = await openDialogue(port ?? 0)
    context.after(() => client.end())
    const { username, password } = new URL(mautic.mailerDsn)
    await client.say('EHLO client.test')
    assert.match(await client.logIn(username, password), /^235 /)
    return client
  }
  const refusalOf = (address: string) =>
    `550 5.7.1 You may not send as ${address}: brand "${name}" sends as shop.test and ceo@holding.test`
  const countCaptured = async () => {
    await shared.service.app.idle()
    return (await shared.askFor('GET', '/api/inbox')).total
  }
  const textOf = (head: string) => `${head}\r\nSubject: ${uniqueName('x')}\r\n\r\nHello\r\n`

  test('is refused another envelope sender at MAIL, with the address and the brand; the next message is accepted', async (context) => {
    const client = await open(context)
    for (const address of ['a@other.test', 'a@sub.shop.test', 'cfo@holding.test'])
      assert.equal(await client.say(`MAIL FROM:<${address}>`), refusalOf(address))
    const raw = textOf('From: a@shop.test')
    assert.match(await client.hand({ from: 'a@shop.test', to: [to], raw }), /^250 /)
  })

  test('is refused another From or Sender at the end of the data, and nothing is sent', async (context) => {
    const client = await open(context)
    const before = await countCaptured()
    const refused: [head: string, refusal: string][] = [
      ['From: a@other.test', refusalOf('a@other.test')],
      ['From: Shop <a@shop.test>, a@other.test', refusalOf('a@other.test')],
      ['From: a@shop.test\r\nSender: a@other.test', refusalOf('a@other.test')],
      ['From: "a@shop.test" (a@shop.test)\r\n <a@other.test>', refusalOf('a@other.test')],
      ['From: Team: a@shop.test, =?utf-8?q?a?= <a@other.test>;', refusalOf('a@other.test')],
      ['Sender: a@shop.test', '550 5.7.1 The message has no header From; add one'],
      [
        'From: a@shop.test\r\nFrom: a@other.test',
        '550 5.7.1 The message has 2 headers From; send one',
      ],
    ]
    for (const [head, refusal] of refused) {
      const message = { from: 'a@shop.test', to: [to], raw: textOf(head) }
      assert.equal(await client.hand(message), refusal)
    }
    assert.equal(await countCaptured(), before)
  })

  test('sends as its domains and addresses, also with an empty envelope sender', async (context) => {
    const client = await open(context)
    for (const [from, head] of [
      ['', 'From: a@shop.test'],
      ['bounces@shop.test', 'From: CEO <CEO@Holding.test>\r\nSender: a@SHOP.test'],
    ] as const)
      assert.match(await client.hand({ from, to: [to], raw: textOf(head) }), /^250 /)
    // An empty envelope sender is no way around the check of the headers.
    const foreign = { from: '', to: [to], raw: textOf('From: a@other.test') }
    assert.equal(await client.hand(foreign), refusalOf('a@other.test'))
  })

  test('sends as any address where the brand has no domains, and as none where it is not published', async (context) => {
    await setDomains({ domains: [] })
    const client = await open(context)
    const message = { from: 'a@other.test', to: [to], raw: textOf('From: b@any.test') }
    assert.match(await client.hand(message), /^250 /)
    await setDomains({ isPublished: false })
    assert.equal(
      await client.say('MAIL FROM:<a@other.test>'),
      `550 5.7.1 You may not send as a@other.test: brand "${name}" is not published`,
    )
  })

  const brandOfLast = async () => {
    const deliveries = shared.service.app.storage.tables<DeliveryTables>().selectFrom('deliveries')
    const last = await deliveries.select('brand_id').orderBy('id', 'desc').limit(1).execute()
    return last[0]?.brand_id
  }
  const submit = async (brands: Brands, head: string) => {
    const received = {
      submitter: submitterOf(caller, null),
      ...{ sender: 'a@lab.test', recipients: [to], reserve: () => () => undefined },
      chunks: [Buffer.from(textOf(head))],
    }
    const { acceptor } = shared.service.app.delivery
    const { replies } = await acceptor.accept(received, { mode: 'direct', brands })
    return replies.map(({ reply }) => reply.code)
  }

  test('of several sends as each of them: a message is of the brand that has its From', async () => {
    for (const [head, brand] of [
      ['From: a@shop.test', shop],
      ['From: a@lab.test', lab],
      ['From: a@lab.test\r\nSender: a@shop.test', lab],
    ] as const) {
      assert.deepEqual(await submit([shop, lab], head), [250])
      assert.equal(await brandOfLast(), brand, head)
    }
    assert.deepEqual(await submit([shop, lab], 'From: a@other.test'), [550])
    assert.deepEqual(await submit([shop], 'From: a@lab.test'), [550])
    // A log-in without a brand sends for none, and one of all brands as it likes.
    for (const brands of [[], 'all'] as const) {
      assert.deepEqual(await submit(brands, 'From: a@shop.test'), [250])
      assert.equal(await brandOfLast(), 0)
    }
  })

  test('is refused emails and tests over HTTP as another address, with the address, and sends them as its own', async () => {
    const { ask, askFor, service } = shared
    caller.brands = [shop]
    const { id: transport } = await addTransport(service, inbox)
    const fields = { email: `${uniqueName('c')}@rcpt.test` }
    const { id: contact } = (await askFor('POST', '/api/contacts/new', fields)).contact
    const { id: email } = await addEmail(service, { plainText: 'Hello' })
    const assigned = `/api/multipleTransport/transportEmail/${email}`
    await askFor('POST', assigned, { transportId: transport })
    const send = () => ask('POST', `/api/emails/${email}/contact/${contact}/send`, {})
    for (const Sender of ['a@lab.test', '{{ "a@lab.test" }}']) {
      const values = { fromAddress: 'a@shop.test', isTwig: true, headers: { Sender } }
      await askFor('PATCH', `/api/emails/${email}/edit`, values)
      assert.match((await send()).body.error, /^You may not send as a@lab\.test: /)
    }
    await askFor('PATCH', `/api/emails/${email}/edit`, { headers: {} })
    for (const [from, status] of [
      ['a@lab.test', 403],
      ['a@shop.test', 200],
    ] as const) {
      await askFor('PATCH', `/api/emails/${email}/edit`, { fromAddress: from })
      const tested = { testedEmailFrom: from }
      await askFor('PATCH', `/api/multipleTransports/${transport}/edit`, tested)
      const answers = [
        await send(),
        await ask('POST', '/api/emails/send/test', { id: email, to }),
        await ask('POST', `/api/multipleTransports/send/test/${transport}`, { to }),
        await ask('POST', '/api/multipleTransports/send/test', { ...inbox, ...tested, to }),
        await ask('POST', '/api/twigTemplates/send/test', {
          ...{ template: 'x', to, transportId: transport },
        }),
      ]
      assert.deepEqual(
        answers.map((answer) => answer.status),
        answers.map(() => status),
        answers.map(({ text }) => text).join('\n'),
      )
      const messages = answers.map(({ body }) => String(body.error))
      if (status === 403)
        for (const message of messages) assert.match(message, /^You may not send as a@lab\.test: /)
      else assert.equal(await brandOfLast(), shop)
    }
  })
})
