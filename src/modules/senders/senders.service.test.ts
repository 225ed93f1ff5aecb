import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addBrandUser } from '../../../test/brand-callers.ts'
import { addEmail, addSigningKey, addTransport, uniqueName } from '../../../test/callers.ts'
import { startDnsServer } from '../../../test/dns-server.ts'
import { addBrand, callerOf } from '../../../test/mautics.ts'
import { onMailyard } from '../../../test/on-each-database.ts'
import type { SenderTables } from './table.ts'

const dns = await startDnsServer({
  '_dmarc.brand.example': { TXT: ['v=DMARC1; p=reject; adkim=s'] },
  'brand.example': { TXT: ['v=spf1 ip4:192.0.2.1 -all'] },
  'mail.example.net': { A: ['192.0.2.1'] },
  '_dmarc.silent.example': { behavior: 'servfail' },
})
after(() => dns.close())

onMailyard('the senders', { config: { dnsServers: [dns.address] } }, (shared) => {
  const { ask, askFor } = shared
  const mailerDsn = 'smtp://user:secret@mail.example.net:587'
  const add = (values: Record<string, unknown> = {}) =>
    addTransport(shared.service, { mailerDsn, ...values })
  /** A transport whose test messages are of a domain of its own. */
  const addTested = async () => {
    const domain = newDomain()
    const transport = await add({ testedEmailFrom: `news@${domain}` })
    shared.clock.advance(11_000)
    return { domain, ...transport }
  }
  const tables = () => shared.service.app.storage.tables<SenderTables>()
  /** A name below a domain with DMARC, which no other test has. */
  const newDomain = () => `${uniqueName('sender')}.brand.example`
  const note = (domain: string, transportId: number | null, more: object = {}) =>
    shared.service.app.senders.domains.uses.note({
      domain,
      envelopeDomain: domain,
      transportId,
      brand: 0,
      ...more,
    })
  const flush = async () => {
    await shared.service.app.senders.domains.uses.flushing.run()
    shared.clock.advance(11_000)
  }
  /** What the list has of a domain and a transport: it shows the stored check, and makes none. */
  const findListed = async (domain: string, id: number) => {
    const { senders } = (await ask('GET', `/api/senders?search=${domain}`)).body
    return senders[0].transports.find((each: { id: number }) => each.id === id)
  }

  test('a domain is checked with DNS, and the answer says what was found and what to publish', async () => {
    const { domain, id, name } = await addTested()
    const body = await askFor('GET', `/api/senders/${domain}`)
    const { sender } = body
    assert.equal(sender.domain, domain)
    assert.deepEqual(sender.dmarc, {
      state: 'found',
      record: 'v=DMARC1; p=reject; adkim=s',
      foundAt: '_dmarc.brand.example',
      organizationalDomain: 'brand.example',
      policy: 'reject',
      adkim: 'strict',
      aspf: 'relaxed',
      problems: [],
    })
    const [transport] = sender.transports
    assert.deepEqual([transport.id, transport.name, transport.verdict], [id, name, 'cannotTell'])
    const shownMembers = transport.members.map(({ member }: { member: string }) => member)
    assert.deepEqual(shownMembers, ['smtp://mail.example.net:587'])
    assert.equal(transport.missing.step, 'createKey')
  })

  test('a domain is aligned by a key only where one signs the messages of each brand that sends it', async () => {
    const domain = newDomain()
    const { id } = await add({ mailerDsn: 'smtp://mail.signing.example:587' })
    const unused = await add({ mailerDsn: 'smtp://mail.unused.example:587' })
    const brand = await addBrand(shared.service)
    const find = async (query = '') => {
      const { transports } = (await ask('POST', `/api/senders/${domain}/check${query}`)).body.sender
      const [{ verdict, sentence, missing }] = transports
      return { verdict, sentence, step: missing?.step, advice: missing?.sentence }
    }
    note(domain, id, { brand })
    await flush()
    await addSigningKey(shared.service, dns, { domain })
    const { verdict, sentence, step, advice } = await find()
    assert.deepEqual([verdict, step], ['cannotTell', 'createKey'])
    assert.match(sentence, new RegExp(`signs messages of brand ${brand} with`))
    assert.match(advice, new RegExp(`that belongs to brand ${brand},`))
    await addSigningKey(shared.service, dns, { domain, brand })
    assert.equal((await findListed(domain, id)).verdict, null)
    assert.equal((await find()).verdict, 'aligned')
    assert.equal((await find(`?transport=${unused.id}`)).verdict, 'aligned')
    note(domain, id, { brand: 999 })
    await flush()
    assert.equal((await find()).verdict, 'cannotTell')
    const { dkimKeys } = (await ask('GET', `/api/dkimKeys?search=${domain}`)).body
    for (const key of dkimKeys) await ask('DELETE', `/api/dkimKeys/${key.id}/delete`)
    assert.match((await find()).advice, /Create an RSA key of Mailyard/)
  })

  test('callers with brands learn what concerns their messages, whatever others send and sign', async () => {
    const domain = newDomain()
    const { id } = await add({ mailerDsn: 'smtp://mail.shared.example:587' })
    const [brand, other] = [await addBrand(shared.service), await addBrand(shared.service)]
    note(domain, id, { brand })
    await flush()
    const { as } = await addBrandUser(shared.service, [brand])
    const read = async () => {
      const { body } = await ask('POST', `/api/senders/${domain}/check`, undefined, { as })
      const { body: list } = await ask('GET', `/api/senders?search=${domain}`, undefined, { as })
      return JSON.stringify([body, list]).replaceAll(/"date\w+":"[^"]+"/g, '')
    }
    const before = await read()
    assert.match(before, /createKey/)
    note(domain, id, { brand: other, envelopeDomain: 'bounces.other.example' })
    await flush()
    const unsigned = await read()
    await addSigningKey(shared.service, dns, { domain, brand: other })
    const signed = await read()
    assert.deepEqual([unsigned, signed], [before, before])
  })

  test('a check is kept for an hour, and ends with the DSN of its transport, not with its name', async () => {
    const { domain, id } = await addTested()
    const asked = () => dns.queries.filter((query) => query.includes(domain)).length
    await ask('GET', `/api/senders/${domain}`)
    const count = asked()
    assert.ok(count > 0)
    await ask('GET', `/api/senders/${domain}`)
    await ask('PATCH', `/api/multipleTransports/${id}/edit`, { name: uniqueName('renamed') })
    await ask('GET', `/api/senders/${domain}`)
    assert.equal(asked(), count)
    await ask('POST', `/api/senders/${domain}/check`)
    assert.ok(asked() > count)
    assert.equal((await findListed(domain, id)).verdict, 'cannotTell')
    await ask('PATCH', `/api/multipleTransports/${id}/edit`, { mailerDsn: 'null://null' })
    assert.equal((await findListed(domain, id)).verdict, null)
  })

  test('a hundred callers who ask for the same check share it', async () => {
    const { domain } = await addTested()
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => ask('POST', `/api/senders/${domain}/check`)),
    )
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    const walked = dns.queries.filter((query) => query.endsWith(`TXT _dmarc.${domain}`))
    // Who asks a second later, on a busy machine, asks again.
    assert.ok(walked.length >= 1 && walked.length < 5, `${walked.length} checks`)
  })

  test('DNS that fails is neither aligned nor notAligned, and the answer comes all the same', async () => {
    const { id } = await add()
    const url = `/api/senders/silent.example?transport=${id}`
    const body = await askFor('GET', url)
    assert.equal(body.sender.dmarc.state, 'failed')
    const [transport] = body.sender.transports.filter((each: { id: number }) => each.id === id)
    assert.equal(transport.verdict, 'cannotTell')
  })

  test('the domains of attempts, emails and test senders are listed with their transports and stored verdicts', async () => {
    const [sent, written, tested] = [newDomain(), newDomain(), newDomain()]
    const transport = await add({ testedEmailFrom: `test@${tested}` })
    note(sent, transport.id)
    const fromAddress = `News@${written.toUpperCase()}`
    await addEmail(shared.service, { fromAddress, isPublished: true })
    await flush()
    const list = async () => (await ask('GET', '/api/senders?limit=1000')).body
    const { total, senders } = await list()
    assert.equal(total, senders.length)
    const find = (domain: string) =>
      senders.find((each: { domain: string }) => each.domain === domain)
    assert.deepEqual(find(sent).sources, ['delivery'])
    assert.match(find(sent).lastUsed, /^\d{4}-/)
    assert.deepEqual(find(written).sources, ['email'])
    assert.deepEqual(find(tested).sources, ['test'])
    const listed = { id: transport.id, name: transport.name }
    assert.deepEqual(find(tested).transports, [
      { ...listed, verdict: null, sentence: null, missing: null, dateChecked: null },
    ])
    const count = dns.queries.length
    await list()
    assert.equal(dns.queries.length, count)
    await ask('GET', `/api/senders/${tested}`)
    const found = (await ask('GET', `/api/senders?search=News <news@${tested}>`)).body
    assert.equal(found.total, 1)
    assert.equal(found.senders[0].transports[0].verdict, 'cannotTell')
    assert.equal(found.senders[0].policy, 'reject')
  })

  test('an IP address in place of a domain is not listed, because DNS knows nothing of it', async () => {
    const { id } = await add({ testedEmailFrom: 'news@[192.0.2.77]' })
    note('[192.0.2.77]', id)
    await flush()
    assert.equal((await ask('GET', '/api/senders?search=192.0.2.77')).body.total, 0)
  })

  test('the worst domains and transports are listed first, and both can be filtered', async () => {
    const part = newDomain()
    const [aligned, unknown, unchecked] = [`a.${part}`, `b.${part}`, `c.${part}`]
    const [first, second] = [await add({ name: 'First' }), await add({ name: 'Second' })]
    for (const domain of [aligned, unknown, unchecked]) note(domain, first.id)
    note(unknown, second.id)
    await flush()
    const rows = [
      { domain: aligned, transport_id: first.id, verdict: 'aligned' as const },
      { domain: unknown, transport_id: first.id, verdict: 'cannotTell' as const },
      { domain: unknown, transport_id: second.id, verdict: 'notAligned' as const },
    ]
    const stored = { sentence: 'It is so.', checked_at: Date.now() }
    const none = { brand_id: 0, missing: 'null', members: '[]', dmarc: '{}', policy: null }
    const checks = rows.map((row) => ({ ...row, ...stored, ...none }))
    await tables().insertInto('sender_checks').values(checks).execute()
    const list = async (query = '') => {
      return (await askFor('GET', `/api/senders?search=${part}${query}`)).senders.map(
        (sender: { domain: string; transports: { name: string }[] }) =>
          `${sender.domain}: ${sender.transports.map(({ name }) => name).join()}`,
      )
    }
    assert.deepEqual(await list(), [
      `${unknown}: Second,First`,
      `${unchecked}: First`,
      `${aligned}: First`,
    ])
    assert.deepEqual(await list('&limit=1&start=1'), [`${unchecked}: First`])
    assert.deepEqual(await list('&verdict=notAligned'), [`${unknown}: Second,First`])
    assert.deepEqual(await list('&verdict=aligned'), [`${aligned}: First`])
    assert.deepEqual(await list(`&transport=${second.id}`), [`${unknown}: Second`])
    assert.deepEqual(await list(`&transport=${first.id}&verdict=cannotTell`), [`${unknown}: First`])
    assert.equal((await ask('GET', '/api/senders?verdict=bad')).status, 400)
  })

  test('an email that is sent notes its From domain and its transport', async () => {
    const domain = newDomain()
    const { id } = await add({ mailerDsn: 'inbox://local' })
    const values = { fromAddress: `news@${domain}`, plainText: 'Hello', isPublished: false }
    const email = await addEmail(shared.service, values)
    const path = `/api/multipleTransport/transportEmail/${email.id}`
    await ask('POST', path, { transportId: id })
    const { contact } = await shared.askFor('POST', '/api/contacts/new', { email: `ann@${domain}` })
    await shared.askFor('POST', `/api/emails/${email.id}/contact/${contact.id}/send`)
    await flush()
    const found = (await ask('GET', `/api/senders?search=${domain}`)).body
    assert.deepEqual(found.senders[0]?.sources, ['delivery'])
    assert.equal(found.senders[0].transports[0].id, id)
  })

  test('callers with brands see the domains of their messages, and of no others, not even of no brand', async () => {
    const { senders } = shared.service.app
    const [own, foreign, ofNone] = [newDomain(), newDomain(), newDomain()]
    const { id } = await add()
    note(own, id, { brand: 7 })
    note(foreign, id, { brand: 8 })
    note(ofNone, id)
    await flush()
    const query = { search: 'sender', start: 0, limit: 1_000 }
    const domains = (
      await senders.domains.list(query, callerOf({ id: 1, name: 'Brand', brand: 7 }))
    ).senders.map(({ domain }) => domain)
    assert.ok(domains.includes(own))
    assert.ok(!domains.includes(foreign) && !domains.includes(ofNone))
  })

  test('messages with an envelope sender of another domain are named', async () => {
    const domain = newDomain()
    const { id } = await add()
    note(domain, id)
    note(domain, id, { envelopeDomain: 'bounces.example.net' })
    await flush()
    const [transport] = (await ask('GET', `/api/senders/${domain}`)).body.sender.transports
    assert.match(transport.sentence, /envelope senders are of bounces\.example\.net/)
  })

  test('a sender of any number of From domains takes a bounded number of places', async () => {
    const { id } = await add()
    for (let count = 0; count < 12_000; count += 1) note(`d${count}.flood.example`, id)
    await flush()
    const uses = tables().selectFrom('sender_uses').selectAll().where('transport_id', '=', id)
    const { length } = await uses.execute()
    assert.ok(length <= 2_000, String(length))
    await tables().deleteFrom('sender_uses').where('transport_id', '=', id).execute()
    shared.clock.advance(11_000)
  })

  test('what is no domain is refused, and so is an unknown transport', async () => {
    for (const domain of ['no%20domain', '..', '192.0.2.1', 'a%00b.example', 'x'.repeat(300)]) {
      const { status } = await ask('GET', `/api/senders/${domain}`)
      assert.ok([400, 404, 414].includes(status), `${domain}: ${status}`)
    }
    assert.equal((await ask('GET', '/api/senders/brand.example?transport=999999')).status, 404)
    assert.equal((await ask('GET', '/api/senders/brand.example?transport=x')).status, 400)
    const { sender } = (await ask('GET', '/api/senders/B%C3%BCcher.Example')).body
    assert.equal(sender.domain, 'xn--bcher-kva.example')
  })
})
