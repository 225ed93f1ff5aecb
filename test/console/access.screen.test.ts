import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { areas, levels } from '../../src/platform/auth/roles/role-schema.ts'
import { addClient, addUser, getClientToken, type TestUser } from '../callers.ts'
import { openTestScreens, type TestScreens } from './test-screens.ts'

describe('access in the console', () => {
  let console: TestScreens
  let viewer: TestUser

  before(async () => {
    const config = { publicUrl: 'https://mail.example.com', smtpPort: 587 }
    console = await openTestScreens({ config })
    viewer = await addUser(console.service, { user: ['view'], multipleTransports: ['view'] })
  })
  after(() => console?.close())

  test('a role with some permissions, and a user who has it, can be made; the user then logs in', async () => {
    const page = await console.open('/access?tab=roles')
    await page.link('Add a role').click()
    // The matrix has every permission that a role can have.
    const boxes = page.table('Permissions').getByRole('checkbox')
    await boxes.nth(0).waitFor()
    const permissions = areas.flatMap((area) => levels[area])
    assert.equal(await boxes.count(), permissions.length)
    await page.button('Use the preset "Marketer"').click()
    await page.enter({ Name: 'Template author' })
    assert.ok((await page.getByLabel('Templates: Everything').one()).checked)
    await page.enter({ 'Transports and assignments: View': false })
    await page.button('Save').click()
    await page.see('Role "Template author" is saved.')

    await page.goto('/access')
    await page.link('Add a user').click()
    await page.enter({
      'User name': 'tina',
      'Email address': 'tina@example.com',
      Role: 'Template author',
      Password: 'short',
    })
    await page.button('Save').click()
    await page.locator('.fault').nth(0).waitFor()
    await page.enter({ Password: 'a good password' })
    await page.button('Save').click()
    await page.see('User "tina" is saved.')
    await page.button('More').click()
    await page.button('Copy as curl').click()
    await page.button(/^Copy POST \/api\/users\/new as curl$/).click()
    const command = page.copied
    assert.match(command, /"username":"tina"/)
    assert.doesNotMatch(command, /a good password/)
    await page.dialog().button('Close').click()

    await console.open('/', { username: 'tina', password: 'a good password' })
    const menu = page.getByRole('navigation', { name: 'Menu' })
    await menu.link('Templates').waitFor()
    assert.equal(await menu.link('Transports').count(), 0)
    assert.equal(await menu.link('Health').count(), 0)
  })

  test('the secret of an OAuth client is shown once, with a command that works', async () => {
    const page = await console.open('/access?tab=clients')
    await page.link('Add an OAuth client').click()
    await page.enter({ Name: 'CRM', 'Role of the client itself': 'Administrator' })
    await page.button('Save').click()
    const command = await page.getByLabel('Get an access token').inputValue()
    const [, url, clientId, secret] =
      /^curl (\S+) -d grant_type=client_credentials -d client_id=(\S+) -d client_secret=(\S+)$/.exec(
        command,
      ) ?? []
    assert.match(
      await page.getByLabel('Mailer DSN').inputValue(),
      new RegExp(`^smtp://${clientId}:${secret}@mail\\.example\\.com:587$`),
    )
    assert.equal(url, `${console.url}/oauth/v2/token`)
    const login = { id: 0, clientId: clientId ?? '', clientSecret: secret ?? '' }
    assert.ok((await getClientToken(console.service, login)).access_token)
    await page.button('I have stored it').click()
    await page.reload()
    await page.opens('CRM')
    assert.ok(!(await page.content()).includes(secret ?? ''))
  })

  test('says from where and until when a user or an OAuth client may log in, and what is wrong with it', async () => {
    const { id } = await addUser(console.service, {})
    const client = await addClient(console.service, { grantTypes: ['client_credentials'], role: 1 })
    for (const [page, path, one] of [
      [`/access/users/${id}`, `/api/users/${id}`, 'user'],
      [`/access/clients/${client.id}`, `/api/oauthClients/${client.id}`, 'oauthClient'],
    ] as const) {
      const screen = await console.open(`${page}?edit=1`)
      const lines = ' 203.0.113.0/24\n\n2001:db8::/129'
      await screen.enter({ 'Log-in only from': lines, 'Last day of the log-in': '2099-12-31' })
      await screen.button('Save').click()
      await screen.locator('.fault').nth(0).waitFor()
      await screen.enter({ 'Log-in only from': lines.replace('129', '32') })
      await screen.button('Save').click()
      await screen.see(/ is saved\./)
      const { networks, validUntil } = (await console.ask('GET', path))[one]
      assert.deepEqual([networks, validUntil], [['203.0.113.0/24', '2001:db8::/32'], '2099-12-31'])
    }
  })

  test('the page of an OAuth client shows an SMTP log-in only where it works, else the reason', async () => {
    const add = async (name: string, values: object): Promise<string> => {
      const redirectUris = ['https://crm.example.com']
      const body = { name, redirectUris, ...values }
      return `/access/clients/${(await console.ask('POST', '/api/oauthClients/new', body)).oauthClient.id}`
    }
    const grantTypes = ['authorization_code', 'refresh_token']
    const page = await console.open(await add('For users', { grantTypes }))
    await page.see('It cannot log in over SMTP', 'It acts for users, each with the permissions')
    const { roles } = await console.ask('GET', '/api/roles')
    const byItself = { grantTypes: ['client_credentials'], role: roles[0].id }
    await page.goto(await add('Unpublished', { ...byItself, isPublished: false }))
    await page.see('It cannot log in over SMTP')
    await page.goto(await add('Submits', byItself))
    await page.region('SMTP').see('its secret')
    assert.equal(await page.getByText('It cannot log in over SMTP').count(), 0)
  })

  test('the page of a user shows what they may do and their sessions, and ends them: they log in again', async () => {
    const clerk = await addUser(console.service, { contact: ['view'] })
    const page = await console.open('/contacts', clerk)
    await page.opens('Contacts')
    const other = await console.openOther(`/access/users/${clerk.id}`)
    await other.region('May').see('Contacts')
    await other.region('SMTP').see('mail.example.com')
    const sessions = other.region('Sessions')
    await sessions.see('Chrome')
    await sessions.button('End all').click()
    await sessions.see('Not logged in.')
    await page.link('Suppressions').click()
    await page.dialog('Your session has ended').waitFor()
  })

  test('readers see their own sessions and can end the others', async () => {
    const other = await console.open('/access?tab=sessions')
    await console.open('/access?tab=sessions')
    await other.see('This session')
    const ends = other.button('End')
    const before = await ends.count()
    assert.ok(before > 0)
    await ends.nth(0).click()
    await other.see('The session has ended.')
  })

  test('who may only view users changes none', async () => {
    const page = await console.open('/access', viewer)
    await page.link('admin').click()
    await page.opens('admin')
    await page.region('Details').see('admin@localhost')
    assert.equal(await page.button(/Save|Edit|Delete/).count(), 0)
    await page.goto('/access')
    await page.link('Your sessions').waitFor()
    assert.equal(await page.link('OAuth clients').count(), 0)
    assert.equal(await page.link('Add a user').count(), 0)
  })
})
