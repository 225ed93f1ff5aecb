import type { OfBrand } from '../../kit/caller.ts'
import { startStopwatch } from '../../kit/clock.ts'
import { createLog } from '../../kit/log.ts'
import { pause } from '../../kit/pause.ts'
import { type EndingLogin, inspectDsn } from '../../libraries/mailer/index.ts'
import { openStoredDsns, type StoredDsnsOptions } from './stored-dsns.ts'
import type { TransportRow, TransportTables } from './table.ts'

/** A transport with log-ins that stop working. */
export interface EndingTransport extends Pick<TransportRow, 'id' | 'name' | 'brand_id'> {
  isPublished: boolean
  logins: readonly EndingLogin[]
}

/** What the stored DSNs show. */
export interface StoredDsnReport {
  /** The transports whose DSN cannot be decrypted. */
  unreadable: Pick<TransportRow, 'id' | 'name' | 'brand_id'>[]
  /** By id. */
  ending: EndingTransport[]
  /** How many DSNs were read. */
  checked: number
  /** Whether these were all. */
  isComplete: boolean
}

const rowsPerPage = 200

/**
 * Reads the DSNs of all transports, in pages: which cannot be decrypted, and which have log-ins that stop working. Reads as many
 * as it can in `timeMs`; default: all.
 */
export async function examineStoredDsns(
  { storage, keyring }: Pick<StoredDsnsOptions, 'storage' | 'keyring'>,
  { timeMs = Number.POSITIVE_INFINITY }: { timeMs?: number | undefined } = {},
): Promise<StoredDsnReport> {
  const { find } = openStoredDsns({ storage, keyring, log: createLog('silent') })
  const report: StoredDsnReport = { unreadable: [], ending: [], checked: 0, isComplete: false }
  const elapsedMs = startStopwatch()
  for (let after = 0; ; ) {
    const rows = await storage
      .tables<TransportTables>()
      .selectFrom('transports')
      .select(['id', 'name', 'brand_id', 'is_published', 'mailer_dsn'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(rowsPerPage)
      .execute()
    const dsns = await find(rows)
    rows.forEach(({ id, name, brand_id, is_published: isPublished }, index) => {
      const dsn = dsns[index]
      const logins = dsn === undefined ? [] : findLogins(dsn)
      if (dsn === undefined) report.unreadable.push({ id, name, brand_id })
      else if (logins.length > 0)
        report.ending.push({ id, name, brand_id, isPublished: Boolean(isPublished), logins })
    })
    report.checked += rows.length
    after = rows.at(-1)?.id ?? 0
    if (rows.length < rowsPerPage) return { ...report, isComplete: true }
    if (elapsedMs() > timeMs) return report
    await pause()
  }
}

/** Reads the DSNs of some published transports; those that cannot be decrypted are left out. */
export async function readDsns(
  { storage, keyring }: Pick<StoredDsnsOptions, 'storage' | 'keyring'>,
  ids: readonly number[],
): Promise<(OfBrand & { id: number; name: string; dsn: string })[]> {
  const { find } = openStoredDsns({ storage, keyring, log: createLog('silent') })
  const rows = await storage
    .tables<TransportTables>()
    .selectFrom('transports')
    .select(['id', 'name', 'brand_id', 'mailer_dsn'])
    .where(storage.isAmong('id', ids))
    .where('is_published', '=', true)
    .orderBy('id')
    .execute()
  const dsns = await find(rows)
  return rows.flatMap(({ id, name, brand_id }, index) => {
    const dsn = dsns[index]
    return dsn === undefined ? [] : [{ id, name, brand_id, dsn }]
  })
}

/** Settings may forbid now what they allowed when the DSN was saved; that is a warning of the transport. */
function findLogins(dsn: string): readonly EndingLogin[] {
  const inspection = inspectDsn(dsn, { hasCommand: true, hasInbox: true })
  return inspection.valid ? inspection.endingLogins : []
}
