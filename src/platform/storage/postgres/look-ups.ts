import type { CompiledQuery } from 'kysely'
import type pg from 'pg'
import { pause } from '../../../kit/pause.ts'
import type { DatabaseOptions } from '../database.ts'
import { translateError } from './errors.ts'
import { openPool, streamOf, type TimeLimits } from './pool.ts'

interface NamedQuery {
  text: string
  values: unknown[]
}

/**
 * Opens queries for single rows, outside of any transaction. Look-ups share one connection, many of them in flight at a time, and
 * the server prepares each statement once. Those of one turn of the event loop are sent at its end, and equal ones once: each sees
 * what was committed before it was asked.
 */
export function openLookUps(options: DatabaseOptions, limits: TimeLimits) {
  const pool = openLookUpPool(options, limits)
  const shared = createSharedClient(pool)
  const statements = createStatementNames()
  let turn = new Map<string, Promise<unknown>>()
  let turnEnds = Promise.resolve()
  const ask = async (client: pg.PoolClient, { text, values }: NamedQuery): Promise<unknown> => {
    writeTogether(client)
    return (await client.query({ name: statements.nameOf(text), text, values })).rows[0]
  }
  const send = async (query: NamedQuery) => {
    await turnEnds
    try {
      const row = await shared.use(async (client) => {
        try {
          return await ask(client, query)
        } catch (error) {
          if (!isPlanOutdated(error)) throw error
          statements.rename()
          return await ask(client, query)
        }
      })
      return Object.freeze(row)
    } catch (error) {
      throw translateError(error, false)
    }
  }
  return {
    /** Returns the first row of a query, frozen; callers may share it. */
    first<Row>({ sql: text, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>) {
      const key = `${statements.nameOf(text)} ${JSON.stringify(parameters)}`
      if (turn.size === 0)
        turnEnds = pause().then(() => {
          turn = new Map()
        })
      const row = turn.get(key) ?? send({ text, values: [...parameters] })
      turn.set(key, row)
      return row as Promise<Row | undefined>
    },
    close: () => pool.end(),
  }
}

/** The pool of one connection. */
function openLookUpPool(options: DatabaseOptions, limits: TimeLimits): pg.Pool {
  const pool = openPool(options, limits, { max: 1, pipeline: true })
  pool.on('connect', (client) => {
    // Every look-up has an index. A plan that was made while its table was small would scan it after it has grown.
    client.query('set enable_seqscan = off').catch(() => undefined)
  })
  return pool
}

/** Makes one write of all that is sent in this turn: it takes as long as a look-up. */
function writeTogether(client: pg.PoolClient): void {
  const stream = streamOf(client)
  if (stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** Lets many queries use one connection of a pool at a time. It goes back to the pool when none is in flight. */
function createSharedClient(pool: pg.Pool) {
  let connecting: Promise<pg.PoolClient> | undefined
  let users = 0
  return {
    async use<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
      users += 1
      connecting ??= pool.connect()
      const current = connecting
      try {
        return await work(await current)
      } finally {
        users -= 1
        if (users === 0) {
          connecting = undefined
          current.then(
            (client) => client.release(),
            () => undefined,
          )
        }
      }
    },
  }
}

/** The names of prepared statements, by their SQL. */
function createStatementNames() {
  const names = new Map<string, string>()
  let count = 0
  return {
    nameOf(text: string): string {
      const known = names.get(text)
      if (known !== undefined) return known
      count += 1
      const name = `look_up_${count}`
      names.set(text, name)
      return name
    },
    /** Makes the server prepare every statement again. */
    rename: () => names.clear(),
  }
}

/** Whether a table of a prepared statement was altered, by a newer version of this program. */
function isPlanOutdated(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '0A000'
}
