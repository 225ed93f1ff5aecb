import {
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import type pg from 'pg'
import { type Translate, translateError, translateErrors } from './errors.ts'

/** Creates Kysely's dialect over a pool. */
export function createDialect(pool: pg.Pool, translate: Translate = translateError): Dialect {
  return {
    createDriver: (): Driver => translateErrors(new PostgresDriver({ pool }), translate),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  }
}
