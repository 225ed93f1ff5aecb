import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { adminPassword } from '../administrator.ts'
import { addEmail, addTemplate, addTransport } from '../callers.ts'
import { createFolder } from '../mailyard-process.ts'
import { callerOf } from '../mautics.ts'
import { runMailyard } from '../run-mailyard.ts'
import { openTestApp, type TestApp, type TestBody } from '../test-app.ts'

const dsn = 'smtp://brand:S3cret-1@smtp.brand.example:587'

describe('the import from the plug-ins of Mautic', { timeout: 180_000 }, () => {
  const { folder, remove } = createFolder()
  let service: TestApp
  /** Another Mailyard, which has the API of the plug-ins, stands for Mautic. */
  let mautic: TestApp
  let emailId: number

  before(async () => {
    service = await openTestApp()
    mautic = await openTestApp()
    const url = await mautic.listen()
    const first = await addTransport(mautic, { name: 'Brand', mailerDsn: dsn })
    await addTransport(mautic, { name: 'Other', mailerDsn: 'smtp://other.example' })
    emailId = (await addEmail(mautic, { name: 'Newsletter' })).id
    const path = '/api/multipleTransport'
    const both = { transportId: first.id, useOwnerTransport: true }
    await mautic.ask('POST', `${path}/transportEmail/${emailId}`, both)
    await mautic.ask('POST', `${path}/transportUser/1`, { transportId: first.id })
    await addTemplate(mautic, { name: 'Footer', template: '<p>Example Ltd</p>' })
    // Ids here differ from those there, and a transport of that name has another DSN.
    await addTransport(service, { name: 'other', mailerDsn: 'smtp://mine.example' })
    await addTemplate(service, { name: 'Mine', template: 'Hello' })
    const input = { name: 'shop', url, username: 'admin', password: adminPassword }
    await service.askFor('POST', '/api/mautics/new', input)
  })
  after(async () => {
    await mautic?.close()
    await service?.close()
    remove()
  })

  const run = async (...args: string[]) => {
    const env = { MAILYARD_SECRET_KEY: 'a secret key for tests, of 32 characters or more' }
    const options = { folder, databaseUrl: service.database.url, env }
    const result = await runMailyard(['mautics', 'import', 'shop', ...args], options)
    assert.equal(result.code, 0, result.stderr)
    assert.equal(`${result.stdout}${result.stderr}`.includes('S3cret-1'), false)
    return result.stdout
  }
  const results = (stdout: string): string[] =>
    JSON.parse(stdout).lines.map(({ result, kind, name }: TestBody) => `${result} ${kind} ${name}`)
  const readAll = async () => {
    const transports = await service.ask('GET', '/api/multipleTransports')
    const templates = await service.ask('GET', '/api/twigTemplates')
    return { transports: transports.body, templates: templates.body.twigTemplates }
  }

  test('only says what it would do, until it is applied; then a second run changes nothing', async () => {
    const before = await readAll()
    const planned = await run()
    for (const line of [
      /^create +transport +1 +Brand /m,
      /^differs +transport +2 +Other .* another DSN here/m,
      /^create +template +1 +Footer/m,
      /^assign +email +\d+ +Newsletter .*transport "Brand", the transport of the owner first/m,
      /^assign +user +1 +admin .*transport "Brand"/m,
      /4 to write, 0 here already, 1 different here, 0 failed/,
    ])
      assert.match(planned, line)
    assert.deepEqual(await readAll(), before)

    assert.deepEqual(results(await run('--apply', '--json')), [
      'created transport Brand',
      'differs transport Other',
      'created template Footer',
      'assigned email Newsletter',
      'assigned user admin',
    ])
    const { transports, templates } = await readAll()
    const brand = transports.find(({ name }: TestBody) => name === 'Brand')
    const footer = templates.find(({ name }: TestBody) => name === 'Footer')
    assert.deepEqual(
      [brand.mailerDsn, brand.brand, footer.template, footer.brand],
      [dsn, 1, '<p>Example Ltd</p>', 1],
    )
    assert.equal((await service.askFor('GET', '/api/brands/1')).brand.name, 'shop')
    const { assignments } = service.app
    const ofMautic = callerOf({ id: 1, name: 'shop', brand: 1 })
    const { transportEmail } = await assignments.get('email', emailId, ofMautic)
    assert.deepEqual(
      [transportEmail.transport?.id, transportEmail.useOwnerTransport],
      [brand.id, true],
    )
    const { transportUser } = await assignments.get('user', 1, ofMautic)
    assert.equal(transportUser.transport?.id, brand.id)

    const again = await run('--apply')
    assert.match(again, /instead of \{twigtemplate=1\}/)
    assert.match(again, new RegExp(`write \\{twigtemplate=${footer.id}\\}`))
    assert.match(again, /0 written, 4 here already, 1 different here, 0 failed\.\n$/)
    assert.deepEqual(await readAll(), { transports, templates })
  })
})
