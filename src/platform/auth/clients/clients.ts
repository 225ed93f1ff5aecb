import { randomBytes } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import type { FaultDetails } from '../../../kit/app-error.ts'
import type { Clock } from '../../../kit/clock.ts'
import { validationError } from '../../http/index.ts'
import { brandAccess, type ItemToWrite, openResource, type Resource } from '../../resource/index.ts'
import { openRecordStore, type Storage } from '../../storage/index.ts'
import { createToken, hashToken } from '../credentials.ts'
import { clientNotFound } from '../errors.ts'
import { checkOwnRules } from '../login/login-rules.ts'
import { findCovered, findRoleFault } from '../roles/role-rules.ts'
import type { AuthTables, ClientRow } from '../table.ts'
import {
  type ClientInput,
  type ClientItem,
  clientFields,
  clientRecord,
  defaultGrants,
} from './client-schema.ts'
import { redirectUriFault } from './redirect-uri.ts'

export type Clients = Resource<ClientRow, ClientItem, ClientInput>

/** Opens the OAuth clients. Only the response to the creation has the secret; the database has its hash. */
export function openClients({ storage, clock }: { storage: Storage; clock: Clock }): Clients {
  const db = storage.tables<AuthTables>()
  const store = openRecordStore<ClientRow>(storage, {
    table: 'oauth_clients',
    nameColumn: 'name',
    fields: clientFields,
  })
  return openResource<ClientRow, ClientItem, ClientInput>({
    clock,
    store,
    area: 'api',
    notFound: clientNotFound,
    access: brandAccess({ label: 'OAuth client', storage, isPrivate: true }),
    findFaults: (values) => findClientFaults(db, values),
    toInput: clientRecord.toValues,
    prepare({ input, current }) {
      const columns = clientRecord.toColumns(input)
      if (current !== undefined) {
        const { client_id, secret_hash } = current
        return { columns: { ...columns, client_id, secret_hash } }
      }
      const clientSecret = createToken()
      const ids = {
        client_id: randomBytes(16).toString('hex'),
        secret_hash: hashToken(clientSecret),
      }
      return { columns: { ...columns, ...ids }, shownOnce: { clientSecret } }
    },
    present: (rows) => rows.map((row) => clientRecord.present(row, { clientId: row.client_id })),
    hooks: {
      async beforeWrite(tx, item) {
        await checkClient(tx, item)
        const { columns, current, caller } = item
        if (current !== undefined && caller.clientId === current.id)
          checkOwnRules(columns, caller, clock.now())
      },
      async beforeRemove(tx, { current, caller }) {
        await findCovered(tx.withTables<AuthTables>(), caller, { id: current.role_id })
        return undefined
      },
    },
  })
}

/** Throws where a client must not be saved so. Its role, before and after, has no permission that the caller lacks. */
async function checkClient(
  anyTx: Transaction<object>,
  { input, current, caller }: ItemToWrite<ClientRow, ClientInput>,
): Promise<void> {
  const tx = anyTx.withTables<AuthTables>()
  await findCovered(tx, caller, { id: current?.role_id })
  const ownUris = current === undefined ? [] : clientRecord.toValues(current).redirectUris
  await checkInput(tx, input, ownUris)
  await findCovered(tx, caller, { id: input.role })
}

/**
 * Finds faults of single values of a client; they may have any type. Redirect URIs that it has already are not checked
 * again, so that an old client can still be edited, for example unpublished.
 */
async function findClientFaults(
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
  return { ...details, ...(await findRoleFault(db, role)) }
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
