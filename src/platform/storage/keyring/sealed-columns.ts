import { type QueryExecutorProvider, sql, type Transaction } from 'kysely'
import { AppError } from '../../../kit/app-error.ts'
import type { Storage } from '../storage.ts'
import { type Keyring, keyIdLength, type Sealer } from './keyring.ts'

/** A text that is encrypted for a column. */
export interface SealedText {
  text: string
  /** Whether its data key is still the current one, in the transaction that writes it. */
  isCurrent: (tx: QueryExecutorProvider) => Promise<boolean>
}

/** A row with encrypted columns. */
type SealedRow<Column extends string> = Readonly<Record<Column, string | null>>

interface SealedColumnsOptions<Column extends string> {
  storage: Storage
  keyring: Keyring
  table: string
  /** The columns of the primary key. */
  keyColumns: readonly string[]
  /** The columns that are encrypted. */
  columns: readonly Column[]
}

type Values = Record<string, string | number | null>

/** They take SQLite's one writer some milliseconds. */
const rowsPerPage = 200

/** The encrypted columns of a table: null for none. */
export class SealedColumns<Column extends string> {
  readonly #options: SealedColumnsOptions<Column>

  constructor(options: SealedColumnsOptions<Column>) {
    this.#options = options
  }

  /**
   * Decrypts a column of a row; null for none, and undefined where its data key is missing. `isMany`: see `Keyring.opening`.
   */
  async open<Name extends Column>(
    row: SealedRow<Name>,
    column: Name,
    { isMany = false } = {},
  ): Promise<string | null | undefined> {
    const sealed = row[column]
    if (sealed === null) return null
    const purpose = this.#purposeOf(column)
    try {
      return await this.#options.keyring.opening((open) => open(purpose, sealed), { isMany })
    } catch (error) {
      if (error instanceof AppError) throw error
      return undefined
    }
  }

  /** Encrypts a text, before the transaction that writes it. */
  async seal(column: Column, text: string): Promise<SealedText> {
    const { storage, keyring } = this.#options
    const sealer = await keyring.sealer(storage.tables())
    return {
      text: this.sealWith(sealer, column, text),
      isCurrent: async (tx) => (await keyring.sealer(tx)).keyId === sealer.keyId,
    }
  }

  /** Encrypts a text with the sealer of a transaction. */
  sealWith(sealer: Sealer, column: Column, text: string): string {
    return sealer.seal(this.#purposeOf(column), text)
  }

  /**
   * Encrypts all texts with the current data key. One whose key is missing stays as it is. Returns the ids of the keys that are
   * still in use.
   */
  async reseal(): Promise<string[]> {
    const { storage, table, columns } = this.#options
    let last = await this.#resealPage(undefined)
    while (last !== undefined) last = await this.#resealPage(last)
    const keyIds = new Set<string>()
    for (const column of columns) {
      const { rows } = await sql<{ key_id: string }>`
        select distinct substr(${sql.ref(column)}, 1, ${keyIdLength}) as key_id
        from ${sql.table(table)} where ${sql.ref(column)} is not null`.execute(storage.tables())
      for (const row of rows) keyIds.add(row.key_id)
    }
    return [...keyIds]
  }

  /** Encrypts the texts of the rows after one. Returns the last of them; undefined where there are none. */
  #resealPage(after: Values | undefined): Promise<Values | undefined> {
    const { storage, keyring, table, keyColumns, columns } = this.#options
    return storage.transaction(async (tx: Transaction<Record<string, Values>>) => {
      const sealer = await keyring.sealer(tx)
      const key = sql.join(keyColumns.map((column) => sql.ref(column)))
      const isAfter = sql<boolean>`(${key}) > (${sql.join(keyColumns.map((column) => after?.[column]))})`
      const all = tx.selectFrom(table).select([...keyColumns, ...columns])
      let page = after === undefined ? all : all.where(isAfter)
      for (const column of keyColumns) page = page.orderBy(column)
      const rows = await page.limit(rowsPerPage).forUpdate().execute()
      for (const row of rows) {
        const change = await this.#resealed(sealer, row as SealedRow<Column>)
        if (Object.keys(change).length === 0) continue
        let update = tx.updateTable(table).set(change)
        for (const column of keyColumns) update = update.where(column, '=', row[column] ?? null)
        await update.execute()
      }
      return rows.at(-1)
    })
  }

  /** Returns the columns of a row that were encrypted with another data key. */
  async #resealed(sealer: Sealer, row: SealedRow<Column>): Promise<Values> {
    const change: Values = {}
    for (const column of this.#options.columns) {
      if (row[column]?.startsWith(`${sealer.keyId}.`) === true) continue
      const text = await this.open(row, column, { isMany: true })
      if (typeof text === 'string') change[column] = this.sealWith(sealer, column, text)
    }
    return change
  }

  #purposeOf(column: Column): string {
    return `${this.#options.table}.${column}`
  }
}
