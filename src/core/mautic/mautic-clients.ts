import type { Clock } from '../../kit/clock.ts'
import type { MaybePromise } from '../../kit/maybe-promise.ts'
import { OutboundClient, type OutboundRules } from '../../libraries/mailer/index.ts'
import { MauticClient } from '../mautic-client/index.ts'
import { mauticNotFound, secretUnreadable } from './errors.ts'
import type { StoredSecrets } from './stored-secrets.ts'
import type { MauticRow } from './table.ts'

export interface MauticClientsOptions {
  /** Also finds an unpublished one. */
  findRow: (id: number) => MaybePromise<MauticRow | undefined>
  secrets: StoredSecrets
  clock: Clock
  /** Where connections may go to. */
  rules: OutboundRules
  /** Called when a Mautic answers after an outage. */
  onAnswering: (mauticId: number) => void
}

/** What a client needs of a row. */
export type LoginRow = Pick<MauticRow, 'name' | 'url' | 'client_id' | 'username' | 'secret'>

/** Connections to one Mautic: a small one has few processes. */
const connectionsMax = 4

/** The clients of all Mautics. A client, with its access token, is kept until its Mautic is edited. */
export class MauticClients {
  readonly #options: MauticClientsOptions
  readonly #clients = new Map<number, { row: MauticRow; client: MauticClient }>()
  /** What the clients send through, according to the outbound policy. */
  readonly http: OutboundClient

  constructor(options: MauticClientsOptions) {
    this.#options = options
    this.http = new OutboundClient(options.rules, { connectionsMax })
  }

  /** Returns the client of a Mautic with its current settings; undefined where there is none. */
  async find(mauticId: number): Promise<MauticClient | undefined> {
    const row = await this.#options.findRow(mauticId)
    if (row === undefined) {
      this.#clients.delete(mauticId)
      return undefined
    }
    const entry = this.#clients.get(mauticId)
    if (entry !== undefined && isSameLogin(entry.row, row)) return entry.client
    const client = await this.open(row, () => this.#options.onAnswering(mauticId))
    this.#clients.set(mauticId, { row, client })
    return client
  }

  /**
   * Opens a client with the log-in of a row, which need not be stored. It is not kept. Throws an AppError (`conflict`) where its
   * secret cannot be decrypted.
   */
  async open(row: LoginRow, onAnswering?: () => void): Promise<MauticClient> {
    const { secrets, clock } = this.#options
    const secret = await secrets.open(row, 'secret')
    if (secret === undefined) throw secretUnreadable(row.name)
    const { url, client_id: clientId, username } = row
    const login = { url, clientId, username, secret: secret ?? '' }
    return new MauticClient({ login, http: this.http, clock, onAnswering })
  }

  /** As `find`; throws an AppError (`not_found`). */
  async get(mauticId: number): Promise<MauticClient> {
    const client = await this.find(mauticId)
    if (client === undefined) throw mauticNotFound(mauticId)
    return client
  }

  async close(): Promise<void> {
    await this.http.close()
  }
}

function isSameLogin(one: MauticRow, other: MauticRow): boolean {
  const columns = ['url', 'client_id', 'username', 'secret'] as const
  return columns.every((column) => one[column] === other[column])
}
