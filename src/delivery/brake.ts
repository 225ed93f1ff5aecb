import { type RawBuilder, sql } from 'kysely'
import type { Storage } from '../storage/index.ts'

// A brake pauses what is refused too often: a broadcast, or the bulk messages of one sender domain through one transport. A
// person looks and continues.

/** So many attempts are needed before a brake pauses anything. */
const attemptsMin = 50
/** It pauses when one in so many attempts is refused for good. */
const refusedOneIn = 5
/** From so many attempts on, older ones count half: what happens now decides. */
const attemptsMax = 1_000

/** The attempts that a brake counts, since its start or since a person continued. */
export interface BrakeCount {
  attempts: number
  /** Those that were refused for good. */
  refused: number
}

/** A brake that has paused something. */
export interface Brake extends BrakeCount {
  /** Milliseconds since the epoch. */
  brakedAt: number
}

/** The count with further attempts, and whether it pauses what it belongs to, for the columns `brake_attempts` and `brake_refused` of a table. */
export function brakeColumns(
  table: string,
  more: BrakeCount,
): { attempts: RawBuilder<number>; refused: RawBuilder<number>; isBraking: RawBuilder<boolean> } {
  const [attemptsBefore, refusedBefore] = ['brake_attempts', 'brake_refused'].map((column) =>
    sql.ref(`${table}.${column}`),
  )
  const sum = (before: RawBuilder<unknown> | undefined, added: number) => sql<number>`(
    case when ${attemptsBefore} >= ${sql.lit(attemptsMax)} then ${before} / 2 else ${before} end
    + ${sql.lit(added)})`
  const attempts = sum(attemptsBefore, more.attempts)
  const refused = sum(refusedBefore, more.refused)
  return {
    attempts,
    refused,
    isBraking: sql`(${attempts} >= ${sql.lit(attemptsMin)}
      and ${refused} * ${sql.lit(refusedOneIn)} >= ${attempts})`,
  }
}

/** Says why something is paused: `58 of 60 attempts were refused for good (97 %).` */
export function describeBrake({ attempts, refused }: BrakeCount): string {
  const percent = Math.round((refused / Math.max(attempts, 1)) * 100)
  return `${refused} of ${attempts} attempts were refused for good (${percent} %).`
}

/** Counts the broadcasts and the groups of bulk messages that their brakes hold now. */
export async function countBrakes(storage: Storage): Promise<{ broadcast: number; bulk: number }> {
  const { rows } = await sql<{ broadcast: number | string; bulk: number | string }>`select
    (select count(*) from broadcasts where state = 'paused' and braked_at is not null) as broadcast,
    (select count(*) from queue_brakes where braked_at is not null) as bulk`.execute(
    storage.tables<unknown>(),
  )
  return { broadcast: Number(rows[0]?.broadcast ?? 0), bulk: Number(rows[0]?.bulk ?? 0) }
}
