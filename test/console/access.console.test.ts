import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { areas, levels } from '../../src/auth/roles/role-schema.ts'
import { needsBrowser } from '../browser/launch.ts'
import { addUser, type TestUser } from '../callers.ts'
import { assertAccessible, openTestConsole, type TestConsole } from './test-console.ts'

describe('access in the console', needsBrowser, () => {
  let console: TestConsole
  let viewer: TestUser

  before(async () => {
    const config = { publicUrl: 'https://mail.example.com', smtpPort: 587 }
    console = await openTestConsole({ config })
    viewer = await addUser(console.service, { user: ['view'], multipleTransports: ['view'] })
  })
  after(() => console?.close())

  test('a role with some permissions, and a user who has it, can be made; the user then logs in', async () => {
    const page = await console.open('/access?tab=roles')
    await page.getByRole('link', { name: 'Add a role' }).click()
    await page.getByRole('button', { name: 'Use the preset "Marketer"' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Template author')
    assert.ok(await page.getByLabel('Templates: Everything').isChecked())
    await page.getByLabel('Transports and assignments: View').uncheck()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Role "Template author" is saved.').waitFor()

    await page.goto(`${console.url}/access`)
    await page.getByRole('link', { name: 'Add a user' }).click()
    await page.getByLabel('User name').fill('admin')
    await page.getByText('This user name is in use.').waitFor()
    await page.getByLabel('User name').fill('tina')
    await page.getByLabel('Email address').fill('tina@example.com')
    await page.getByLabel('Role').selectOption({ label: 'Template author' })
    await page.getByLabel('Password').fill('short')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.fault').first().waitFor()
    await assertAccessible(page)
    await page.getByLabel('Password').fill('a good password')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('User "tina" is saved.').waitFor()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByRole('button', { name: /^Copy POST \/api\/users\/new as curl$/ }).click()
    const command = await page.evaluate(() => navigator.clipboard.readText())
    assert.match(command, /"username":"tina"/)
    assert.doesNotMatch(command, /a good password/)
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()

    await console.open('/', { username: 'tina', password: 'a good password' })
    const menu = page.getByRole('navigation', { name: 'Menu' })
    await menu.getByRole('link', { name: 'Templates' }).waitFor()
    assert.equal(await menu.getByRole('link', { name: 'Transports' }).count(), 0)
    assert.equal(await menu.getByRole('link', { name: 'Health' }).count(), 0)
  })

  test('the secret of an OAuth client is shown once, with a command that works', async () => {
    const page = await console.open('/access?tab=clients')
    await assertAccessible(page)
    await page.getByRole('link', { name: 'Add an OAuth client' }).click()
    await page.getByLabel('Name', { exact: true }).fill('CRM')
    await page.getByLabel('Role of the client itself').selectOption({ label: 'Administrator' })
    await page.getByRole('button', { name: 'Save' }).click()
    const command = await page.getByLabel('Get an access token').inputValue()
    await assertAccessible(page)
    const [, url, clientId, secret] =
      /^curl (\S+) -d grant_type=client_credentials -d client_id=(\S+) -d client_secret=(\S+)$/.exec(
        command,
      ) ?? []
    assert.match(
      await page.getByLabel('Mailer DSN').inputValue(),
      new RegExp(`^smtp://${clientId}:${secret}@mail\\.example\\.com:587$`),
    )
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId ?? '',
      client_secret: secret ?? '',
    })
    assert.equal((await fetch(url ?? '', { method: 'POST', body })).status, 200)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.reload()
    await page.getByRole('heading', { name: 'CRM' }).waitFor()
    assert.ok(!(await page.content()).includes(secret ?? ''))
  })

  test('the page of an OAuth client shows an SMTP log-in only where it works, else the reason', async () => {
    const { service } = console
    const add = async (name: string, values: object): Promise<string> => {
      const redirectUris = ['https://crm.example.com']
      const body = { name, redirectUris, ...values }
      return `/access/clients/${(await service.ask('POST', '/api/oauthClients/new', body)).body.oauthClient.id}`
    }
    const grantTypes = ['authorization_code', 'refresh_token']
    const page = await console.open(await add('For users', { grantTypes }))
    await page.getByText('It cannot log in over SMTP').waitFor()
    await page.getByText('It acts for users, each with the permissions').waitFor()
    await assertAccessible(page)
    const { roles } = (await service.ask('GET', '/api/roles')).body
    const byItself = { grantTypes: ['client_credentials'], role: roles[0].id }
    await page.goto(console.url + (await add('Unpublished', { ...byItself, isPublished: false })))
    await page.getByText('It cannot log in over SMTP').waitFor()
    await page.goto(console.url + (await add('Submits', byItself)))
    await page.getByRole('region', { name: 'SMTP' }).getByText('its secret').waitFor()
    assert.equal(await page.getByText('It cannot log in over SMTP').count(), 0)
  })

  test('the page of a user shows what they may do and their sessions, and ends them', async () => {
    const clerk = await addUser(console.service, { contact: ['view'] })
    const page = await console.open('/', clerk)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await console.context.clearCookies()
    await console.open(`/access/users/${clerk.id}`)
    await page.getByRole('region', { name: 'May' }).getByText('Contacts').waitFor()
    await page.getByRole('region', { name: 'SMTP' }).getByText('mail.example.com').waitFor()
    const sessions = page.getByRole('region', { name: 'Sessions' })
    await sessions.getByText('Chrome').waitFor()
    await assertAccessible(page)
    await sessions.getByRole('button', { name: 'End all' }).click()
    await sessions.getByText('Not logged in.').waitFor()
  })

  test('readers see their own sessions and can end the others', async () => {
    const other = await console.open('/access?tab=sessions')
    await console.context.clearCookies()
    await console.open('/access?tab=sessions')
    await other.getByText('This session').waitFor()
    const ends = other.getByRole('button', { name: 'End' })
    const before = await ends.count()
    assert.ok(before > 0)
    await ends.first().click()
    await other.getByText('The session has ended.').waitFor()
    await assertAccessible(other)
  })

  test('who may only view users changes none', async () => {
    const page = await console.open('/access', viewer)
    await page.getByRole('link', { name: 'admin', exact: true }).click()
    await page.getByRole('heading', { name: 'admin' }).waitFor()
    assert.equal(await page.getByRole('button', { name: /Save|Delete/ }).count(), 0)
    assert.ok(await page.getByLabel('User name').isDisabled())
    await page.goto(`${console.url}/access`)
    await page.getByRole('link', { name: 'Your sessions' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'OAuth clients' }).count(), 0)
    assert.equal(await page.getByRole('link', { name: 'Add a user' }).count(), 0)
  })

  test('the matrix has every permission that a role can have', async () => {
    const page = await console.open('/access/roles/new')
    await page.getByRole('table', { name: 'Permissions' }).waitFor()
    const boxes = await page
      .getByRole('table', { name: 'Permissions' })
      .getByRole('checkbox')
      .count()
    assert.equal(
      boxes,
      areas.reduce((sum, area) => sum + levels[area].length, 0),
    )
  })
})

describe('the first start', needsBrowser, () => {
  let console: TestConsole
  let link = ''
  before(async () => {
    console = await openTestConsole({
      config: { adminPassword: undefined },
      showFirstLogin: (login) => {
        link = login.link
      },
    })
  })
  after(() => console?.close())

  test('its link asks for a password and opens the console', async () => {
    const { page, url } = console
    await page.goto(`${url}/set-password#${link.split('#')[1]}`)
    await page.getByLabel('New password').fill('a good password')
    await page.getByLabel('The password again').fill('another')
    await page.getByText('Both must be the same.').waitFor()
    await assertAccessible(page)
    await page.getByLabel('The password again').fill('a good password')
    await page.getByRole('button', { name: 'Save and log in' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.goto(`${url}/set-password#${link.split('#')[1]}`)
    await page.getByText('This link was used, or has expired.').waitFor()
    assert.equal(await page.getByLabel('New password').count(), 0)
    await assertAccessible(page)
    await page.getByRole('link', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })
})
