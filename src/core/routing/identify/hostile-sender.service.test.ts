import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addTemplate, addTransport, uniqueName } from '../../../../test/callers.ts'
import { addMautic, callerOf, submitMessage, type TestMautic } from '../../../../test/mautics.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'

const hash = '6b00f2bbf1586062082885'
const link = `a:3:{s:5:"email";i:17;s:4:"stat";s:22:"${hash}";s:4:"lead";s:1:"9";}`
const ct = encodeURIComponent(Buffer.from(link).toString('base64'))
const html = 'Content-Type: text/html\n'

/** A sender that has the log-in of one Mautic, and knows everything of another one: its ids, names, hashes and links. */
onMailyard('a sender with the log-in of one Mautic', (shared) => {
  let victim: TestMautic
  let evil: TestMautic
  const ann = 'ann@rcpt.test'
  const olga = 'olga@brand.test'
  /** The transports of the victim: of its email, of its user, and its default. */
  let owned: { id: number; name: string }[]
  let evilTransport: number
  let templateId: number

  before(async () => {
    const { service } = shared
    const { assignments, mautics } = service.app
    ;({ id: templateId } = await addTemplate(service, { template: '{{ contact.firstname }}' }))
    victim = await addMautic(service, {
      emails: [17],
      users: { 5: olga },
      contacts: { 9: { email: ann, ownerId: 5, firstname: 'Secret-Ann' } },
    })
    ;({ id: evilTransport } = await addTransport(service, { mailerDsn: 'inbox://local' }))
    evil = await addMautic(service, { transportId: evilTransport })
    owned = []
    for (const name of ['email', 'user', 'default'])
      owned.push(
        await addTransport(service, {
          ...{ name: uniqueName(name), mailerDsn: 'inbox://local', brand: victim.brand },
        }),
      )
    const [ofEmail, ofUser, ofAll] = owned.map(({ id }) => id)
    const caller = callerOf(victim)
    await assignments.set('email', { id: 17, transportId: ofEmail ?? null }, caller)
    await assignments.set('user', { id: 5, transportId: ofUser ?? null }, caller)
    const change = { transportId: ofAll }
    await service.askFor('PATCH', `/api/mautics/${victim.id}/edit`, change)
    // All of it is known, so that nothing depends on how fast a Mautic answers.
    await mautics.sends.save(victim.id, [{ hash, emailId: 17, contactId: 9, address: ann }])
    await mautics.contacts.find(victim.id, 9, { hasSegments: true })
    await mautics.contacts.find(evil.id, 9, { hasSegments: true })
    assert.equal(await mautics.sends.find(evil.id, hash), undefined)
  })

  const submit = (from: TestMautic, message: { text: string; sender?: string }) =>
    submitMessage(shared.service, from, { to: ann, ...message })
  const lastDelivery = async () =>
    (await shared.askFor('GET', '/api/deliveries?limit=1')).deliveries[0]
  const inbox = async () => {
    const { body } = await shared.ask('GET', '/api/inbox?limit=100')
    return JSON.stringify(body)
  }

  const claims: Record<string, { head?: string; body?: string; sender?: string }> = {
    'X-EMAIL-ID': { head: 'X-EMAIL-ID: 17\n' },
    'X-Contact-Id': { head: 'X-Contact-Id: 9\n' },
    'X-Owner-Id': { head: 'X-Owner-Id: 5\n' },
    'the sender': { head: `From: Olga <${olga}>\n`, sender: olga },
    'List-Unsubscribe': {
      head: `List-Unsubscribe: <https://brand.test/email/unsubscribe/${hash}/${ann}>\n`,
    },
    'the VERP sender': { sender: `news+bounce_${hash}@brand.test` },
    'the pixel': { body: `<img src="https://brand.test/email/${hash}.gif">` },
    'a link of the text': { body: `<a href="https://brand.test/email/view/${hash}">` },
    'a tracked link': { body: `<a href="https://brand.test/r/1?ct=${ct}">` },
  }
  const messageOf = (named: readonly (typeof claims)[string][], subject: string) => ({
    text:
      named.map(({ head = '' }) => head).join('') +
      `${html}Subject: ${subject} {twigtemplate=${templateId}}\n\n` +
      `${named.map(({ body = '' }) => body).join('')}<p>{twigtemplate=${templateId}}</p>`,
    sender: named.findLast(({ sender }) => sender !== undefined)?.sender ?? 'a@brand.test',
  })
  const attempts = [
    ...Object.entries(claims).map(([name, claim]) => [name, [claim]] as const),
    ['everything at once', Object.values(claims)] as const,
  ]

  for (const [name, named] of attempts)
    test(`reaches nothing of another Mautic by ${name}`, async () => {
      assert.deepEqual(await submit(evil, messageOf(named, name)), ['250 2.0.0'])
      const { mautic, transportId, contactId, trace } = await lastDelivery()
      assert.deepEqual([mautic.id, transportId, contactId], [evil.id, evilTransport, null])
      for (const transport of owned)
        assert.equal(JSON.stringify(trace).includes(transport.name), false)
      assert.doesNotMatch(await inbox(), /Secret-Ann/)
    })

  test('is refused a transport of another brand, by name and by id', async () => {
    for (const { id, name } of owned)
      for (const text of [name, String(id), ` ${name.toUpperCase()} `]) {
        const named = `X-Mailyard-Transport: ${text}\nSubject: Hello\n\nHello`
        assert.deepEqual(await submit(evil, { text: named }), ['451 4.3.5'])
      }
  })

  test('leaves no trace among the messages of the other Mautic', async () => {
    const { body } = await shared.ask('GET', `/api/deliveries?mautic=${victim.id}`)
    assert.deepEqual(body.deliveries, [])
  })

  test('could do all of it with the log-in of that Mautic', async () => {
    const message = messageOf([claims['List-Unsubscribe'] ?? {}], 'own')
    assert.deepEqual(await submit(victim, message), ['250 2.0.0'])
    const { mautic, emailId, transportId, contactId } = await lastDelivery()
    assert.deepEqual([mautic.id, emailId, transportId, contactId], [victim.id, 17, owned[0]?.id, 9])
    assert.match(await inbox(), /own Secret-Ann/)
  })
})
