import assert from 'node:assert/strict'
import type { DnsServer } from './dns-server.ts'
import type { TestApp, TestBody, TestCaller } from './test-app.ts'

/** A user whom a test made. */
export interface TestUser {
  id: number
  roleId: number
  username: string
  email: string
  password: string
  /** The credentials for HTTP Basic. */
  as: TestCaller
}

/** An OAuth client that a test made. */
export interface TestClient {
  id: number
  clientId: string
  clientSecret: string
}

/** What a role lets do, as the API takes it. */
export type TestPermissions = Record<string, readonly string[]>

let count = 0

/** A name that no other test has. */
export function uniqueName(kind: string): string {
  count += 1
  return `${kind}-${process.pid}-${count}`
}

/** Makes a role with these permissions; returns its id. */
export async function addRole(
  service: TestApp,
  permissions: TestPermissions | 'administrator',
): Promise<number> {
  const rights =
    permissions === 'administrator' ? { isAdmin: true } : { rawPermissions: permissions }
  const body = { name: uniqueName('role'), ...rights }
  return (await service.askFor('POST', '/api/roles/new', body)).role.id
}

/** Creates a user with a new role that has these permissions, or with the role of this id; of all brands, or of these. */
export async function addUser(
  service: TestApp,
  permissions: TestPermissions | 'administrator' | number,
  brands: readonly number[] = [],
): Promise<TestUser> {
  const roleId = typeof permissions === 'number' ? permissions : await addRole(service, permissions)
  const username = uniqueName('user')
  const password = `password of ${username}`
  const email = `${username}@example.com`
  const { user } = await service.askFor('POST', '/api/users/new', {
    username,
    email,
    role: roleId,
    brands,
    plainPassword: { password, confirm: password },
  })
  return { id: user.id, roleId, username, email, password, as: [username, password] }
}

/** Makes an OAuth client. */
export async function addClient(
  service: TestApp,
  values: Record<string, unknown>,
): Promise<TestClient> {
  const body = { name: uniqueName('client'), ...values }
  return (await service.askFor('POST', '/api/oauthClients/new', body)).oauthClient
}

/** Makes a client that acts for itself with these permissions, and gets its access token. */
export async function addClientCaller(
  service: TestApp,
  permissions: TestPermissions | 'administrator',
): Promise<TestClient & { roleId: number; as: TestCaller }> {
  const roleId = await addRole(service, permissions)
  const client = await addClient(service, { grantTypes: ['client_credentials'], role: roleId })
  const { access_token: token } = await getClientToken(service, client)
  return { ...client, roleId, as: { token } }
}

/** The answer of the token endpoint to client_credentials. */
export async function getClientToken(
  service: TestApp,
  { clientId, clientSecret }: TestClient,
): Promise<TestBody> {
  const answer = await service.ask(
    'POST',
    '/oauth/v2/token',
    { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret },
    { as: 'anonymous' },
  )
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

/** Makes a transport; returns it as the API gives it. */
export async function addTransport(
  service: TestApp,
  values: Record<string, unknown> = {},
): Promise<TestBody> {
  const body = { name: uniqueName('transport'), mailerDsn: 'null://null', ...values }
  return service.askFor('POST', '/api/multipleTransports/new', body)
}

/** Makes a Twig template; returns it as the API gives it. */
export async function addTemplate(
  service: TestApp,
  values: Record<string, unknown> = {},
): Promise<TestBody> {
  const body = { name: uniqueName('template'), template: 'Hello', ...values }
  return (await service.askFor('POST', '/api/twigTemplates/new', body)).twigTemplate
}

/** Makes an email; returns it as the API gives it. */
export async function addEmail(
  service: TestApp,
  values: Record<string, unknown> = {},
): Promise<TestBody> {
  const body = { name: uniqueName('email'), subject: 'Hello', ...values }
  return (await service.askFor('POST', '/api/emails/new', body)).email
}

/** Makes a DKIM key whose record is in DNS, so that it signs; returns it as the API gives it. */
export async function addSigningKey(
  service: TestApp,
  dns: DnsServer,
  values: Record<string, unknown>,
): Promise<TestBody> {
  const { id, record } = (await service.askFor('POST', '/api/dkimKeys/new', values)).dkimKey
  dns.set(record.name, 'TXT', [record.value])
  const { dkimKey } = (await service.ask('POST', `/api/dkimKeys/${id}/check`)).body
  assert.equal(dkimKey.isActive, true, dkimKey.problem)
  return dkimKey
}

/** Adds the limit "SES" of one recipient a day to a transport, and uses it up. */
export async function addReachedLimit(
  service: TestApp,
  transportId: number,
): Promise<{ id: number; name: string }> {
  const values = { name: 'SES', transports: [transportId], perDay: 1 }
  const { limit } = await service.askFor('POST', '/api/limits/new', values)
  const { limiter } = service.app
  await limiter.reload()
  const acquired = await limiter.acquire({ transportId, brand: 0, count: 1 }, { waitMs: 3_000 })
  assert.ok(acquired.granted && acquired.permit.begin())
  acquired.permit.release()
  return limit
}
