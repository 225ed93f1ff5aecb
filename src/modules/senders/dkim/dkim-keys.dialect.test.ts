import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { after, afterEach, test } from 'node:test'
import { sql } from 'kysely'
import { addSigningKey } from '../../../../test/callers.ts'
import { startDnsServer } from '../../../../test/dns-server.ts'
import { addBrand, callerOf } from '../../../../test/mautics.ts'
import { onEachDatabase } from '../../../../test/on-each-database.ts'
import { askForEvents, listPublished } from '../../../../test/published-events.ts'
import type { TestApp, TestBody } from '../../../../test/test-app.ts'
import { until } from '../../../../test/until.ts'
import { examineDkim } from '../examine-senders.ts'
import type { DkimTables } from './table.ts'

const privatePem = (type: 'pkcs1' | 'pkcs8', bits = 2_048) =>
  generateKeyPairSync('rsa', {
    modulusLength: bits,
    privateKeyEncoding: { type, format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const dns = await startDnsServer()
after(() => dns.close())

/** Names are used once, because the records of other tests stay on the server. */
let domains = 0
const newDomain = () => {
  domains += 1
  return `brand${domains}.example`
}

onEachDatabase('DKIM keys', { config: { dnsServers: [dns.address] } }, (shared) => {
  const ask = (method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string, body?: unknown) =>
    shared.ask(method, `/api/dkimKeys${path}`, body)
  const db = () => shared.service.app.storage.tables<DkimTables>()

  afterEach(async () => {
    await db().deleteFrom('dkim_keys').execute()
    await shared.service.app.senders.dkim.keys.reload()
  })

  const addKey = async (values: object) =>
    (await shared.askFor('POST', '/api/dkimKeys/new', values)).dkimKey

  test('a created key has 2048 bits, does not sign yet, and shows the record in both forms', async () => {
    const key = await addKey({ domain: 'Example.com.' })
    const small = (await addKey({ domain: 'b.example', algorithm: 'ed25519' })).record
    assert.equal(small.zone, `${small.name}. 3600 IN TXT "${small.value}"`)
    const month = new Date().toISOString().slice(0, 7).replace('-', '')
    assert.equal(key.domain, 'example.com')
    assert.equal(key.algorithm, 'rsa')
    assert.equal(key.selector, `mailyard-${month}`)
    assert.deepEqual([key.isPublished, key.isActive], [true, false])
    assert.deepEqual([key.problem, key.dateChecked], [null, null])
    const { record } = key
    assert.equal(record.type, 'TXT')
    assert.equal(record.name, `mailyard-${month}._domainkey.example.com`)
    const base64 = /^v=DKIM1; k=rsa; p=([A-Za-z0-9+/=]+)$/.exec(record.value)?.[1] ?? ''
    const der = Buffer.from(base64, 'base64')
    const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' })
    assert.equal(publicKey.asymmetricKeyDetails?.modulusLength, 2_048)
    const strings = [...record.zone.matchAll(/"([^"]*)"/g)].map(([, text = '']) => text)
    assert.equal(strings.join(''), record.value)
    assert.equal(strings.length, 2)
    for (const text of strings) assert.ok(text.length <= 255)
    assert.ok(record.zone.startsWith(`${record.name}. 3600 IN TXT ( "`))
  })

  test('a private key is in no answer, in no log, and encrypted in the database', async () => {
    const { privateKey: pem } = privatePem('pkcs8')
    const secret = pem.split('\n')[3] ?? ''
    const created = await ask('POST', '/new', { domain: 'example.com', privateKey: pem })
    const { id } = created.body.dkimKey
    const answers = [
      created,
      await ask('GET', `/${id}`),
      await ask('GET', ''),
      await ask('POST', `/${id}/check`),
      await ask('POST', '/new', { domain: 'example.com', privateKey: pem }),
      await ask('POST', '/new', { domain: 'other.example', privateKey: pem.replace('M', 'N') }),
      await ask('PATCH', `/${id}/edit`, { privateKey: pem }),
      await ask('DELETE', `/${id}/delete?dryRun=1`),
    ]
    const [row] = await db().selectFrom('dkim_keys').selectAll().execute()
    const logged = shared.service.logged.join('')
    for (const text of [...answers.map((each) => each.text), JSON.stringify(row), logged])
      assert.ok(!text.includes(secret) && !text.includes('PRIVATE KEY'), text)
    assert.equal((await ask('DELETE', `/${id}/delete`)).status, 200)
    const deleted = db().selectFrom('dkim_keys').select('id').where('id', '=', id)
    assert.deepEqual(await deleted.execute(), [])
  })

  const publish = ({ record }: TestBody, value = record.value) =>
    dns.set(record.name, 'TXT', [value])
  const check = async (id: number): Promise<TestBody> => {
    const { status, text, body } = await ask('POST', `/${id}/check`)
    assert.equal(status, 200, text)
    return body.dkimKey
  }
  const read = async (id: number): Promise<TestBody> => (await ask('GET', `/${id}`)).body.dkimKey
  const signingKey = (domain: string, { app }: TestApp = shared.service, brand = 0) =>
    app.senders.dkim.keys.findSigning(domain, brand)
  /** The tag `p` of the record for the private key that signs. */
  const publicHalf = (domain: string, service?: TestApp) => {
    const key = signingKey(domain, service)?.privateKey as KeyObject
    return createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64')
  }
  const checkDue = ({ app }: TestApp = shared.service) =>
    app.senders.dkim.checker.checkDue(new AbortController().signal)
  /** Two Mailyards on one SQLite file do not notify each other: one process serves it. */
  async function follow({ app }: TestApp): Promise<void> {
    if ((await app.storage.describe()).kind === 'sqlite') await app.senders.dkim.keys.load()
  }
  /** The finding about the keys; there is one at most. */
  async function findOne() {
    const [finding, ...more] = await examineDkim(shared.service.app, shared.clock.now())
    assert.deepEqual(more, [])
    return finding
  }
  const addActive = (domain = newDomain()) => addSigningKey(shared.service, dns, { domain })

  test('a key signs once its record is found, and not before', async () => {
    const domain = newDomain()
    const key = await addKey({ domain })
    const waiting = await check(key.id)
    assert.equal(waiting.isActive, false)
    assert.match(waiting.problem, /^No TXT record was found at /)
    assert.equal(signingKey(domain), undefined)
    publish(key)
    const active = await check(key.id)
    assert.deepEqual([active.isActive, active.problem], [true, null])
    assert.ok(active.dateActive !== null && active.dateChecked !== null)
    const signing = signingKey(domain)
    assert.deepEqual(
      [signing?.domain, signing?.selector, signing?.algorithm],
      [domain, key.selector, 'rsa'],
    )
    assert.ok(key.record.value.endsWith(`p=${publicHalf(domain)}`))
    assert.equal(signingKey(`sub.${domain}`), undefined)
    assert.equal(signingKey('__proto__'), undefined)
  })

  test('a record with another key, a revoked one or several records is explained, and nothing is signed', async () => {
    const domain = newDomain()
    const key = await addKey({ domain })
    const cases: [string[], RegExp][] = [
      [[`v=DKIM1; p=${publicKeyOf(privatePem('pkcs8').publicKey)}`], /has another key/],
      [['v=DKIM1; k=rsa; p='], /cannot be used/],
      [[key.record.value, key.record.value.replace('p=', 'p=A')], /cannot be used/],
      [[key.record.value.replace('k=rsa', 'k=rsa; h=sha1')], /h=/],
      [[key.record.value.replace('k=rsa', 'k=rsa; s=tlsrpt')], /s=/],
      [['v=spf1 -all'], /cannot be used/],
    ]
    for (const [values, problem] of cases) {
      dns.set(key.record.name, 'TXT', values)
      const checked = await check(key.id)
      assert.equal(checked.isActive, false, values.join())
      assert.match(checked.problem, problem)
      assert.equal(signingKey(domain), undefined)
    }
    publish(key, key.record.value.replace('k=rsa', 'k=rsa; t=y'))
    const testing = await check(key.id)
    assert.equal(testing.isActive, true)
    assert.match(testing.problem, /t=y/)
  })

  test('a DNS server that fails or is silent changes nothing', async () => {
    const active = await addActive()
    for (const behavior of ['servfail', 'refused', 'silent'] as const) {
      dns.behave(active.record.name, behavior)
      const checked = await check(active.id)
      assert.equal(checked.isActive, true)
      assert.match(checked.problem, /could not be looked up/)
      assert.ok(signingKey(active.domain))
    }
    dns.behave(active.record.name, undefined)
    assert.equal((await check(active.id)).problem, null)
  })

  test('an active key whose record is gone signs on, and the findings and an event name it once', async () => {
    await askForEvents(shared.service, ['dkim.missing'])
    const active = await addActive()
    const { id, domain, record } = active
    dns.set(record.name, 'TXT', [])
    const missing = await check(id)
    assert.equal(missing.isActive, true)
    assert.match(missing.problem, /^No TXT record was found at /)
    assert.ok(signingKey(domain))
    await check(id)
    const [event, ...more] = await listPublished(shared.service, 'dkim.missing', domain)
    assert.deepEqual(more, [])
    assert.deepEqual([event.dkimKeyId, event.domain], [id, domain])
    assert.match(event.message, /cannot verify the DKIM signatures of .*No TXT record was found/)
    const finding = await findOne()
    assert.equal(finding?.severity, 'problem')
    assert.match(finding.detail, new RegExp(`the signatures of ${domain} any more`))
    assert.deepEqual(finding.actions, [{ action: 'openDkimKey', id, name: domain }])
    publish(active)
    assert.equal((await check(id)).problem, null)
    assert.equal(await findOne(), undefined)
  })

  test('another key of a domain takes the place of the one that signs once DNS has its record, and not before', async () => {
    const first = await addActive()
    const { domain } = first
    const second = await addKey({ domain })
    assert.deepEqual([second.selector, second.isPublished], [`${first.selector}-2`, false])
    const publishSecond = () => ask('PATCH', `/${second.id}/edit`, { isPublished: true })
    const refused = await publishSecond()
    assert.deepEqual([refused.status, refused.body.isPublished], [409, undefined])
    assert.equal(signingKey(domain)?.selector, first.selector)
    const early = await ask('POST', '/new', { domain, isPublished: true })
    assert.equal(early.status, 409, early.text)
    publish(second)
    const active = (await publishSecond()).body.dkimKey
    assert.deepEqual([active.isActive, active.problem], [true, null])
    assert.equal(signingKey(domain)?.selector, second.selector)
    assert.ok(second.record.value.endsWith(publicHalf(domain)))
    const replaced = await read(first.id)
    assert.deepEqual([replaced.isPublished, replaced.isActive], [false, false])
    // And back, because its record is still there.
    await ask('PATCH', `/${first.id}/edit`, { isPublished: true })
    assert.equal(signingKey(domain)?.selector, first.selector)
    const other = await shared.openAnother()
    assert.equal(signingKey(domain, other)?.selector, first.selector)
  })

  test('one request makes ten RSA keys, more of Ed25519, and replaces any number that exist', async () => {
    const inputs = (count: number, more = {}) =>
      Array.from({ length: count }, () => ({ domain: newDomain(), ...more }))
    const missing = inputs(11).map((values, index) => ({ id: 1_000_000 + index, ...values }))
    for (const refused of [
      await ask('POST', '/batch/new', inputs(11)),
      await ask('PUT', '/batch/edit', missing),
      await ask('POST', '/batch/new', inputs(101, { algorithm: 'ed25519' })),
    ])
      assert.deepEqual([refused.status, (await ask('GET', '')).body.total], [413, 0])
    const { privateKey } = privatePem('pkcs8', 1_024)
    for (const more of [{ algorithm: 'ed25519' }, { privateKey }])
      assert.equal((await ask('POST', '/batch/new', inputs(11, more))).status, 201)
    const { dkimKeys } = (await ask('GET', '?limit=100')).body
    const kept = dkimKeys.map(({ id, domain }: TestBody) => ({ id, domain }))
    const replaced = await ask('PUT', '/batch/edit', kept)
    assert.deepEqual([replaced.status, kept.length], [200, 22])
  })

  test('without a published key any other one can be published, also before DNS has its record', async () => {
    const { id, domain } = await addActive()
    const { id: otherId } = await addKey({ domain, algorithm: 'ed25519' })
    const changes = [
      { id, isPublished: false },
      { id: otherId, isPublished: true },
    ]
    const { body } = await ask('PATCH', '/batch/edit', changes)
    assert.deepEqual(body.statusCodes, [200, 200])
    assert.equal(signingKey(domain), undefined)
    assert.deepEqual(
      [(await read(id)).isPublished, (await read(otherId)).isPublished],
      [false, true],
    )
  })

  test('an imported key whose record is in DNS takes the place of the one that signs', async () => {
    const { id, domain } = await addActive()
    const { privateKey } = privatePem('pkcs8')
    const values = { domain, selector: 'old', privateKey, isPublished: true }
    assert.equal((await ask('POST', '/new', values)).status, 409)
    const record = `v=DKIM1; k=rsa; p=${publicKeyOf(privateKey)}`
    dns.set(`old._domainkey.${domain}`, 'TXT', [record])
    assert.equal((await addKey(values)).isActive, true)
    assert.equal(signingKey(domain)?.selector, 'old')
    assert.equal((await read(id)).isPublished, false)
  })

  test('a key names a brand, and one of each brand and domain is published', async () => {
    const own = await addActive()
    const { domain } = own
    const [one, two] = [await addBrand(shared.service), await addBrand(shared.service)]
    const keyOf = async (brand: number | null) => {
      const key = await addKey({ domain, algorithm: 'ed25519', brand })
      publish(key)
      return check(key.id)
    }
    assert.equal(own.brand, undefined)
    const key = await keyOf(one)
    assert.deepEqual([key.brand, key.isPublished, key.isActive], [one, true, true])
    assert.deepEqual((await keyOf(one)).isPublished, false)
    const signing = () =>
      [undefined, one, two].map((id) => signingKey(domain, shared.service, id)?.selector)
    assert.deepEqual(signing(), [own.selector, key.selector, undefined])
    const edit = (id: number, body: unknown) => ask('PATCH', `/${id}/edit`, body)
    assert.equal((await edit(key.id, { brand: two })).body.dkimKey.brand, two)
    assert.deepEqual(signing(), [own.selector, undefined, key.selector])
    dns.set(key.record.name, 'TXT', ['v=DKIM1; p='])
    assert.equal((await edit(key.id, { brand: null })).status, 409)
    publish(key)
    assert.equal((await edit(key.id, { brand: null })).status, 200)
    assert.deepEqual(signing(), [key.selector, undefined, undefined])
    assert.equal((await read(own.id)).isPublished, false)
    for (const brand of [999_999, 'x', -1])
      assert.ok([400, 404].includes((await edit(key.id, { brand })).status), `${brand}`)
    assert.equal((await ask('POST', '/new', { domain, brand: 999_999 })).status, 404)
    const where = `where[0][col]=brand&where[0][expr]=eq&where[0][val]=${one}`
    assert.equal((await ask('GET', `?${where}`)).body.dkimKeys.length, 1)
  })

  test('a key that is deleted during a look-up stays deleted', async () => {
    const active = await addActive()
    dns.behave(active.record.name, 'slow')
    const checking = shared.service.app.senders.dkim.checker.check(active.id, callerOf(undefined))
    assert.equal((await ask('DELETE', `/${active.id}/delete`)).status, 200)
    await checking
    dns.behave(active.record.name, undefined)
    assert.equal(signingKey(active.domain), undefined)
    assert.deepEqual(await db().selectFrom('dkim_keys').selectAll().execute(), [])
    assert.equal((await ask('POST', `/${active.id}/restore`)).status, 404)
  })

  test('of twenty keys that are created for a domain at once, one is published, and each has a selector of its own', async () => {
    const domain = newDomain()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ask('POST', '/new', { domain, algorithm: 'ed25519' })),
    )
    const keys = answers.filter(({ status }) => status === 201).map(({ body }) => body.dkimKey)
    assert.equal(keys.length, 20)
    assert.equal(keys.filter(({ isPublished }) => isPublished).length, 1)
    assert.equal(new Set(keys.map(({ selector }) => selector)).size, keys.length)
    const { selector } = keys.find(({ isPublished }) => isPublished)
    assert.equal((await ask('POST', '/new', { domain, selector })).status, 409)
  })

  test('each key is looked up once a day, by one process, and the others sign at once', async () => {
    const other = await shared.openAnother()
    const keys: TestBody[] = []
    for (let count = 0; count < 6; count += 1)
      keys.push(await addKey({ domain: newDomain(), algorithm: 'ed25519' }))
    for (const key of keys) publish(key)
    const names = keys.map(({ record }) => `TXT ${record.name}`)
    // Senders, and keys of other tests, are looked up at the same server.
    const lookedUp = () => dns.queries.filter((query) => names.includes(query)).toSorted()
    dns.queries.length = 0
    await checkDue()
    assert.deepEqual(lookedUp(), [], 'no key is due')
    shared.clock.advance(dayMs)
    await Promise.all([checkDue(), checkDue(other)])
    assert.deepEqual(lookedUp(), names.toSorted())
    for (const service of [other, shared.service]) {
      await follow(service)
      await until(() => keys.every(({ domain }) => signingKey(domain, service)), 'both sign')
    }
    const [first] = keys
    await ask('DELETE', `/${first.id}/delete`)
    await follow(other)
    await until(() => signingKey(first.domain, other) === undefined, 'the other process stops')
    dns.queries.length = 0
    shared.clock.advance(dayMs - hourMs)
    await Promise.all([checkDue(), checkDue(other)])
    assert.deepEqual(lookedUp(), [])
    shared.clock.advance(hourMs)
    await Promise.all([checkDue(), checkDue(other)])
    assert.deepEqual(lookedUp(), names.slice(1).toSorted())
  })

  test('a key that waits for a day is named by the findings, unless it is not published', async () => {
    const { id } = await addKey({ domain: newDomain() })
    assert.equal(await findOne(), undefined)
    shared.clock.advance(25 * hourMs)
    assert.equal((await findOne())?.severity, 'warning')
    await ask('PATCH', `/${id}/edit`, { isPublished: false })
    assert.equal(await findOne(), undefined)
  })

  test('a key that is not published signs nothing, and only that can be edited', async () => {
    const active = await addActive()
    const { id, domain, selector } = active
    const edit = (body: unknown) => ask('PATCH', `/${id}/edit`, body)
    const off = await edit({ isPublished: false, domain: domain.toUpperCase(), selector })
    assert.equal(off.body.dkimKey.isPublished, false, off.text)
    assert.equal(signingKey(domain), undefined)
    const on = await edit({ isPublished: true })
    assert.equal(on.body.dkimKey.isActive, true)
    assert.ok(signingKey(domain))
    for (const values of [
      { domain: 'other.example' },
      { selector: 'other' },
      { algorithm: 'ed25519' },
      { privateKey: privatePem('pkcs8').privateKey },
    ]) {
      const { status, text } = await edit(values)
      assert.equal(status, 400, JSON.stringify(values))
      assert.match(text, /cannot be changed/)
    }
    const replaced = await ask('PUT', `/${id}/edit`, { domain })
    assert.equal(replaced.body.dkimKey.record.value, active.record.value)
  })

  test('an edit overwrites nothing that a look-up found meanwhile', async () => {
    const key = await addKey({ domain: newDomain() })
    publish(key)
    const edits = Array.from({ length: 10 }, (_, index) =>
      ask('PATCH', `/${key.id}/edit`, { isPublished: index % 2 === 1 }),
    )
    await Promise.all([...edits, check(key.id)])
    assert.ok((await read(key.id)).dateActive !== null)
  })

  test('domains are stored as DNS has them, and what is no domain is refused', async () => {
    const { domain } = await addKey({ domain: 'Bücher.Example', algorithm: 'ed25519' })
    assert.equal(domain, 'xn--bcher-kva.example')
    const wrong = ['example', 'ann@example.com', 'a..b', '127.0.0.1', 'a\0.example', ' ']
    const long = `${`${'a'.repeat(60)}.`.repeat(4)}example`
    for (const name of [...wrong, `${'a'.repeat(64)}.example`, long]) {
      const { status, text } = await ask('POST', '/new', { domain: name })
      assert.equal(status, 400, `${name}: ${text}`)
    }
  })

  test('an imported key signs with its own algorithm, and a short one is warned of', async () => {
    const { privateKey } = privatePem('pkcs1', 1_024)
    const key = await addKey({ domain: newDomain(), selector: 'Old.Selector', privateKey })
    assert.equal(key.selector, 'old.selector')
    assert.match(key.warnings[0], /has 1024 bits\. Replace it/)
    publish(key)
    assert.equal((await check(key.id)).isActive, true)
    assert.equal(publicHalf(key.domain), publicKeyOf(privateKey))
    const wrong = { domain: newDomain(), algorithm: 'ed25519', privateKey }
    assert.equal((await ask('POST', '/new', wrong)).status, 400)
    const short = { domain: newDomain(), privateKey: privatePem('pkcs8', 768).privateKey }
    assert.equal((await ask('POST', '/new', short)).status, 400)
  })

  test('keys are read again after the connection that announces changes was lost', async () => {
    const { storage } = shared.service.app
    if ((await storage.describe()).kind === 'sqlite') return
    const other = await shared.openAnother()
    const active = await addActive()
    await until(() => signingKey(active.domain, other) !== undefined, 'the other process signs')
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'listen %'`.execute(db())
    await db().deleteFrom('dkim_keys').execute()
    await until(() => signingKey(active.domain, other) === undefined, 'it stops')
  })

  test('after a rotation of the data keys, the same keys sign', async () => {
    const active = await addActive()
    const { keyring, senders } = shared.service.app
    const keyId = await keyring.rotate()
    assert.deepEqual(await senders.dkim.reseal(), [keyId])
    const [row] = await db().selectFrom('dkim_keys').selectAll().execute()
    assert.ok(row?.private_key.startsWith(`${keyId}.`))
    const other = await shared.openAnother()
    assert.ok(active.record.value.endsWith(publicHalf(active.domain, other)))
  })

  test('a key whose data key is missing signs nothing, says so, and can be replaced', async () => {
    const active = await addActive()
    const { id, domain } = active
    await db().updateTable('dkim_keys').set({ private_key: 'no ciphertext' }).execute()
    const other = await shared.openAnother()
    assert.equal(signingKey(domain, other), undefined)
    assert.match(other.logged.join(''), /dkim key cannot be decrypted/)
    assert.match((await read(id)).warnings.join(), /cannot be decrypted/)
    const finding = await findOne()
    assert.equal(finding?.severity, 'problem')
    assert.match(finding.detail, /private key cannot be decrypted/)
    const next = await addKey({ domain })
    publish(next)
    const edited = await ask('PATCH', `/${next.id}/edit`, { isPublished: true })
    assert.equal(edited.body.dkimKey.isActive, true, edited.text)
    await follow(other)
    await until(() => signingKey(domain, other)?.selector === next.selector, 'it signs')
  })

  test('of a hundred look-ups that one caller asks for at once, those above 22 are refused for now', async () => {
    const { id } = await addKey({ domain: newDomain(), algorithm: 'ed25519' })
    const { dkim } = shared.service.app.senders
    const checks = Array.from({ length: 100 }, () => dkim.checker.check(id, callerOf(undefined)))
    const refused = (await Promise.allSettled(checks)).filter((each) => each.status === 'rejected')
    assert.equal(refused.length, 78)
    for (const { reason } of refused) assert.equal(reason.code, 'too_much_work')
  })
})

function publicKeyOf(pem: string): string {
  return createPublicKey(pem).export({ type: 'spki', format: 'der' }).toString('base64')
}
