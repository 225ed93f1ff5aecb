import { ConstraintError, databaseUnavailable } from '../storage-error.ts'

/** Primary result codes, the low byte of what SQLite reports (https://www.sqlite.org/rescode.html). */
const primary = {
  busy: 5,
  locked: 6,
  noMemory: 7,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  protocol: 15,
  constraint: 19,
  notADatabase: 26,
} as const

const extended = { foreignKey: 787, primaryKey: 1555, unique: 2067 } as const

const unavailable = new Map<number, string>([
  [primary.busy, 'another process holds its write lock'],
  [primary.locked, 'it is locked'],
  [primary.noMemory, 'out of memory'],
  [primary.readOnly, 'its file or folder is read-only'],
  [primary.ioError, 'its disk reports an error'],
  [primary.corrupt, 'its file is damaged'],
  [primary.full, 'its disk is full'],
  [primary.cantOpen, 'its file cannot be opened'],
  [primary.protocol, 'its lock is not available'],
  [primary.notADatabase, 'its file is not a SQLite database'],
])

/** The result code of an error of `node:sqlite`; undefined for any other error. */
export function resultCode(error: unknown): number | undefined {
  const isSqlite = error instanceof Error && 'errcode' in error
  return isSqlite && typeof error.errcode === 'number' ? error.errcode : undefined
}

/** Whether another connection holds the lock, so that waiting may help. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error)
  return code !== undefined && (code & 0xff) === primary.busy
}

/** Whether the connection itself may be unusable, so that the next query should open another. */
export function isBrokenConnection(error: unknown): boolean {
  const broken: number[] = [primary.ioError, primary.corrupt, primary.cantOpen, primary.readOnly]
  const code = resultCode(error)
  return code !== undefined && (broken.includes(code & 0xff) || code === primary.notADatabase)
}

/** Turns an error of `node:sqlite` into one that other modules know. */
export function translateError(error: unknown): unknown {
  const code = resultCode(error)
  if (code === undefined) return error
  if (code === extended.foreignKey) return new ConstraintError('foreign_key', [], error)
  if (code === extended.unique || code === extended.primaryKey) {
    return new ConstraintError('unique', constrainedColumns((error as Error).message), error)
  }
  const reason = unavailable.get(code & 0xff)
  return reason === undefined ? error : databaseUnavailable(reason, error)
}

/** From `UNIQUE constraint failed: users.username, users.email`. */
function constrainedColumns(message: string): string[] {
  const list = message.slice(message.lastIndexOf(': ') + 2)
  return list.split(', ').map((name) => name.slice(name.indexOf('.') + 1))
}
