import { randomBytes } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import { validationError } from '../../http/index.ts'
import type { FaultDetails } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import { searchTextOf } from '../../kit/normalize-for-search.ts'
import type { ItemToWrite } from '../../resource/index.ts'
import { moreThanOwn } from '../errors.ts'
import { covers } from '../roles/role-schema.ts'
import { grantsOf } from '../roles/roles.ts'
import type { AuthTables, ClientRow } from '../table.ts'
import { type ClientInput, clientRecord, defaultGrants } from './client-schema.ts'

/** The key of the hash of a new client's secret. A symbol, so that no request body can set it. */
export const newSecretHash = Symbol('new secret hash')

/** The input of the API, with the hash of the secret of a new client. */
export type ClientValues = ClientInput & { [newSecretHash]?: string }

/** Throws where a client must not be saved so. Its role, before and after, has no permission that the caller lacks. */
export async function checkClient(
  anyTx: Transaction<object>,
  { input, current, caller }: ItemToWrite<ClientRow, ClientValues>,
): Promise<void> {
  const tx = anyTx.withTables<AuthTables>()
  if (current !== undefined) await checkOwn(tx, caller, current.role_id)
  await checkInput(tx, input, urisOf(current))
  await checkOwn(tx, caller, input.role ?? null)
}

/** Throws where a client must stay: its role has a permission that the caller lacks. */
export async function checkClientRemoval(
  tx: Transaction<object>,
  { current, caller }: { current: ClientRow; caller: Caller },
): Promise<undefined> {
  await checkOwn(tx.withTables<AuthTables>(), caller, current.role_id)
}

/** Returns the current values of a client. */
export function toClientInput(current: ClientRow): ClientValues {
  return { ...clientRecord.toValues(current), role: current.role_id }
}

export function toClientColumns(input: ClientValues, current: ClientRow | undefined) {
  return {
    ...clientRecord.toColumns(input),
    client_id: current?.client_id ?? randomBytes(16).toString('hex'),
    secret_hash: current?.secret_hash ?? input[newSecretHash] ?? '',
    role_id: input.role ?? null,
    search_text: searchTextOf(input.name),
  }
}

function urisOf(row: ClientRow | undefined): string[] {
  return row === undefined ? [] : (JSON.parse(row.redirect_uris) as string[])
}

/**
 * Finds faults of single values of a client; they may have any type. Redirect URIs that it has already are not checked
 * again, so that an old client can still be edited, for example unpublished.
 */
export async function findClientFaults(
  db: Kysely<AuthTables>,
  { redirectUris, role }: Readonly<Record<string, unknown>>,
  ownUris: readonly unknown[] = [],
): Promise<FaultDetails> {
  const details: FaultDetails = {}
  const uris = Array.isArray(redirectUris)
    ? redirectUris.filter((uri) => !ownUris.includes(uri))
    : []
  const faults = uris.flatMap((uri) => (typeof uri === 'string' ? redirectUriFault(uri) : []) ?? [])
  if (faults.length > 0) details['redirectUris'] = faults
  if (Number.isSafeInteger(role) && (await findRole(db, role as number)) === undefined) {
    details['role'] = [`names an unknown role: ${role as number}`]
  }
  return details
}

async function checkInput(
  tx: Transaction<AuthTables>,
  input: ClientInput,
  ownUris: readonly string[],
): Promise<void> {
  const details = await findClientFaults(tx, input, ownUris)
  const { redirectUris = [], role = null } = input
  const grants: readonly string[] = input.grantTypes ?? defaultGrants
  if (grants.includes('authorization_code') && redirectUris.length === 0) {
    details['redirectUris'] = ['needs an entry, because grantTypes has authorization_code']
  }
  if (grants.includes('client_credentials') && role === null) {
    details['role'] = ['is required, because grantTypes has client_credentials']
  }
  if (Object.keys(details).length > 0) throw validationError(details)
}

async function checkOwn(
  tx: Transaction<AuthTables>,
  caller: Caller,
  roleId: number | null,
): Promise<void> {
  const role = roleId === null ? undefined : await findRole(tx, roleId)
  if (role === undefined) return
  if (!covers(caller, grantsOf({ ...role, is_published: true }))) throw moreThanOwn('The role')
}

function findRole(db: Kysely<AuthTables>, id: number) {
  return db.selectFrom('roles').selectAll().where('id', '=', id).executeTakeFirst()
}

const hostName = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/
const dangerousSchemes = ['javascript:', 'data:', 'vbscript:', 'file:', 'about:', 'blob:']

/** Returns what is wrong with a redirect URI (RFC 6749, section 3.1.2; RFC 8252, section 7.1); undefined for a valid one. */
export function redirectUriFault(text: string): string | undefined {
  // Browsers remove or replace these characters.
  if (/[\s\p{Cc}\\]/u.test(text)) {
    return `${JSON.stringify(text)} must have no blank, control character or backslash`
  }
  if (!URL.canParse(text)) return `"${text}" must be an absolute URI`
  const { protocol, hash, username, password, hostname } = new URL(text)
  if (dangerousSchemes.includes(protocol)) return `"${text}" must not start with ${protocol}`
  if (hash !== '' || text.includes('#')) return `"${text}" must have no fragment`
  if (username !== '' || password !== '') return `"${text}" must have no user or password`
  const isWeb = protocol === 'https:' || protocol === 'http:'
  // The URL standard accepts `;` and `,`, which no host name has.
  const namesHost = /^\w+:\/\//.test(text) && hostName.test(hostname)
  if (isWeb && !namesHost) return `"${text}" must name a host`
  return undefined
}
