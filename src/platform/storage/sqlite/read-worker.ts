import { parentPort, workerData } from 'node:worker_threads'
import { OutOfTime, SqliteConnection } from './connection.ts'
import { resultCode } from './errors.ts'
import type { ReadAnswer, ReadRequest } from './read-thread.ts'

// The thread that `ReadThread` starts for one file.

const path = workerData as string
let connection: SqliteConnection | undefined

/** The connection; a new one where the file was replaced. */
function connect(): SqliteConnection {
  try {
    connection?.checkFile()
  } catch {
    connection?.close()
    connection = undefined
  }
  connection ??= new SqliteConnection(path, { canCreate: false })
  return connection
}

function read({ sql, parameters, timeMs }: ReadRequest): ReadAnswer {
  try {
    return { rows: connect().runWithin<unknown>({ sql, parameters }, timeMs).rows }
  } catch (error) {
    if (error instanceof OutOfTime) return { isOutOfTime: true }
    return { message: (error as Error).message, errcode: resultCode(error) }
  }
}

parentPort?.on('message', (request: ReadRequest) => parentPort?.postMessage(read(request)))
