import { randomBytes } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import { validationError } from '../../http/index.ts'
import type { FaultDetails } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import { fold } from '../../kit/fold.ts'
import type { RuleContext, WriteRules } from '../../storage/index.ts'
import { moreThanOwn } from '../errors.ts'
import { covers } from '../permissions.ts'
import { grantsOf } from '../roles/roles.ts'
import type { AuthTables, ClientRow } from '../table.ts'
import type { ClientInput, GrantType } from './client-schema.ts'
import { redirectUriFault } from './redirect-uri.ts'

const defaultGrants: GrantType[] = ['authorization_code', 'refresh_token']

/** The key of the hash of a new client's secret. As a symbol, no request can bring it. */
export const newSecretHash = Symbol('new secret hash')

/** What the API takes, with the hash of the secret that a new client gets. */
export type ClientValues = ClientInput & { [newSecretHash]?: string }

/** What decides about changes of clients: nobody makes or changes one whose role lets do more than his own. */
export function clientRules({
  tx: anyTx,
  caller,
}: RuleContext): WriteRules<ClientRow, ClientValues> {
  const tx = anyTx.withTables<AuthTables>()
  return {
    beforeWrite: async ({ input, current }) => {
      if (current !== undefined) await checkOwn(tx, caller, current.role_id)
      await checkInput(tx, input, urisOf(current))
      await checkOwn(tx, caller, input.role ?? null)
    },
    checkRemoval: (current) => checkOwn(tx, caller, current.role_id),
  }
}

/** The values that a client has now. */
export function toClientInput(current: ClientRow): ClientValues {
  return {
    name: current.name,
    redirectUris: urisOf(current),
    grantTypes: JSON.parse(current.grant_types) as GrantType[],
    role: current.role_id,
    isPublished: Boolean(current.is_published),
  }
}

export function toClientColumns(input: ClientValues, current: ClientRow | undefined) {
  return {
    name: input.name,
    client_id: current?.client_id ?? randomBytes(16).toString('hex'),
    secret_hash: current?.secret_hash ?? input[newSecretHash] ?? '',
    redirect_uris: JSON.stringify(input.redirectUris ?? []),
    grant_types: JSON.stringify(input.grantTypes ?? defaultGrants),
    role_id: input.role ?? null,
    is_published: input.isPublished ?? true,
    search_text: fold(input.name),
  }
}

function urisOf(row: ClientRow | undefined): string[] {
  return row === undefined ? [] : (JSON.parse(row.redirect_uris) as string[])
}

/**
 * What is wrong with single values of a client, whatever type they have. Redirect URIs that it has already are
 * not judged anew: what it is edited for may be to put it out of use.
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
    details['role'] = [`names no role: there is none with the id ${role as number}`]
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
    details['redirectUris'] = ['needs an entry, since grantTypes has authorization_code']
  }
  if (grants.includes('client_credentials') && role === null) {
    details['role'] = ['is required, since grantTypes has client_credentials']
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
