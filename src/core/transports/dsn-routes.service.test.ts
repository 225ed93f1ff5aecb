import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTransport, addUser } from '../../../test/callers.ts'
import { onMailyard } from '../../../test/on-each-database.ts'
import type { TestCaller } from '../../../test/test-app.ts'

const path = '/api/multipleTransports'
const secret = 'key-s3cret'
const mailerDsn = `mailgun+api://${secret}:mg.example.com@default?region=eu`
const masked = 'mailgun+api://********:********@default?region=eu'

onMailyard('the forms of DSNs', (shared) => {
  const ask = async (route: string, body: object, as?: TestCaller) => {
    const options = as === undefined ? {} : { as }
    return shared.askFor('POST', `${path}/dsn/${route}`, body, options)
  }
  const addViewer = async () => (await addUser(shared.service, { multipleTransports: ['view'] })).as

  test('list the providers with their fields', async () => {
    const body = await shared.askFor('GET', `${path}/providers`)
    const find = (name: string) =>
      body.providers.find((provider: { name: string }) => provider.name === name)
    const { kind, variants } = find('mailgun')
    assert.deepEqual([kind, variants[0].scheme], ['provider', 'mailgun+api'])
    const [key, domain, region] = variants[0].fields
    assert.deepEqual(
      [key.name, key.type, key.required, domain.name, region.options[1].value],
      ['user', 'password', true, 'password', 'eu'],
    )
    assert.deepEqual([find('failover').kind, find('failover').membersMax], ['list', 20])
    assert.equal(find('sendmail'), undefined)
    assert.equal(find('ses').accountLimits[0].perDay, 200)
    assert.equal(body.defaultServer, null)
    const mailerDsn = 'smtp://shop:s3cret@mail.example.com:587'
    const another = await shared.openAnother({ config: { mailerDsn } })
    const { body: ofAnother } = await another.ask('GET', `${path}/providers`)
    assert.equal(ofAnother.defaultServer, 'smtp://mail.example.com:587')
  })

  test('turn a DSN into fields and fields into the same DSN', async () => {
    const inspected = await ask('inspect', { mailerDsn })
    const { valid, provider, variant, fields, transport } = inspected
    assert.equal(inspected.maskedDsn, masked)
    assert.deepEqual([valid, provider, variant], [true, 'mailgun', 'api'])
    assert.deepEqual(fields, { user: secret, password: 'mg.example.com', region: 'eu' })
    assert.doesNotMatch(JSON.stringify(transport), /s3cret/)
    const built = await ask('build', { provider, variant, fields })
    assert.equal(built.mailerDsn, mailerDsn)
    assert.deepEqual(built.fields, fields)
  })

  test('turn lists into members and back', async () => {
    const list = `failover(${mailerDsn} smtp://localhost:2525)?retry_period=30`
    const { provider, fields, members } = await ask('inspect', { mailerDsn: list })
    assert.deepEqual([provider, fields, members.length], ['failover', { retry_period: 30 }, 2])
    assert.deepEqual(members[1].fields, { host: 'localhost', port: 2525 })
    assert.equal((await ask('build', { provider, fields, members })).mailerDsn, list)
  })

  test('name the faulty field, also of a member', async () => {
    const built = await ask('build', { provider: 'mailgun', fields: { user: 'K' } })
    assert.deepEqual([built.valid, built.mailerDsn], [false, null])
    assert.deepEqual(built.details, { password: ['is required'] })
    const members = [{ provider: 'smtp', fields: { host: 'a b' } }]
    const list = await ask('build', { provider: 'roundrobin', members })
    assert.deepEqual(Object.keys(list.details), ['members.0.host'])
    const faulty = await ask('inspect', { mailerDsn: 'smtp://h:25?max_per_second=many' })
    assert.deepEqual([faulty.valid, faulty.fields.host], [false, 'h'])
  })

  test('show the secrets of a stored DSN to editors alone', async () => {
    const { id } = await addTransport(shared.service, { mailerDsn })
    const viewer = await addViewer()
    assert.equal((await ask('inspect', { id })).fields.user, secret)
    const seen = await ask('inspect', { id }, viewer)
    assert.deepEqual([seen.valid, seen.mailerDsn, seen.fields.user], [true, masked, '********'])
    assert.deepEqual(seen.transport.username, null)
    const own = await ask('inspect', { mailerDsn }, viewer)
    assert.deepEqual([own.valid, own.mailerDsn, own.fields.user], [true, masked, '********'])
    // A scheme whose user part is public must not show a key that was stored in the user part.
    for (const route of ['inspect', 'build']) {
      const fields = { user: '********', password: '********', host: 'mail.example.com' }
      const moved = { mailerDsn: 'smtp://********:********@mail.example.com', id }
      const body = route === 'inspect' ? moved : { provider: 'smtp', fields, id }
      const answer = await ask(route, body, viewer)
      assert.doesNotMatch(JSON.stringify(answer), /s3cret/, route)
    }
  })

  test('keep masks in a built DSN, which an edit fills with the stored secret', async () => {
    const { id } = await addTransport(shared.service, { mailerDsn })
    const { fields } = await ask('inspect', { mailerDsn: masked, id })
    assert.equal(fields.user, '********')
    const built = await ask('build', {
      provider: 'mailgun',
      fields: { ...fields, region: 'us' },
      id,
    })
    assert.equal(built.mailerDsn, masked.replace('eu', 'us'))
    const edit = { mailerDsn: built.mailerDsn }
    const { body } = await shared.ask('PATCH', `${path}/${id}/edit`, edit)
    assert.equal(body.mailerDsn, mailerDsn.replace('eu', 'us'))
  })

  test('answer an unknown transport 404 and a request without a DSN 400', async () => {
    const missing = { mailerDsn, id: 999_999 }
    const inspect = `${path}/dsn/inspect`
    assert.equal((await shared.ask('POST', inspect, missing)).status, 404)
    const { status, body } = await shared.ask('POST', inspect, {})
    assert.deepEqual([status, body.details], [400, { mailerDsn: ['is required'] }])
  })
})
