import type { Transaction } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import { pause } from '../../kit/pause.ts'
import { Periodic } from '../../kit/periodic.ts'
import type { RefreshTokenStore } from '../../libraries/mailer/index.ts'
import { type Keyring, SealedColumns, type Storage } from '../../platform/storage/index.ts'
import type { RefreshTokenRow, TransportTables } from './table.ts'

const tokenBytesMax = 8_192
const hourMs = 3_600_000
/** Longer than a year, for servers that replace refresh tokens once a year. */
const keepMs = 400 * 24 * hourMs
/** More are deleted, the oldest first: each test of a DSN that is not saved may store one of up to 8 KB. */
const rowsMax = 10_000
/** They take SQLite's one writer about ten milliseconds. */
const prunedPerBatch = 100

export interface RefreshTokensOptions {
  storage: Storage
  keyring: Keyring
  clock: Clock
  log: Log
}

/**
 * The refresh tokens that replaced those of DSNs, encrypted in the database. A row belongs to a grant and to no transport:
 * several transports may have the same refresh token in their DSNs, and a test of a DSN that is not saved may replace it.
 */
export class RefreshTokens implements RefreshTokenStore {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #log: Log
  readonly #sealed: SealedColumns<'sealed_token'>
  readonly pruning: Periodic
  /** The grants whose token could not be decrypted, which is logged once. */
  readonly #unreadable = new Set<string>()

  constructor({ storage, keyring, clock, log }: RefreshTokensOptions) {
    this.#storage = storage
    this.#clock = clock
    this.#log = log
    this.#sealed = new SealedColumns({
      storage,
      keyring,
      table: 'refresh_tokens',
      keyColumns: ['grant_key'],
      columns: ['sealed_token'],
    })
    this.pruning = new Periodic({
      task: async (signal) => {
        while ((await this.prune()) === prunedPerBatch && !signal.aborted) await pause()
      },
      intervalMs: hourMs,
      runsAtStart: true,
      log,
      events: {
        failed: 'old refresh tokens not deleted',
        recovered: 'old refresh tokens deleted again',
      },
    })
  }

  /**
   * Decrypts the token of a grant; undefined where none is stored, or its data key is missing.
   * @throws AppError (`upstream`) where the database does not answer; AppError (`invalid`) where the secret key was
   *   replaced after the start. The token of the DSN is not tried then: a server may revoke the grant of a used token.
   */
  async find(grantKey: string): Promise<string | undefined> {
    const query = this.#db.selectFrom('refresh_tokens').selectAll()
    const row = await query.where('grant_key', '=', grantKey).executeTakeFirst()
    return row === undefined ? undefined : this.#open(row)
  }

  /**
   * Stores a token; of two saves at once the last one wins. The token is on the disk when this resolves.
   * @throws AppError (`invalid`) for a token longer than 8 KB; AppError (`upstream`) where the database cannot write.
   */
  async save(grantKey: string, refreshToken: string): Promise<void> {
    const sizeBytes = Buffer.byteLength(refreshToken)
    if (sizeBytes > tokenBytesMax) throw refreshTokenTooLong(sizeBytes)
    let isCurrent = false
    // Under a key that was replaced meanwhile, the token could become unreadable once that key is deleted.
    while (!isCurrent) {
      const sealed = await this.#sealed.seal('sealed_token', refreshToken)
      const values = { sealed_token: sealed.text, rotated_at: this.#clock.now() }
      const write = async (tx: Transaction<TransportTables>) => {
        await tx
          .insertInto('refresh_tokens')
          .values({ grant_key: grantKey, ...values })
          .onConflict((conflict) => conflict.column('grant_key').doUpdateSet(values))
          .execute()
        return sealed.isCurrent(tx)
      }
      isCurrent = await this.#storage.transaction(write, { keeps: (result) => result })
    }
    this.#unreadable.delete(grantKey)
  }

  /** Encrypts every token with the current data key; returns the ids of the keys that are still in use. */
  reseal(): Promise<string[]> {
    return this.#sealed.reseal()
  }

  /** Deletes up to 100 tokens that were not replaced for 400 days, or are not among the newest 10,000; returns how many. */
  async prune(): Promise<number> {
    const query = this.#db.selectFrom('refresh_tokens').select('rotated_at')
    const newest = query.orderBy('rotated_at', 'desc').offset(rowsMax - 1)
    const lastKept = await newest.limit(1).executeTakeFirst()
    const before = Math.max(this.#clock.now() - keepMs, lastKept?.rotated_at ?? 0)
    const { numDeletedRows } = await this.#db
      .deleteFrom('refresh_tokens')
      // One that is replaced meanwhile stays.
      .where('rotated_at', '<', before)
      .where('grant_key', 'in', (from) =>
        from
          .selectFrom('refresh_tokens')
          .select('grant_key')
          .where('rotated_at', '<', before)
          .orderBy('rotated_at')
          .limit(prunedPerBatch),
      )
      .executeTakeFirstOrThrow()
    return Number(numDeletedRows)
  }

  get #db() {
    return this.#storage.tables<TransportTables>()
  }

  async #open(row: RefreshTokenRow): Promise<string | undefined> {
    const { grant_key: grantKey } = row
    // A token is asked for once an hour: it is not kept in memory.
    const token = await this.#sealed.open(row, 'sealed_token', { isMany: true })
    if (typeof token === 'string') return token
    if (!this.#unreadable.has(grantKey)) {
      this.#unreadable.add(grantKey)
      this.#log.error({ grantKey }, 'a stored refresh token cannot be read')
    }
    return undefined
  }
}

function refreshTokenTooLong(sizeBytes: number): AppError {
  const message =
    `The token endpoint issued a refresh token of ${sizeBytes} bytes; at most ${tokenBytesMax} are stored. ` +
    'Configure it to issue shorter refresh tokens, or not to replace them.'
  return new AppError('invalid', 'refresh_token_too_long', message)
}
