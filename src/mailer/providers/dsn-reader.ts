import type { SingleDsn } from '../grammar/dsn.ts'
import { DsnError } from '../grammar/dsn-error.ts'
import { createOptionReader, type OptionReader } from './option-reader.ts'

/** One DSN as a scheme reads it. Values are decoded; the requiring ones throw DsnError. */
export interface DsnReader {
  /** As written, aliases too. */
  readonly scheme: string
  readonly host: string
  /** Whether the host is `default`: the provider's own. */
  readonly hasDefaultHost: boolean
  readonly port: number | undefined
  readonly user: string | undefined
  readonly password: string | undefined
  readonly options: OptionReader
  /** The user part, or an error that says what (`the server token`) goes there. */
  requireUser(what: string): string
  requirePassword(what: string): string
  /** Says something that does not stop the DSN but that its author should know. */
  readonly warn: (sentence: string) => void
}

/** Opens a DSN for reading; warnings go to `warnings`. */
export function createDsnReader(dsn: SingleDsn, warnings: string[]): DsnReader {
  return {
    scheme: dsn.scheme,
    host: dsn.host,
    hasDefaultHost: dsn.host === 'default',
    port: dsn.port,
    user: dsn.user,
    password: dsn.password,
    options: createOptionReader(dsn.options),
    requireUser(what) {
      if (dsn.user !== undefined) return dsn.user
      throw new DsnError(
        'missing_user',
        `The DSN needs ${what} in the user part: ${dsn.scheme}://HERE${dsn.password === undefined ? '' : ':…'}@${dsn.host}.`,
      )
    },
    requirePassword(what) {
      if (dsn.password !== undefined) return dsn.password
      throw new DsnError(
        'missing_password',
        `The DSN needs ${what} in the password part: ${dsn.scheme}://…:HERE@${dsn.host}.`,
      )
    },
    warn: (sentence) => void warnings.push(sentence),
  }
}
