import type { Kysely } from 'kysely'
import { createRecordTable, type Migrations } from '../storage/index.ts'
import type { AuthTables } from './table.ts'
import { nameSkeleton } from './users/name-skeleton.ts'

/** The tables of users, roles, OAuth clients and their tokens. */
export const authMigrations: Migrations = {
  async '20261121_01_roles_and_users'(db, kind) {
    await createRecordTable(db, kind, 'roles')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('description', 'text')
      .addColumn('is_admin', 'boolean', (column) => column.notNull())
      .addColumn('permissions', 'text', (column) => column.notNull())
      .execute()
    await createRecordTable(db, kind, 'users')
      .addColumn('username', 'text', (column) => column.notNull())
      .addColumn('username_key', 'text', (column) => column.notNull().unique())
      .addColumn('email', 'text', (column) => column.notNull())
      .addColumn('email_key', 'text', (column) => column.notNull().unique())
      .addColumn('first_name', 'text', (column) => column.notNull())
      .addColumn('last_name', 'text', (column) => column.notNull())
      .addColumn('password_hash', 'text', (column) => column.notNull())
      .addColumn('role_id', 'bigint', (column) => column.notNull().references('roles.id'))
      .execute()
    await addIndex(db, 'users', 'role_id')
  },
  async '20261121_02_oauth'(db, kind) {
    await createRecordTable(db, kind, 'oauth_clients')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('client_id', 'text', (column) => column.notNull().unique())
      .addColumn('secret_hash', 'text', (column) => column.notNull())
      .addColumn('redirect_uris', 'text', (column) => column.notNull())
      .addColumn('grant_types', 'text', (column) => column.notNull())
      .addColumn('role_id', 'bigint', (column) => column.references('roles.id'))
      .execute()
    await createGrantTable(db, 'oauth_tokens')
      .addColumn('kind', 'text', (column) => column.notNull())
      .execute()
    await createGrantTable(db, 'oauth_codes')
      .addColumn('redirect_uri', 'text', (column) => column.notNull())
      .addColumn('code_challenge', 'text')
      .addColumn('code_challenge_method', 'text')
      .execute()
    await db.schema
      .createTable('login_sessions')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('user_id', 'bigint', (column) =>
        column.notNull().references('users.id').onDelete('cascade'),
      )
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
    for (const table of ['oauth_tokens', 'oauth_codes']) {
      for (const column of ['family', 'client_id', 'user_id', 'expires_at'])
        await addIndex(db, table, column)
    }
    await addIndex(db, 'login_sessions', 'user_id')
  },
  async '20261122_03_login_failures'(db, kind) {
    // Of one process, memory has them.
    if (kind === 'sqlite') return
    // The columns and their order are those of rate-limiter-flexible.
    await db.schema
      .createTable('login_failures')
      .addColumn('key', 'varchar(255)', (column) => column.primaryKey())
      .addColumn('points', 'integer', (column) => column.notNull())
      .addColumn('expire', 'bigint')
      .execute()
  },
  async '20261122_04_username_skeletons'(db) {
    await db.schema
      .alterTable('users')
      .addColumn('username_skeleton', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
    const users = db as Kysely<AuthTables>
    const rows = await users.selectFrom('users').select(['id', 'username']).execute()
    for (const { id, username } of rows) {
      const skeleton = { username_skeleton: nameSkeleton(username) }
      await users.updateTable('users').set(skeleton).where('id', '=', id).execute()
    }
    await addIndex(db, 'users', 'username_skeleton')
  },
}

/** Tokens and codes go with their client and their user. */
function createGrantTable(db: Kysely<unknown>, name: string) {
  return db.schema
    .createTable(name)
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('family', 'text', (column) => column.notNull())
    .addColumn('client_id', 'bigint', (column) =>
      column.notNull().references('oauth_clients.id').onDelete('cascade'),
    )
    .addColumn('user_id', 'bigint', (column) => column.references('users.id').onDelete('cascade'))
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('used_at', 'bigint')
}

async function addIndex(db: Kysely<unknown>, table: string, column: string): Promise<void> {
  await db.schema.createIndex(`${table}_${column}`).on(table).column(column).execute()
}
