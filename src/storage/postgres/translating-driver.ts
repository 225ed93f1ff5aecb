import type { CompiledQuery, DatabaseConnection, Driver } from 'kysely'

/** Where what `isLasting` got no answer, nobody knows whether it was done. */
type Translate = (error: unknown, isLasting: boolean) => unknown

/** The same driver, with every error of the database turned into one that the rooms know. */
export function translateErrors(driver: Driver, translate: Translate): Driver {
  const translated = new WeakSet<DatabaseConnection>()
  const inTransaction = new WeakSet<DatabaseConnection>()
  const guard = async <T>(work: () => Promise<T>, isLasting = false) => {
    try {
      return await work()
    } catch (error) {
      throw translate(error, isLasting)
    }
  }
  const guardConnection = (connection: DatabaseConnection): DatabaseConnection => {
    if (translated.has(connection)) return connection
    const executeQuery = connection.executeQuery.bind(connection)
    connection.executeQuery = <Row>(query: CompiledQuery) =>
      guard(() => executeQuery<Row>(query), isLasting(query, inTransaction.has(connection)))
    translated.add(connection)
    return connection
  }
  return {
    init: () => guard(() => driver.init()),
    acquireConnection: async () => guardConnection(await guard(() => driver.acquireConnection())),
    beginTransaction(connection, settings) {
      inTransaction.add(connection)
      return guard(() => driver.beginTransaction(connection, settings))
    },
    commitTransaction: (connection) => guard(() => driver.commitTransaction(connection)),
    // The cause of the rollback is what the caller should see: a lost connection rolls back as well.
    rollbackTransaction: (connection) =>
      driver.rollbackTransaction(connection).catch(() => undefined),
    releaseConnection(connection) {
      inTransaction.delete(connection)
      return driver.releaseConnection(connection)
    },
    destroy: () => driver.destroy(),
  }
}

/** Whether what it does stays when it was done: a commit, or a change outside of any transaction. */
function isLasting({ sql, query: { kind } }: CompiledQuery, isInTransaction: boolean): boolean {
  return sql === 'commit' || (!isInTransaction && changes.has(kind))
}

const changes = new Set(['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode'])
