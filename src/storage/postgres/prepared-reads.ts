import { createHash } from 'node:crypto'
import type { CompiledQuery } from 'kysely'
import type { Pool } from 'pg'
import { isStatementLost, translateError } from './errors.ts'

/**
 * Runs reads outside of any transaction as statements that PostgreSQL parses and plans once for each
 * connection, which costs it more than to run them. Only for queries whose text is one of few. Returns the
 * first row.
 */
export function createPreparedReads(pool: Pool) {
  const names = new Map<string, string>()
  let isOff = false
  return async <Row>({ sql: text, parameters }: CompiledQuery): Promise<Row | undefined> => {
    const values = [...parameters]
    try {
      if (isOff) return (await pool.query(text, values)).rows[0]
      const name = names.get(text) ?? nameOf(text)
      names.set(text, name)
      return (await pool.query({ name, text, values })).rows[0]
    } catch (error) {
      if (isOff || !isStatementLost(error)) throw translateError(error)
    }
    // A pooler between us gives each query another connection, or somebody has changed a table: do without.
    isOff = true
    return (await pool.query(text, values).catch(rethrow)).rows[0]
  }
}

function nameOf(text: string): string {
  return `mailyard_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
}

function rethrow(error: unknown): never {
  throw translateError(error)
}
