import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { addClient, addTemplate, addTransport, addUser } from '../callers.ts'
import { openTestApp, type TestApp, type TestBody, type TestCaller } from '../test-app.ts'

const secret = 'Zq7Xw4Secret'
const mailerDsn = `smtp://relay-user:${secret}@mail.example.com?verify_peer=1`

/** Columns that the API never shows, for each list that can be filtered. */
const hiddenColumns: Record<string, readonly string[]> = {
  users: ['password_hash', 'passwordHash', 'plainPassword', 'email_key'],
  roles: ['raw_permissions', 'rawPermissions'],
  oauthClients: ['secret_hash', 'clientSecret', 'client_secret', 'secretHash'],
  mautics: ['secret', 'clientSecret', 'smtp_login', 'smtp_password_hash', 'webhook_secret'],
  multipleTransports: ['mailerDsn', 'mailer_dsn', 'name_key'],
  twigTemplates: ['template', 'refers_to'],
  emails: ['emails', 'headers.X'],
  contacts: ['email_key', 'fields', 'field_values'],
}
const ofEveryList = ['search_text', 'revision', 'rowid', '__proto__', 'constructor', '1', 'id)']

describe('a list', () => {
  let service: TestApp
  let viewer: TestCaller
  const secrets: string[] = [secret]
  before(async () => {
    service = await openTestApp()
    const areas = ['multipleTransports', 'twigtemplates', 'email', 'contact', 'user', 'api']
    const user = await addUser(service, Object.fromEntries(areas.map((area) => [area, ['view']])))
    viewer = user.as
    const { clientSecret } = await addClient(service, {
      redirectUris: ['https://crm.example.com/'],
    })
    await addTransport(service, { name: 'relay', mailerDsn })
    await addTemplate(service)
    secrets.push(user.password, clientSecret)
  })
  after(() => service.close())

  const list = (path: string, query: Record<string, string>) =>
    service.ask('GET', `/api/${path}?${new URLSearchParams(query)}`, undefined, { as: viewer })
  const countOf = ({ headers, body }: { headers: Record<string, unknown>; body: TestBody }) =>
    Number(headers['x-total-count'] ?? body.total ?? body.deliveries?.length)

  for (const [path, columns] of Object.entries(hiddenColumns)) {
    test(`${path} is neither filtered nor ordered by a hidden column`, async () => {
      for (const column of [...columns, ...ofEveryList]) {
        const nested = 'where[0][val][0]'
        const queries: Record<string, string>[] = [
          { 'where[0][col]': column, 'where[0][expr]': 'like', 'where[0][val]': '%' },
          { 'where[0][col]': column, 'where[0][expr]': 'isNotNull' },
          {
            'where[0][expr]': 'orX',
            [`${nested}[col]`]: column,
            [`${nested}[expr]`]: 'neq',
            [`${nested}[val]`]: 'x',
          },
          { orderBy: column },
          { orderBy: `id,t.${column}` },
          { 'order[0][col]': column, 'order[0][dir]': 'DESC' },
        ]
        for (const query of queries) {
          const answer = await list(path, query)
          assert.equal(answer.status, 400, `${JSON.stringify(query)}: ${answer.text}`)
          assert.match(answer.text, /one of id, /)
        }
      }
    })
  }

  for (const path of [...Object.keys(hiddenColumns), 'deliveries', 'inbox'])
    test(`${path} cannot be searched by a secret, and shows no secret`, async () => {
      for (const text of secrets)
        for (const search of [
          text,
          text.slice(0, 6),
          `mailerDsn:${text}`,
          `password_hash:${text}`,
        ]) {
          const answer = await list(path, { search, limit: '0' })
          if (answer.status === 200) assert.equal(countOf(answer), 0, `${search}: ${answer.text}`)
          else assert.ok([200, 400].includes(answer.status), answer.text)
        }
      for (const name of ['fields', 'select', 'select[0]', 'columns']) {
        const value = [...(hiddenColumns[path] ?? []), ...ofEveryList].join(',')
        const { text, status } = await list(path, { [name]: value })
        assert.ok([200, 400].includes(status), text)
        for (const hidden of secrets) assert.ok(!text.includes(hidden), text)
        assert.doesNotMatch(
          text,
          /"(password_hash|secret_hash|mailer_dsn|search_text|revision)":|argon2/,
        )
      }
    })

  test('deliveries ignores filters by column, with a warning', async () => {
    for (const name of ['where[0][col]', 'orderBy', 'select', 'fields']) {
      const { body } = await list('deliveries', { [name]: 'search_text' })
      assert.match(JSON.stringify(body.warnings), /Unknown parameter/)
    }
  })
})
