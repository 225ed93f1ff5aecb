import { type RawBuilder, sql } from 'kysely'

/**
 * A condition for a query: whether bulk email from this domain to an address is suppressed. `column` has the `emailKey` of
 * the address.
 */
export function isSuppressed(column: string, senderDomain: string): RawBuilder<boolean> {
  const key = sql.ref(column)
  // As in `identityKey`.
  return sql<boolean>`exists (select 1 from suppressions where suppressions.identity_key
    in (' ' || ${key}, cast(${`${senderDomain} `} as text) || ${key}))`
}
