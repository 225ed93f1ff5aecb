import assert from 'node:assert/strict'
import type { Kysely } from 'kysely'
import { addClientCaller } from '../callers.ts'
import type { TestApp, TestCaller } from '../test-app.ts'
import type { HostileCaller } from './hostile-requests.ts'
import { secretMark, userMark } from './hostile-values.ts'

/** Records with the ids that hostile requests ask for, and those who ask. */
export interface Population {
  /** The Authorization header of a caller; undefined for anonymous callers. */
  authorizationOf(caller: HostileCaller): string | undefined
  /** Puts back what was deleted, and removes what was made, so that the next requests find the same. */
  restore(): Promise<void>
}

const tables = [
  'roles',
  'users',
  'oauth_clients',
  'emails',
  'contacts',
  'transports',
  'twig_templates',
  'twig_template_versions',
] as const

const everything = ['multipleTransports', 'twigtemplates', 'email', 'contact', 'user', 'api']

type AnyTables = Record<string, Record<string, unknown>>

/** Fills an empty installation. */
export async function populate(service: TestApp): Promise<Population> {
  await addRecords(service)
  const viewing = Object.fromEntries(everything.map((area) => [area, ['view']]))
  const callers = {
    administrator: (await addClientCaller(service, 'administrator')).as,
    viewer: (await addClientCaller(service, viewing)).as,
  }
  const db = service.app.storage.tables<AnyTables>()
  const kept = new Map<string, Record<string, unknown>[]>()
  for (const table of tables) kept.set(table, await db.selectFrom(table).selectAll().execute())
  return {
    authorizationOf: (caller) => (caller === 'anonymous' ? undefined : bearer(callers[caller])),
    restore: () => restore(db, kept),
  }
}

function bearer(caller: TestCaller): string {
  assert.ok(typeof caller === 'object' && 'token' in caller)
  return `Bearer ${caller.token}`
}

/** A dozen of each kind, made as anybody would make them. */
async function addRecords(service: TestApp): Promise<void> {
  const dozen = Array.from({ length: 13 }, (_, index) => index)
  const add = async (path: string, values: (index: number) => unknown) => {
    const answer = await service.ask('POST', `/api/${path}/batch/new?atomic=1`, dozen.map(values))
    assert.equal(answer.status, 201, answer.text)
  }
  await add('roles', (n) => ({ name: `role ${n}`, rawPermissions: { email: ['view'] } }))
  await add('users', (n) => ({
    username: `user ${n}`,
    email: `user${n}@example.com`,
    role: n + 2,
    plainPassword: { password: 'long enough', confirm: 'long enough' },
  }))
  await add('oauthClients', (n) => ({
    name: `client ${n}`,
    redirectUris: ['https://example.com/'],
  }))
  await add('emails', (n) => ({ name: `email ${n}`, subject: 'Hello {contactfield=firstname}' }))
  await add('contacts', (n) => ({ email: `contact${n}@example.com`, owner: n + 1 }))
  await add('multipleTransports', (n) => ({
    name: `transport ${n}`,
    mailerDsn:
      n % 2 === 0
        ? `smtp://${userMark}:${secretMark}@127.0.0.1:1`
        : `ses+api://${userMark}:${secretMark}@default`,
  }))
  await add('twigTemplates', (n) => ({
    name: `template ${n}`,
    template: 'Hello {{ contact.firstname }}',
  }))
}

async function restore(
  db: Kysely<AnyTables>,
  kept: ReadonlyMap<string, Record<string, unknown>[]>,
): Promise<void> {
  // Else the ids would belong to a record and to a deleted one.
  for (const table of ['deleted_records', 'deleted_template_versions'])
    await db.deleteFrom(table).execute()
  for (const table of ['deliveries', ...[...tables].reverse()]) {
    const ids = kept.get(table)?.map(({ id }) => id) ?? [0]
    if (table === 'twig_template_versions') continue
    await db.deleteFrom(table).where('id', 'not in', ids).execute()
  }
  for (const [table, rows] of kept) {
    await db
      .insertInto(table)
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}
