import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { after, afterEach, test } from 'node:test'
import { sql } from 'kysely'
import { startDnsServer } from '../../test/dns-server.ts'
import { callerOf } from '../../test/mautics.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { askForEvents, listPublished } from '../../test/published-events.ts'
import type { TestApp, TestBody } from '../../test/test-app.ts'
import { until } from '../../test/until.ts'
import { examineDkim } from '../health/examine-dkim.ts'
import { wholeList } from '../storage/index.ts'
import type { DkimTables } from './table.ts'

const privatePem = (type: 'pkcs1' | 'pkcs8', bits = 2_048) =>
  generateKeyPairSync('rsa', {
    modulusLength: bits,
    privateKeyEncoding: { type, format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dns = await startDnsServer()
after(() => dns.close())

/** Names are used once, because the records of other tests stay on the server. */
let domains = 0
const newDomain = () => {
  domains += 1
  return `brand${domains}.example`
}

onEachDatabase(
  'DKIM keys',
  (shared) => {
    const ask = (
      method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
      path: string,
      body?: unknown,
    ) => shared.service.ask(method, `/api/dkimKeys${path}`, body)
    const db = () => shared.service.app.storage.tables<DkimTables>()

    afterEach(async () => {
      await db().deleteFrom('dkim_keys').execute()
      await shared.service.app.dkim.keys.reload()
    })

    async function addKey(values: Record<string, unknown>) {
      const created = await ask('POST', '/new', values)
      assert.equal(created.status, 201, created.text)
      return created.body.dkimKey
    }

    test('a created key has 2048 bits, waits for its record, and shows the record in both forms', async () => {
      const key = await addKey({ domain: 'Example.com.' })
      const month = new Date().toISOString().slice(0, 7).replace('-', '')
      assert.equal(key.domain, 'example.com')
      assert.equal(key.algorithm, 'rsa')
      assert.equal(key.selector, `mailyard-${month}`)
      assert.equal(key.state, 'waiting')
      assert.deepEqual(
        [key.next, key.removable, key.problem, key.dateChecked],
        [null, [], null, null],
      )
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

    test('an Ed25519 key has the 32 bytes of RFC 8463 in one string', async () => {
      const { record } = await addKey({ domain: 'example.com', algorithm: 'ed25519' })
      const base64 = /^v=DKIM1; k=ed25519; p=([A-Za-z0-9+/=]+)$/.exec(record.value)?.[1] ?? ''
      assert.equal(Buffer.from(base64, 'base64').length, 32)
      assert.equal(record.zone, `${record.name}. 3600 IN TXT "${record.value}"`)
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
        await ask('POST', `/${id}/rotate`),
        await ask('POST', '/new', { domain: 'example.com', privateKey: pem }),
        await ask('POST', '/new', { domain: 'other.example', privateKey: pem.replace('M', 'N') }),
        await ask('PATCH', `/${id}/edit`, { privateKey: pem }),
        await ask('DELETE', `/${id}/delete?dryRun=1`),
      ]
      for (const { text } of answers) {
        assert.ok(!text.includes(secret), text)
        assert.ok(!text.includes('PRIVATE KEY'), text)
      }
      const [row] = await db().selectFrom('dkim_keys').selectAll().execute()
      assert.ok(!JSON.stringify(row).includes(secret))
      assert.ok(!JSON.stringify(row).includes('PRIVATE KEY'))
      assert.ok(!shared.service.logged.join('').includes(secret))
      assert.equal((await ask('DELETE', `/${id}/delete`)).status, 200)
      assert.deepEqual(await db().selectFrom('dkim_keys').selectAll().execute(), [])
    })

    const publish = ({ record }: TestBody, value = record.value) =>
      dns.set(record.name, 'TXT', [value])
    const check = async (id: number): Promise<TestBody> => {
      const { status, text, body } = await ask('POST', `/${id}/check`)
      assert.equal(status, 200, text)
      return body.dkimKey
    }
    const read = async (id: number): Promise<TestBody> => (await ask('GET', `/${id}`)).body.dkimKey
    const signingKey = (domain: string, { app }: TestApp = shared.service) =>
      app.dkim.keys.find(domain)
    /** The tag `p` of the record for the private key that signs. */
    const publicHalf = (domain: string, service?: TestApp) => {
      const key = signingKey(domain, service)?.privateKey as KeyObject
      return createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64')
    }
    const checkDue = ({ app }: TestApp = shared.service) =>
      app.dkim.checker.checkDue(new AbortController().signal)
    /** Two Mailyards on one SQLite file do not notify each other: one process serves it. */
    async function follow({ app }: TestApp): Promise<void> {
      if ((await app.storage.describe()).kind === 'sqlite') await app.dkim.keys.load()
    }
    /** The finding about the keys; there is one at most. */
    async function findOne() {
      const [finding, ...more] = await examineDkim(shared.service.app, shared.clock.now())
      assert.deepEqual(more, [])
      return finding
    }
    async function addActive(domain = newDomain()): Promise<TestBody> {
      const key = await addKey({ domain })
      publish(key)
      const active = await check(key.id)
      assert.equal(active.state, 'active', active.problem)
      return active
    }

    test('a key signs once its record is found, and not before', async () => {
      const domain = newDomain()
      const key = await addKey({ domain })
      const waiting = await check(key.id)
      assert.equal(waiting.state, 'waiting')
      assert.match(waiting.problem, /^No TXT record was found at /)
      assert.equal(signingKey(domain), undefined)
      publish(key)
      const active = await check(key.id)
      assert.deepEqual([active.state, active.problem], ['active', null])
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
        assert.equal(checked.state, 'waiting', values.join())
        assert.match(checked.problem, problem)
        assert.equal(signingKey(domain), undefined)
      }
      publish(key, key.record.value.replace('k=rsa', 'k=rsa; t=y'))
      const testing = await check(key.id)
      assert.equal(testing.state, 'active')
      assert.match(testing.problem, /t=y/)
    })

    test('a DNS server that fails or is silent changes no state', async () => {
      const active = await addActive()
      for (const behavior of ['servfail', 'refused', 'silent'] as const) {
        dns.behave(active.record.name, behavior)
        shared.clock.advance(hourMs)
        const checked = await check(active.id)
        assert.equal(checked.state, 'active')
        assert.match(checked.problem, /could not be looked up/)
        assert.ok(signingKey(active.domain))
      }
      dns.behave(active.record.name, undefined)
      assert.equal((await check(active.id)).problem, null)
    })

    test('an active key whose record is gone at two look-ups some minutes apart signs no more until it is back', async () => {
      await askForEvents(shared.service, ['dkim.missing'])
      const active = await addActive()
      const { id, domain, record } = active
      dns.set(record.name, 'TXT', [])
      assert.equal((await check(id)).state, 'active')
      assert.equal((await check(id)).state, 'active')
      assert.ok(signingKey(domain))
      shared.clock.advance(5 * minuteMs)
      const missing = await check(id)
      assert.equal(missing.state, 'missing')
      assert.equal(signingKey(domain), undefined)
      await check(id)
      const [event, ...more] = await listPublished(shared.service, 'dkim.missing', domain)
      assert.deepEqual(more, [])
      assert.deepEqual([event.dkimKeyId, event.domain], [id, domain])
      assert.match(event.message, /are not signed with DKIM any more\. No TXT record was found/)
      const { findings } = (await shared.service.ask('GET', '/api/health/findings')).body
      const finding = findings.find((each: TestBody) => each.check === 'DKIM keys')
      assert.equal(finding.severity, 'problem')
      assert.match(finding.detail, new RegExp(`Messages of ${domain} are not signed any more`))
      publish(active)
      const back = await check(id)
      assert.deepEqual([back.state, back.problem], ['active', null])
      assert.ok(signingKey(domain))
    })

    test('one look-up that finds nothing between others that find the record does no harm', async () => {
      const active = await addActive()
      for (let round = 0; round < 3; round += 1) {
        dns.set(active.record.name, 'TXT', [])
        assert.equal((await check(active.id)).state, 'active')
        publish(active)
        assert.equal((await check(active.id)).state, 'active')
        shared.clock.advance(10 * minuteMs)
      }
    })

    test('a key that waits for a day is named by the findings, unless it is not published', async () => {
      const { id } = await addKey({ domain: newDomain() })
      assert.equal(await findOne(), undefined)
      shared.clock.advance(25 * hourMs)
      assert.equal((await findOne())?.severity, 'warning')
      await ask('PATCH', `/${id}/edit`, { isPublished: false })
      assert.equal(await findOne(), undefined)
    })

    test('a rotation that waits for a day is named by the findings, with what was found', async () => {
      const { id, domain } = await addActive()
      await ask('POST', `/${id}/rotate`)
      await check(id)
      assert.equal(await findOne(), undefined)
      shared.clock.advance(25 * hourMs)
      const finding = await findOne()
      assert.equal(finding?.severity, 'warning')
      const words = `^The rotation for ${domain} waits for its record \\(DKIM key ${id}, since .*No TXT record was found at`
      assert.match(finding.detail, new RegExp(words))
      assert.deepEqual(finding.actions, [{ action: 'openDkimKey', id, name: domain }])
      await ask('POST', `/${id}/cancelRotation`)
      assert.equal(await findOne(), undefined)
    })

    test('a rotation keeps the old key signing until the next record is found, and then deletes its private half', async () => {
      const active = await addActive()
      const { id, domain } = active
      const { next } = (await ask('POST', `/${id}/rotate`)).body.dkimKey
      assert.equal(next.selector, `${active.selector}b`)
      assert.notEqual(next.record.value, active.record.value)
      assert.deepEqual((await ask('POST', `/${id}/rotate`)).body.dkimKey.next, next)
      const waiting = await check(id)
      assert.equal(waiting.state, 'active')
      assert.match(waiting.next.problem, /No TXT record/)
      assert.equal(signingKey(domain)?.selector, active.selector)
      const [before] = await db().selectFrom('dkim_keys').selectAll().execute()
      publish(next)
      const rotated = await check(id)
      assert.deepEqual(
        [rotated.selector, rotated.state, rotated.next],
        [next.selector, 'active', null],
      )
      assert.equal(signingKey(domain)?.selector, next.selector)
      assert.ok(next.record.value.endsWith(publicHalf(domain)))
      const [row] = await db().selectFrom('dkim_keys').selectAll().execute()
      assert.equal(row?.next_private_key, null)
      assert.notEqual(row?.private_key, before?.private_key)
      const [old, ...others] = rotated.removable
      assert.deepEqual(others, [])
      assert.equal(old.name, active.record.name)
      const weekMs = 7 * 24 * hourMs
      const left = Date.parse(old.from) - shared.clock.now()
      assert.ok(left > weekMs - hourMs && left <= weekMs)

      // Again, before the first record was removed.
      const again = (await ask('POST', `/${id}/rotate`)).body.dkimKey.next
      assert.equal(again.selector, `${active.selector}c`)
      publish(again)
      const twice = await check(id)
      assert.deepEqual(
        twice.removable.map(({ selector }: TestBody) => selector),
        [active.selector, next.selector],
      )
      dns.set(active.record.name, 'TXT', [])
      const [kept, ...rest] = (await check(id)).removable
      assert.deepEqual([kept.selector, rest], [next.selector, []])
      dns.behave(next.record.name, 'servfail')
      assert.equal((await check(id)).removable.length, 1)
    })

    test('a rotation can choose its selector and algorithm, be replaced and be cancelled', async () => {
      const active = await addActive()
      const rotate = (body: unknown) => ask('POST', `/${active.id}/rotate`, body)
      const chosen = (await rotate({ selector: 'Next', algorithm: 'ed25519' })).body.dkimKey.next
      assert.deepEqual([chosen.selector, chosen.algorithm], ['next', 'ed25519'])
      const other = (await rotate({ selector: 'other' })).body.dkimKey.next
      assert.deepEqual([other.selector, other.algorithm], ['other', 'rsa'])
      for (const selector of [active.selector, '-a', 'a_b', 'ä', 'a..b', `${'a'.repeat(64)}`]) {
        const { status, body } = await rotate({ selector })
        assert.equal(status, 400, selector)
        assert.ok(body.details?.selector ?? body.errors, JSON.stringify(body))
      }
      const cancelled = await ask('POST', `/${active.id}/cancelRotation`)
      assert.equal(cancelled.body.dkimKey.next, null)
      publish(other)
      const checked = await check(active.id)
      assert.deepEqual([checked.selector, checked.state], [active.selector, 'active'])
    })

    test('of a hundred rotations at once all answer one next key', async () => {
      const active = await addActive()
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => ask('POST', `/${active.id}/rotate`)),
      )
      const values = answers.map(({ body }) => body.dkimKey.next.record.value)
      assert.equal(new Set(values).size, 1)
    })

    test('a key that is deleted during its rotation, or during a look-up, stays deleted', async () => {
      const active = await addActive()
      const { next } = (await ask('POST', `/${active.id}/rotate`)).body.dkimKey
      publish(next)
      dns.behave(next.record.name, 'slow')
      const checking = shared.service.app.dkim.check(active.id, callerOf(undefined))
      assert.equal((await ask('DELETE', `/${active.id}/delete`)).status, 200)
      await checking
      assert.equal(signingKey(active.domain), undefined)
      assert.deepEqual(await db().selectFrom('dkim_keys').selectAll().execute(), [])
      assert.equal((await ask('POST', `/${active.id}/rotate`)).status, 404)
      assert.equal((await ask('POST', `/${active.id}/restore`)).status, 404)
    })

    test('a key that is not published signs nothing, and only that can be edited', async () => {
      const active = await addActive()
      const { id, domain, selector } = active
      const edit = (body: unknown) => ask('PATCH', `/${id}/edit`, body)
      const off = await edit({ isPublished: false, domain: domain.toUpperCase(), selector })
      assert.equal(off.body.dkimKey.isPublished, false, off.text)
      assert.equal(signingKey(domain), undefined)
      const on = await edit({ isPublished: true })
      assert.equal(on.body.dkimKey.state, 'active')
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
      assert.equal((await read(key.id)).state, 'active')
    })

    test('a domain has one key: of twenty creations at once one succeeds, and the others say what to do', async () => {
      const domain = newDomain()
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => ask('POST', '/new', { domain, algorithm: 'ed25519' })),
      )
      const created = answers.filter(({ status }) => status === 201)
      assert.equal(created.length, 1)
      for (const { status, text } of answers.filter((each) => each !== created[0])) {
        assert.equal(status, 409, text)
        assert.match(text, /has a key already: DKIM key \d+\. Rotate that one/)
      }
      const batch = await ask('POST', '/batch/new', [
        { domain: newDomain(), algorithm: 'ed25519' },
        { domain: `brand${domains}.EXAMPLE`, algorithm: 'ed25519' },
        { domain, algorithm: 'ed25519' },
      ])
      assert.deepEqual(batch.body.statusCodes, [201, 409, 409])
      const many = Array.from({ length: 101 }, (_, index) => ({ domain: `d${index}.example` }))
      assert.equal((await ask('POST', '/batch/new', many)).status, 413)
    })

    test('domains are stored as DNS has them, and what is no domain is refused', async () => {
      const { domain } = await addKey({ domain: 'Bücher.Example', algorithm: 'ed25519' })
      assert.equal(domain, 'xn--bcher-kva.example')
      const wrong = [
        'example',
        'ann@example.com',
        'https://example.com',
        'a..b',
        '127.0.0.1',
        'a\0.example',
      ]
      for (const name of [
        ...wrong,
        `${'a'.repeat(64)}.example`,
        'ä%00.example',
        ' ',
        '__proto__',
      ]) {
        const { status, text } = await ask('POST', '/new', { domain: name })
        assert.equal(status, 400, `${name}: ${text}`)
      }
      const long = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(55)}.example`
      const { status, text } = await ask('POST', '/new', { domain: long })
      assert.equal(status, 400)
      assert.match(text, /is too long/)
      assert.equal((await ask('GET', '?search=xn--bcher')).body.total, 1)
    })

    test('an imported key signs with its own algorithm, and a short one is warned of', async () => {
      const { privateKey } = privatePem('pkcs1', 1_024)
      const key = await addKey({ domain: newDomain(), selector: 'Old.Selector', privateKey })
      assert.equal(key.selector, 'old.selector')
      assert.match(key.warnings[0], /has 1024 bits\. Rotate it/)
      publish(key)
      assert.equal((await check(key.id)).state, 'active')
      assert.equal(publicHalf(key.domain), publicKeyOf(privateKey))
      const wrong = await ask('POST', '/new', {
        domain: newDomain(),
        algorithm: 'ed25519',
        privateKey,
      })
      assert.equal(wrong.status, 400)
      assert.match(wrong.text, /privateKey is a key of rsa/)
      const short = await ask('POST', '/new', {
        domain: newDomain(),
        privateKey: privatePem('pkcs8', 768).privateKey,
      })
      assert.match(short.text, /has 768 bits/)
    })

    test('each key is looked up by one process, when it is due, and the others sign at once', async () => {
      const other = await shared.openAnother()
      const keys: TestBody[] = []
      for (let count = 0; count < 6; count += 1)
        keys.push(await addKey({ domain: newDomain(), algorithm: 'ed25519' }))
      for (const key of keys) publish(key)
      dns.queries.length = 0
      await checkDue()
      assert.deepEqual(dns.queries, [], 'no key is due')
      shared.clock.advance(6 * minuteMs)
      await Promise.all([checkDue(), checkDue(other)])
      const names = keys.map(({ record }) => `TXT ${record.name}`)
      assert.deepEqual(dns.queries.toSorted(), names.toSorted())
      for (const { domain } of keys) {
        await follow(other)
        await until(() => signingKey(domain, other) !== undefined, 'the other process signs')
        await follow(shared.service)
        await until(() => signingKey(domain) !== undefined, 'the first process signs')
      }
      const [first] = keys
      await ask('DELETE', `/${first.id}/delete`)
      await follow(other)
      await until(() => signingKey(first.domain, other) === undefined, 'the other process stops')
      dns.queries.length = 0
      await Promise.all([checkDue(), checkDue(other)])
      assert.deepEqual(dns.queries, [], 'active keys are looked up hourly')
      shared.clock.advance(hourMs)
      await Promise.all([checkDue(), checkDue(other)])
      assert.equal(dns.queries.length, 5)
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

    test('after a rotation of the data keys, the same keys sign, also the next one', async () => {
      const active = await addActive()
      const { next } = (await ask('POST', `/${active.id}/rotate`)).body.dkimKey
      const { keyring, dkim } = shared.service.app
      const keyId = await keyring.rotate()
      assert.deepEqual(await dkim.reseal(), [keyId])
      const [row] = await db().selectFrom('dkim_keys').selectAll().execute()
      for (const column of ['private_key', 'next_private_key'] as const)
        assert.ok(row?.[column]?.startsWith(`${keyId}.`), column)
      const other = await shared.openAnother()
      assert.ok(active.record.value.endsWith(publicHalf(active.domain, other)))
      publish(next)
      await check(active.id)
      assert.ok(next.record.value.endsWith(publicHalf(active.domain)))
    })

    test('a key whose data key is missing signs nothing, says so, and can be rotated', async () => {
      const active = await addActive()
      const { id, domain } = active
      await db().updateTable('dkim_keys').set({ private_key: 'no ciphertext' }).execute()
      const other = await shared.openAnother()
      assert.equal(signingKey(domain, other), undefined)
      assert.match(other.logged.join(''), /dkim key cannot be decrypted/)
      assert.match((await read(id)).warnings.join(), /cannot be decrypted/)
      const finding = await findOne()
      assert.equal(finding?.severity, 'problem')
      assert.match(
        finding.detail,
        new RegExp(`^Messages of ${domain} are not signed: .*DKIM key ${id} cannot be decrypted`),
      )
      const { next } = (await ask('POST', `/${id}/rotate`)).body.dkimKey
      publish(next)
      assert.equal((await check(id)).warnings, undefined)
      await follow(other)
      await until(() => signingKey(domain, other)?.selector === next.selector, 'it signs')
    })

    test('a rotation whose private key cannot be decrypted says so, and can be replaced', async () => {
      const active = await addActive()
      const { next } = (await ask('POST', `/${active.id}/rotate`)).body.dkimKey
      await db().updateTable('dkim_keys').set({ next_private_key: 'no ciphertext' }).execute()
      publish(next)
      const checked = await check(active.id)
      assert.deepEqual([checked.selector, checked.state], [active.selector, 'active'])
      assert.match(
        checked.next.problem,
        /cannot be decrypted.*Cancel the rotation, start another one/,
      )
      await ask('POST', `/${active.id}/cancelRotation`)
      const other = (await ask('POST', `/${active.id}/rotate`)).body.dkimKey.next
      publish(other)
      assert.equal((await check(active.id)).record.value, other.record.value)
    })

    test('of a hundred look-ups that one caller asks for at once, those above 22 are refused for now', async () => {
      const { id } = await addKey({ domain: newDomain(), algorithm: 'ed25519' })
      const { dkim } = shared.service.app
      const checks = Array.from({ length: 100 }, () => dkim.check(id, callerOf(undefined)))
      const refused = (await Promise.allSettled(checks)).filter(
        (each) => each.status === 'rejected',
      )
      assert.equal(refused.length, 78)
      for (const { reason } of refused) assert.equal(reason.code, 'too_much_work')
    })

    test('callers of a Mautic can neither see nor change keys', async () => {
      const { id } = await addKey({ domain: newDomain(), algorithm: 'ed25519' })
      const { records } = shared.service.app.dkim
      const caller = callerOf({ id: 1, name: 'Brand' })
      const context = { caller, isAtomic: true }
      const change = { id, mode: 'patch' as const, values: { isPublished: false } }
      const attempts = [
        () => records.list(wholeList, caller),
        () => records.get(id, caller),
        () => records.getRow(id, caller),
        () => records.create([{ domain: 'other.example' }], context),
        () => records.edit([change], context),
        () => records.remove([{ id }], context),
        () => records.planCreate([], caller),
      ]
      for (const attempt of attempts)
        await assert.rejects(async () => attempt(), { code: 'mautic_forbidden' })
      assert.equal((await read(id)).isPublished, true)
    })

    test('the list is filtered by state, and a failure of a message to be signed is logged once an hour', async () => {
      const active = await addActive()
      await addKey({ domain: newDomain(), algorithm: 'ed25519' })
      const where = 'where[0][col]=state&where[0][expr]=eq&where[0][val]=active'
      const { body } = await ask('GET', `?${where}`)
      assert.deepEqual([body.total, body.dkimKeys[0].domain], [1, active.domain])
      const { domain, selector } = active
      const { onUnsigned } = shared.service.app.dkim.keys
      const count = () => shared.service.logged.filter((line) => line.includes('not signed')).length
      const before = count()
      for (let message = 0; message < 3; message += 1)
        onUnsigned({ domain, selector, reason: 'Its key failed.' })
      assert.equal(count(), before + 1)
      shared.clock.advance(hourMs)
      onUnsigned({ domain, selector, reason: 'Its key failed.' })
      assert.equal(count(), before + 2)
    })
  },
  { config: { dnsServers: [dns.address] } },
)

function publicKeyOf(pem: string): string {
  return createPublicKey(pem).export({ type: 'spki', format: 'der' }).toString('base64')
}
