import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { sql } from 'kysely'
import { addEmail, addTransport, addUser } from '../../test/callers.ts'
import { addMautic, closeMautics } from '../../test/mautics.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import type { TestApp, TestBody } from '../../test/test-app.ts'
import { loginEndOf } from './login-end.ts'

const path = '/api/multipleTransports'
const microsoftDsn = 'smtp://me%40example.com:S3cret@smtp.office365.com:587'
const googleDsn = 'gmail+smtp://me%40gmail.com:S3cret@default'
const tokenDsn = 'smtp://me@mail.example.com:465?accessToken=S3cret'

describe('the end of a log-in', () => {
  test('is a note until 60 days before, then a warning, and a problem from its day on', () => {
    const at = (time: string) => loginEndOf({ date: '2026-12-31' }, Date.parse(time))
    assert.deepEqual(at('2026-10-31T23:59:59Z'), { daysLeft: 61, severity: 'ok' })
    assert.deepEqual(at('2026-11-01T00:00:00Z'), { daysLeft: 60, severity: 'warning' })
    assert.deepEqual(at('2026-12-30T23:59:59Z'), { daysLeft: 1, severity: 'warning' })
    assert.deepEqual(at('2026-12-31T00:00:00Z'), { daysLeft: 0, severity: 'problem' })
    assert.deepEqual(at('2027-01-01T00:00:00Z'), { daysLeft: -1, severity: 'problem' })
  })

  test('is always a warning for an access token', () => {
    assert.deepEqual(loginEndOf({ date: null }, 0), { daysLeft: null, severity: 'warning' })
  })
})

onEachDatabase('the log-ins that stop working', (shared) => {
  after(closeMautics)
  const open = (time: string, mailerDsn?: string) =>
    shared.openAnother({
      isStarted: false,
      clock: { now: () => Date.parse(time) },
      config: mailerDsn === undefined ? {} : { mailerDsn },
    })
  const list = async (service: TestApp, options = {}): Promise<TestBody> => {
    const { status, body, text } = await service.ask(
      'GET',
      `${path}/endingLogins`,
      undefined,
      options,
    )
    assert.equal(status, 200, text)
    assert.ok(!text.includes('S3cret'))
    return body
  }
  const near = '2026-11-26T12:00:00Z'

  test('are listed by severity and end, with what depends on the transport', async () => {
    const { service } = shared
    const microsoft = await addTransport(service, { name: 'News', mailerDsn: microsoftDsn })
    const google = await addTransport(service, { mailerDsn: googleDsn })
    const token = await addTransport(service, { mailerDsn: tokenDsn })
    await addTransport(service, { mailerDsn: 'smtp://me:P@mail.example.com:587?require_tls=1' })
    const email = await addEmail(service)
    const body = { transportId: microsoft.id }
    await service.ask('POST', `/api/multipleTransport/transportEmail/${email.id}`, body)
    await service.ask('POST', '/api/multipleTransport/transportUser/1', body)
    const mautic = await addMautic(service, { transportId: microsoft.id })
    const { transports, total, isComplete } = await list(await open(near))
    assert.deepEqual([total, isComplete], [3, true])
    assert.deepEqual(
      transports.map(({ id }: TestBody) => id),
      [google.id, token.id, microsoft.id],
    )
    assert.deepEqual(transports[2], {
      id: microsoft.id,
      name: 'News',
      logins: [
        {
          member: [],
          label: 'smtp://smtp.office365.com:587',
          provider: 'Microsoft 365',
          secret: 'password',
          date: '2026-12-31',
          daysLeft: 35,
          severity: 'warning',
          oauthScheme: 'office365+oauth',
          sentence:
            'From 31 December 2026 on, Microsoft 365 accepts a password only where an administrator turns it on again. Use office365+oauth://.',
        },
      ],
      usage: { emails: 1, users: 1, mautics: 1 },
    })
    const later = await list(await open('2027-01-01T12:00:00Z'))
    assert.deepEqual(
      later.transports.map(({ id }: TestBody) => id),
      [google.id, microsoft.id, token.id],
    )
    const [login] = later.transports[1].logins
    assert.deepEqual([login.daysLeft, login.severity], [-1, 'problem'])
    await service.ask('DELETE', `/api/mautics/${mautic.id}/delete`)
    await service.ask('DELETE', `${path}/${google.id}/delete`)
    await service.ask('DELETE', `${path}/${token.id}/delete`)
  })

  test('are counted, and not listed, for unpublished transports, and left out for deleted ones', async () => {
    const { service } = shared
    const before = await list(await open(near))
    const unpublished = await addTransport(service, { mailerDsn: googleDsn, isPublished: false })
    const deleted = await addTransport(service, { mailerDsn: googleDsn })
    await service.ask('DELETE', `${path}/${deleted.id}/delete`)
    const now = await list(await open(near))
    assert.equal(now.total, before.total)
    assert.equal(now.unpublished, before.unpublished + 1)
    const shown = await service.ask('GET', `${path}/${unpublished.id}`)
    assert.match(shown.body.warnings.join(), /app passwords/)
  })

  test('are found in nested lists; a DSN that cannot be decrypted is skipped', async () => {
    const { service } = shared
    const { id: brokenId } = await addTransport(service, { mailerDsn: microsoftDsn })
    const db = service.app.storage.tables<unknown>()
    await sql`update transports set mailer_dsn = 'no ciphertext' where id = ${brokenId}`.execute(db)
    const mailerDsn = `failover(null://null roundrobin(${microsoftDsn} ${googleDsn}))`
    const { id } = await addTransport(service, { mailerDsn })
    const { transports } = await list(await open(near))
    const ids = transports.map((each: TestBody) => each.id)
    assert.ok(!ids.includes(brokenId))
    const { logins } = transports.find((each: TestBody) => each.id === id)
    assert.deepEqual(
      logins.map(({ member }: TestBody) => member),
      [
        [1, 1],
        [1, 0],
      ],
      'the one that ended comes first',
    )
    await sql`delete from transports where id = ${brokenId}`.execute(db)
  })

  test('include those of the default transport, which callers of a Mautic do not see', async () => {
    const service = await open(near, microsoftDsn)
    const [login] = (await list(service)).default
    assert.deepEqual([login.provider, login.daysLeft], ['Microsoft 365', 35])
    assert.deepEqual((await list(shared.service)).default, [])
  })

  test('are in the inspection of a DSN, saved or not', async () => {
    const service = await open('2026-12-31T00:00:00Z')
    const inspect = async (body: object) =>
      (await service.ask('POST', `${path}/dsn/inspect`, body)).body.endingLogins
    const [typed] = await inspect({ mailerDsn: microsoftDsn })
    assert.deepEqual([typed.daysLeft, typed.severity], [0, 'problem'])
    const { id } = await addTransport(service, { mailerDsn: microsoftDsn })
    assert.deepEqual(await inspect({ id }), [typed])
    assert.deepEqual(await inspect({ mailerDsn: 'null://null' }), [])
  })

  test('of thousands are listed in part, and counted in whole', async () => {
    const { service } = shared
    const before = await list(await open(near))
    const items = Array.from({ length: 250 }, (_, index) => ({
      name: `Tenant ${index}`,
      mailerDsn: microsoftDsn,
    }))
    const { status } = await service.ask('POST', `${path}/batch/new?fields=id`, items)
    assert.equal(status, 201)
    const now = await list(await open(near))
    assert.deepEqual([now.transports.length, now.total], [100, before.total + 250])
  })

  test('are read again after each change of a transport', async () => {
    const service = await open(near)
    const count = async () => (await list(service)).total
    const before = await count()
    const { id } = await addTransport(shared.service, { mailerDsn: microsoftDsn })
    assert.equal(await count(), before + 1)
    const edit = { mailerDsn: 'null://null' }
    await shared.service.ask('PATCH', `${path}/${id}/edit`, edit)
    assert.equal(await count(), before)
    await shared.service.ask('PATCH', `${path}/${id}/edit`, { mailerDsn: microsoftDsn })
    assert.equal(await count(), before + 1)
    await shared.service.ask('DELETE', `${path}/${id}/delete`)
    assert.equal(await count(), before)
    await shared.service.ask('POST', `${path}/${id}/restore`)
    assert.equal(await count(), before + 1)
  })

  test('need the permission to view transports', async () => {
    const { as } = await addUser(shared.service, { email: ['view'] })
    const answer = await shared.service.ask('GET', `${path}/endingLogins`, undefined, { as })
    assert.equal(answer.status, 403)
  })
})
