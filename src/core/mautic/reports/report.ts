import type { Kysely } from 'kysely'
import { batches } from '../../../kit/batches.ts'
import type { MauticTables } from '../table.ts'

/**
 * The reasons of Mautic's Do not contact list, and their numbers in its API. A contact that is `refused` is not put on the
 * list: it gets a tag.
 */
export const reportReasons = { refused: 0, unsubscribed: 1, bounced: 2, manual: 3 } as const
/** A reason of the list. */
export type ReportReason = Exclude<keyof typeof reportReasons, 'refused'>

/** A contact that a Mautic is not to write to any more, or that it is to tag. */
export interface NewReport {
  mauticId: number
  address: string
  /** The contact that a message was for; null if that is not known. */
  contactId: number | null
  /** The email of the Mautic that the message was of; null if that is not known. */
  emailId: number | null
  reason: keyof typeof reportReasons
  /** Why, such as the words of a server. */
  comments: string
}

/** An address that Mailyard does not write to. */
export interface ReportedSuppression {
  address: string
  /** The brand whose messages it stops; none: those of all. */
  brand?: number | null | undefined
  reason: 'unsubscribed' | 'bounced' | 'complained' | 'manual'
  /** Only email from this domain is stopped; null: all. */
  senderDomain: string | null
  /** Where it comes from; see `sourceOf`. */
  source: string | null
}

/** The source of suppressions that are taken over from a Mautic. They are not reported back to it. */
export function sourceOf(mauticId: number): string {
  return `mautic ${mauticId}`
}

/** Whether a source names a Mautic that is not among these: its connection was deleted. */
export function isSourceGone(source: string, mauticIds: readonly number[]): boolean {
  return /^mautic \d+$/.test(source) && !mauticIds.some((id) => source === sourceOf(id))
}

/** How Mautic lists a suppression, and why. It lists spam complaints as unsubscribed, too. */
const entries: Record<ReportedSuppression['reason'], { reason: ReportReason; why: string }> = {
  unsubscribed: { reason: 'unsubscribed', why: 'the recipient has unsubscribed' },
  complained: { reason: 'unsubscribed', why: 'the recipient has reported an email as spam' },
  bounced: { reason: 'bounced', why: 'the address does not exist' },
  manual: { reason: 'manual', why: 'a person has added it' },
}

/** Returns Mautic's number for the reason of a suppression. */
export function reportReasonOf(reason: ReportedSuppression['reason']): number {
  return reportReasons[entries[reason].reason]
}

/** Returns the report of a suppression to one Mautic; undefined if it comes from there. */
export function reportOf(
  mauticId: number,
  { address, reason, source }: ReportedSuppression,
  { contactId = null, emailId = null }: Partial<Pick<NewReport, 'contactId' | 'emailId'>> = {},
): NewReport | undefined {
  if (source === sourceOf(mauticId)) return undefined
  const entry = entries[reason]
  const from = source === null ? '' : ` (${source})`
  const comments = `Suppressed by Mailyard: ${entry.why}${from}.`
  return { mauticId, address, contactId, emailId, reason: entry.reason, comments }
}

/**
 * Returns the reports of suppressions to the Mautics that they concern: all of them, those of the brand, or those that have sent
 * from the sender domain. Only the Mautic whose message bounced hears of a bounce, from the delivery of that message.
 */
export async function findConcerned(
  db: Kysely<MauticTables>,
  added: readonly ReportedSuppression[],
): Promise<NewReport[]> {
  const suppressions = added.filter(({ reason }) => reason !== 'bounced')
  if (suppressions.length === 0) return []
  const query = db.selectFrom('mautics').select(['id', 'brand_id']).where('is_reporting', '=', true)
  const mautics = await query.execute()
  if (mautics.length === 0) return []
  const scopes = [...new Set(suppressions.flatMap(({ senderDomain }) => senderDomain ?? []))]
  const known = new Set(await readDomains(db, scopes))
  return mautics.flatMap(({ id, brand_id: own }) =>
    suppressions
      .filter(({ brand }) => !brand || brand === own)
      .filter(({ senderDomain: scope }) => scope === null || known.has(`${id} ${scope}`))
      .flatMap((suppression) => reportOf(id, suppression) ?? []),
  )
}

const domainsPerQuery = 500

async function readDomains(
  db: Kysely<MauticTables>,
  domains: readonly string[],
): Promise<string[]> {
  const pairs: string[] = []
  for (const slice of batches(domains, domainsPerQuery)) {
    const query = db.selectFrom('mautic_domains').selectAll().where('domain', 'in', slice)
    pairs.push(...(await query.execute()).map((row) => `${row.mautic_id} ${row.domain}`))
  }
  return pairs
}
