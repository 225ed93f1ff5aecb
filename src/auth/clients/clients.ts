import { presentMauticStamps } from '../../http/index.ts'
import type { BatchItemResult } from '../../kit/batch-item-result.ts'
import type { Clock } from '../../kit/clock.ts'
import { type Entry, openResource, type Resource } from '../../resource/index.ts'
import { openRecordStore, type Storage } from '../../storage/index.ts'
import { createToken, hashToken } from '../credentials.ts'
import { clientNotFound } from '../errors.ts'
import type { AuthTables, ClientRow } from '../table.ts'
import {
  type ClientValues,
  checkClient,
  checkClientRemoval,
  findClientFaults,
  newSecretHash,
  toClientColumns,
  toClientInput,
} from './client-rules.ts'
import { type ClientInput, type ClientItem, clientFields, clientRecord } from './client-schema.ts'

export type Clients = Resource<ClientRow, ClientItem, ClientInput>

/** Opens the OAuth clients. Only the response to the creation has the secret; the database has its hash. */
export function openClients({ storage, clock }: { storage: Storage; clock: Clock }): Clients {
  const db = storage.tables<AuthTables>()
  const store = openRecordStore<ClientRow>(storage, {
    table: 'oauth_clients',
    nameColumn: 'name',
    fields: clientFields,
  })
  const resource = openResource<ClientRow, ClientItem, ClientValues>({
    storage,
    clock,
    store,
    area: 'api',
    notFound: clientNotFound,
    findFaults: (values) => findClientFaults(db, values),
    toInput: toClientInput,
    prepare: ({ input, current }) => ({ columns: toClientColumns(input, current) }),
    beforeWrite: checkClient,
    beforeRemove: checkClientRemoval,
    present: (rows) => rows.map(presentClient),
  })
  return {
    ...resource,
    async create(inputs, context) {
      const secrets = inputs.map(createToken)
      const values = inputs.map((input, index) => withSecret(input, secrets[index]))
      return showSecrets(await resource.create(values, context), secrets)
    },
    async edit(changes, context) {
      const secrets = changes.map(createToken)
      const edits = changes.map((change, index) =>
        change.mode === 'put'
          ? { ...change, values: withSecret(change.values, secrets[index]) }
          : change,
      )
      return showSecrets(await resource.edit(edits, context), secrets)
    },
  }
}

function withSecret(input: ClientInput, secret = createToken()): ClientValues {
  return { ...input, [newSecretHash]: hashToken(secret) }
}

function showSecrets(
  outcomes: BatchItemResult<Entry<ClientItem>>[],
  secrets: readonly string[],
): BatchItemResult<Entry<ClientItem>>[] {
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
    ...clientRecord.toValues(row),
    clientId: row.client_id,
    role: row.role_id,
    ...presentMauticStamps(row),
  }
}
