import { DsnError } from '../../grammar/dsn-error.ts'
import type { DsnReader } from '../dsn-reader.ts'

/** The API key, which is the user part. Throws DsnError where the word "apikey" stands in its place. */
export function sendgridKey(dsn: DsnReader): string {
  // Symfony takes the word for the key, and every log-in fails.
  if (dsn.user === 'apikey' && dsn.password !== undefined)
    throw new DsnError(
      'misplaced_key',
      `The API key goes in the user part, without "apikey": ${dsn.scheme}://KEY@default.`,
    )
  return dsn.requireUser('the API key')
}
