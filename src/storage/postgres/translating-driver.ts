import type { CompiledQuery, DatabaseConnection, Driver } from 'kysely'

/** The same driver, with every error of the database turned into one that the rooms know. */
export function translateErrors(driver: Driver, translate: (error: unknown) => unknown): Driver {
  const translated = new WeakSet<DatabaseConnection>()
  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw translate(error)
    }
  }
  const guardConnection = (connection: DatabaseConnection): DatabaseConnection => {
    if (translated.has(connection)) return connection
    const executeQuery = connection.executeQuery.bind(connection)
    connection.executeQuery = <Row>(query: CompiledQuery) => guard(() => executeQuery<Row>(query))
    translated.add(connection)
    return connection
  }
  return {
    init: () => guard(() => driver.init()),
    acquireConnection: async () => guardConnection(await guard(() => driver.acquireConnection())),
    beginTransaction: (connection, settings) =>
      guard(() => driver.beginTransaction(connection, settings)),
    commitTransaction: (connection) => guard(() => driver.commitTransaction(connection)),
    // The cause of the rollback is what the caller should see: a lost connection rolls back as well.
    rollbackTransaction: (connection) =>
      driver.rollbackTransaction(connection).catch(() => undefined),
    releaseConnection: (connection) => driver.releaseConnection(connection),
    destroy: () => driver.destroy(),
  }
}
