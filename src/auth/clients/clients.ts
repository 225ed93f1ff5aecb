import { presentMauticStamps } from '../../http/index.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Outcome } from '../../kit/outcome.ts'
import type { Entry } from '../../kit/resource.ts'
import { openRecords, type Records, type Storage } from '../../storage/index.ts'
import { clientNotFound } from '../errors.ts'
import { createToken, hashToken } from '../secret-token.ts'
import type { AuthTables, ClientRow } from '../table.ts'
import {
  type ClientValues,
  clientRules,
  findClientFaults,
  newSecretHash,
  toClientColumns,
  toClientInput,
} from './client-rules.ts'
import { type ClientInput, type ClientItem, clientFields } from './client-schema.ts'

export type Clients = Records<ClientRow, ClientItem, ClientInput>

/**
 * The OAuth clients. The secret of a new one is in the answer that tells of it, and nowhere else:
 * stored is its hash.
 */
export function openClients({ storage, clock }: { storage: Storage; clock: Clock }): Clients {
  const db = storage.tables<AuthTables>()
  const records = openRecords<ClientRow, ClientItem, ClientValues>(storage, clock, {
    table: 'oauth_clients',
    nameColumn: 'name',
    fields: clientFields,
    area: 'api',
    notFound: clientNotFound,
    present: (rows) => rows.map(presentClient),
    findFaults: (values) => findClientFaults(db, values),
    toInput: toClientInput,
    prepare: ({ input, current }) => ({ columns: toClientColumns(input, current) }),
    begin: clientRules,
  })
  return {
    ...records,
    async create(inputs, context) {
      const secrets = inputs.map(createToken)
      const values = inputs.map((input, index) => withSecret(input, secrets[index]))
      return showSecrets(await records.create(values, context), secrets)
    },
    async edit(changes, context) {
      const secrets = changes.map(createToken)
      const edits = changes.map((change, index) =>
        change.mode === 'put'
          ? { ...change, values: withSecret(change.values, secrets[index]) }
          : change,
      )
      return showSecrets(await records.edit(edits, context), secrets)
    },
  }
}

function withSecret(input: ClientInput, secret = createToken()): ClientValues {
  return { ...input, [newSecretHash]: hashToken(secret) }
}

function showSecrets(
  outcomes: Outcome<Entry<ClientItem>>[],
  secrets: readonly string[],
): Outcome<Entry<ClientItem>>[] {
  return outcomes.map((outcome, index) => {
    const clientSecret = secrets[index]
    if (!outcome.ok || !outcome.value.isNew || clientSecret === undefined) return outcome
    const { item } = outcome.value
    return { ok: true, value: { ...outcome.value, item: { ...item, clientSecret } } }
  })
}

function presentClient(row: ClientRow): ClientItem {
  return {
    id: row.id,
    name: row.name,
    clientId: row.client_id,
    redirectUris: JSON.parse(row.redirect_uris) as string[],
    grantTypes: JSON.parse(row.grant_types) as string[],
    role: row.role_id,
    ...presentMauticStamps(row),
  }
}
