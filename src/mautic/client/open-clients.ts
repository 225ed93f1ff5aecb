import type { Agent, Dispatcher } from 'undici'
import type { Clock } from '../../kit/clock.ts'
import type { ResolveAllowed } from '../../mailer/index.ts'
import { createLookUp, type Storage } from '../../storage/index.ts'
import { mauticNotFound } from '../errors.ts'
import type { StoredSecrets } from '../stored-secrets.ts'
import type { MauticRow, MauticTables } from '../table.ts'
import { createMauticClient, type MauticClient } from './mautic-client.ts'
import { openOutboundAgent } from './outbound-agent.ts'

/** The clients of all Mautics. */
export interface MauticClients {
  /** Returns the client of a Mautic with its current settings; undefined where there is none. */
  find(mauticId: number): Promise<MauticClient | undefined>
  /** As `find`; throws an AppError (`not_found`). */
  get(mauticId: number): Promise<MauticClient>
  /** The connections of the clients, which follow the outbound policy. */
  dispatcher(): Dispatcher
  close(): Promise<void>
}

/** Dependencies of `openMauticClients`. */
export interface MauticClientsOptions {
  storage: Storage
  secrets: StoredSecrets
  clock: Clock
  /** Finds the addresses that the outbound policy allows. */
  resolve: ResolveAllowed
}

/** Connections to one Mautic: a small one has few processes. */
const connectionsMax = 4

/** Opens the clients. A client, with its access token, is kept until its Mautic is edited. */
export function openMauticClients(options: MauticClientsOptions): MauticClients {
  const { storage, secrets, clock, resolve } = options
  let agent: Agent | undefined
  const dispatcher = () => {
    agent ??= openOutboundAgent({ resolve, connectionsMax })
    return agent
  }
  const findRow = createLookUp<MauticRow>(storage, () =>
    storage.tables<MauticTables>().selectFrom('mautics').selectAll().where('id', '=', 0).compile(),
  )
  const known = new Map<number, { row: MauticRow; client: MauticClient }>()
  const find = async (mauticId: number) => {
    const row = await findRow(mauticId)
    if (row === undefined) {
      known.delete(mauticId)
      return undefined
    }
    const kept = known.get(mauticId)
    if (kept !== undefined && isSameLogin(kept.row, row)) return kept.client
    const secret = (await secrets.open(row, 'secret')) ?? ''
    const { url, client_id: clientId, username } = row
    const login = { url, clientId, username, secret }
    const client = createMauticClient({ login, dispatcher, clock })
    known.set(mauticId, { row, client })
    return client
  }
  return {
    find,
    dispatcher,
    async get(mauticId) {
      const client = await find(mauticId)
      if (client === undefined) throw mauticNotFound(mauticId)
      return client
    },
    async close() {
      await agent?.destroy()
    },
  }
}

function isSameLogin(one: MauticRow, other: MauticRow): boolean {
  const columns = ['url', 'client_id', 'username', 'secret'] as const
  return columns.every((column) => one[column] === other[column])
}
