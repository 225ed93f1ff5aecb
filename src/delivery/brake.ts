import { type RawBuilder, sql } from 'kysely'
import type { Storage } from '../storage/index.ts'
import type { PublishedEvent } from '../webhooks/index.ts'
import type { EventExcess, EventKind } from './event-rate.ts'

// A brake pauses what is refused, bounces or is complained about too often: the bulk messages of one sender domain through one
// transport. A person looks and continues.

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

/** What a brake has paused something for. */
export const brakeKinds = ['refusals', 'bounces', 'complaints'] as const
export type BrakeKind = (typeof brakeKinds)[number]

/** Why a brake has paused something. Its attempts are counted in any case. */
export interface BrakeReason extends BrakeCount {
  kind: BrakeKind
  /** How many of the last accepted messages bounced or were complained about, and how many were looked at; null if it paused for refusals. */
  events: number | null
  accepted: number | null
}

/** A brake that has paused something. */
export interface Brake extends BrakeReason {
  /** Milliseconds since the epoch. */
  brakedAt: number
}

/** The columns of a brake, in `queue_brakes`. */
export interface BrakeRow {
  brake_attempts: number
  brake_refused: number
  /** When it paused; null unless it did. */
  braked_at: number | null
  /** What for; null before it paused, and if it paused in an earlier version: that was for refusals. */
  brake_kind: BrakeKind | null
  brake_events: number | null
  brake_accepted: number | null
  /** When a person continued; null if none did. Events of messages that were accepted before do not count. */
  continued_at: number | null
}

/** The brake of a row; undefined unless it has paused something. */
export function brakeOf(row: BrakeRow): Brake | undefined {
  if (row.braked_at === null) return undefined
  return {
    brakedAt: row.braked_at,
    attempts: row.brake_attempts,
    refused: row.brake_refused,
    kind: row.brake_kind ?? 'refusals',
    events: row.brake_events,
    accepted: row.brake_accepted,
  }
}

/** The columns of a brake that pauses for events. */
export function brakedByEvents(excess: EventExcess, now: number) {
  const { kind, events, accepted } = excess
  return { braked_at: now, brake_kind: kind, brake_events: events, brake_accepted: accepted }
}

/** The columns of a brake that pauses for refusals. */
export function brakedByRefusals(now: number) {
  return {
    braked_at: now,
    brake_kind: 'refusals' as const,
    brake_events: null,
    brake_accepted: null,
  }
}

/** The columns of a brake once a person has continued: it counts from here. */
export function continuedBrake(now: number): BrakeRow {
  return {
    brake_attempts: 0,
    brake_refused: 0,
    braked_at: null,
    brake_kind: null,
    brake_events: null,
    brake_accepted: null,
    continued_at: now,
  }
}

/** The count with further attempts, for the columns `brake_attempts` and `brake_refused` of a table. */
export function brakeColumns(
  table: string,
  more: BrakeCount,
): { attempts: RawBuilder<number>; refused: RawBuilder<number> } {
  const [attemptsBefore, refusedBefore] = ['brake_attempts', 'brake_refused'].map((column) =>
    sql.ref(`${table}.${column}`),
  )
  const sum = (before: RawBuilder<unknown> | undefined, added: number) => sql<number>`(
    case when ${attemptsBefore} >= ${sql.lit(attemptsMax)} then ${before} / 2 else ${before} end
    + ${sql.lit(added)})`
  return { attempts: sum(attemptsBefore, more.attempts), refused: sum(refusedBefore, more.refused) }
}

/** Whether the brake of a row has counted so many refusals that it pauses. */
export function isRefusedTooOften(table: string): RawBuilder<boolean> {
  const attempts = sql.ref(`${table}.brake_attempts`)
  const refused = sql.ref(`${table}.brake_refused`)
  return sql`(${attempts} >= ${sql.lit(attemptsMin)}
    and ${refused} * ${sql.lit(refusedOneIn)} >= ${attempts})`
}

/** Says why something is paused: `58 of 60 attempts were refused for good (97 %).` */
export function describeBrake({ attempts, refused, kind, events, accepted }: BrakeReason): string {
  if (kind === 'refusals') {
    const percent = Math.round((refused / Math.max(attempts, 1)) * 100)
    return `${refused} of ${attempts} attempts were refused for good (${percent} %).`
  }
  return describeExcess({ kind, events: events ?? 0, accepted: accepted ?? 0 })
}

/** Says it of events: `83 of the last 1,000 accepted messages bounced (8.3 %).` */
function describeExcess({ kind, events, accepted }: EventExcess): string {
  const happened: Record<EventKind, string> = {
    bounces: 'bounced',
    complaints: 'were complained about',
  }
  const percent = ((events / Math.max(accepted, 1)) * 100).toFixed(1)
  const all = accepted.toLocaleString('en-US')
  return `${events} of the last ${all} accepted messages ${happened[kind]} (${percent} %).`
}

/** The event that tells what a brake has paused. */
export function brakeEvent(
  brake: BrakeReason,
  { cause, paused, data }: { cause: string; paused: string; data: object },
): PublishedEvent {
  const message = `${paused}: ${describeBrake(brake)} Find out why, then continue or cancel.`
  return { type: 'brake.applied', cause, data: { ...data, message } }
}

/** Counts the groups of bulk messages that their brakes hold now. */
export async function countBrakes(storage: Storage): Promise<number> {
  const { rows } = await sql<{ count: number | string }>`
    select count(*) as count from queue_brakes where braked_at is not null`.execute(
    storage.tables<unknown>(),
  )
  return Number(rows[0]?.count ?? 0)
}
