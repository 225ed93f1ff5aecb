import type { CreateTableBuilder, Kysely } from 'kysely'
import {
  addBrand,
  createRecordTable,
  type DatabaseFeatures,
  type Migrations,
} from '../storage/index.ts'

/** The tables of users, roles, OAuth clients, their tokens, and log-ins. */
export const authMigrations: Migrations = {
  async '00.01.00_10_users'(db, database) {
    await createAccountTables(db, database)
    await createOauthTables(db, database)
    await createLoginTables(db, database)
    await database.createSearchIndex(db, 'users')
    await database.createSearchIndex(db, 'roles')
  },
}

async function createAccountTables(db: Kysely<unknown>, database: DatabaseFeatures): Promise<void> {
  await createRecordTable(db, database, 'roles')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('is_admin', 'boolean', (column) => column.notNull())
    .addColumn('permissions', 'text', (column) => column.notNull())
    .execute()
  await createRecordTable(db, database, 'users')
    .addColumn('username', 'text', (column) => column.notNull())
    .addColumn('username_key', 'text', (column) => column.notNull().unique())
    .addColumn('username_skeleton', 'text', (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('email_key', 'text', (column) => column.notNull().unique())
    .addColumn('first_name', 'text', (column) => column.notNull())
    .addColumn('last_name', 'text', (column) => column.notNull())
    .addColumn('password_hash', 'text', (column) => column.notNull())
    .addColumn('role_id', 'bigint', (column) => column.notNull().references('roles.id'))
    .addColumn('smtp_mode', 'text')
    .addColumn('brands', 'text', (column) => column.notNull().defaultTo('[]'))
    .$call(addLoginRules)
    .execute()
  await addIndex(db, 'users', 'role_id')
  await addIndex(db, 'users', 'username_skeleton')
}

async function createOauthTables(db: Kysely<unknown>, database: DatabaseFeatures): Promise<void> {
  await createRecordTable(db, database, 'oauth_clients')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('client_id', 'text', (column) => column.notNull().unique())
    .addColumn('secret_hash', 'text', (column) => column.notNull())
    .addColumn('redirect_uris', 'text', (column) => column.notNull())
    .addColumn('grant_types', 'text', (column) => column.notNull())
    .addColumn('role_id', 'bigint', (column) => column.references('roles.id'))
    .addColumn('smtp_mode', 'text')
    .$call(addBrand)
    .$call(addLoginRules)
    .execute()
  await createGrantTable(db, 'oauth_tokens')
    .addColumn('kind', 'text', (column) => column.notNull())
    .execute()
  await createGrantTable(db, 'oauth_codes')
    .addColumn('redirect_uri', 'text', (column) => column.notNull())
    .addColumn('code_challenge', 'text')
    .addColumn('code_challenge_method', 'text')
    .execute()
  for (const table of ['oauth_tokens', 'oauth_codes']) {
    for (const column of ['family', 'client_id', 'user_id', 'expires_at'])
      await addIndex(db, table, column)
  }
}

async function createLoginTables(db: Kysely<unknown>, database: DatabaseFeatures): Promise<void> {
  for (const table of ['login_sessions', 'password_links']) {
    await db.schema
      .createTable(table)
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('user_id', 'bigint', (column) =>
        column.notNull().references('users.id').onDelete('cascade'),
      )
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
    await addIndex(db, table, 'user_id')
  }
  await database
    .createTableWithId(db, 'console_sessions')
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('user_id', 'bigint', (column) =>
      column.notNull().references('users.id').onDelete('cascade'),
    )
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('used_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('user_agent', 'text', (column) => column.notNull())
    .execute()
  await addIndex(db, 'console_sessions', 'user_id')
  // A single process keeps failures in memory.
  if (!database.isShared) return
  // The columns and their order are those of rate-limiter-flexible.
  await db.schema
    .createTable('login_failures')
    .addColumn('key', 'varchar(255)', (column) => column.primaryKey())
    .addColumn('points', 'integer', (column) => column.notNull())
    .addColumn('expire', 'bigint')
    .execute()
}

/** Creates a table of tokens or codes. They are deleted with their client and their user. */
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
    .addColumn('created_at', 'bigint', (column) => column.notNull())
}

async function addIndex(db: Kysely<unknown>, table: string, column: string): Promise<void> {
  await db.schema.createIndex(`${table}_${column}`).on(table).column(column).execute()
}

/** Adds the columns of `loginRuleFields` to a new table. */
export function addLoginRules(
  table: CreateTableBuilder<string, string>,
): CreateTableBuilder<string, string> {
  return table
    .addColumn('networks', 'text', (column) => column.notNull().defaultTo('[]'))
    .addColumn('valid_until', 'text')
}
