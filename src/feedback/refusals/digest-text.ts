import type { DeliveryRow } from '../../delivery/index.ts'
import { outcomes } from '../../delivery/index.ts'
import { oneLine } from '../../kit/one-line.ts'
import { splitReply } from './refusal-item.ts'

/** Refusals of one email for one reason. */
interface RefusalGroup {
  emailId: number | null
  /** The reason of the newest of them. */
  reason: string
  count: number
}

type RefusedRow = Pick<DeliveryRow, 'email_id' | 'outcome' | 'reply' | 'reason'>

/** Sums up refusals by email and reason. */
export class RefusalSummary {
  readonly #groups = new Map<string, RefusalGroup>()
  count = 0

  add(row: RefusedRow): void {
    const { code, status } = splitReply(row.reply)
    const key = JSON.stringify([row.email_id, row.outcome, code, status])
    const count = (this.#groups.get(key)?.count ?? 0) + 1
    this.#groups.set(key, { emailId: row.email_id, reason: describeReason(row), count })
    this.count += 1
  }

  /** Returns the groups, the largest first. */
  groups(): RefusalGroup[] {
    return [...this.#groups.values()].sort((one, other) => other.count - one.count)
  }
}

const reasonLengthMax = 200
const nameLengthMax = 40

function describeReason({ outcome, reply, reason }: RefusedRow): string {
  const { label, meaning } = outcomes[outcome]
  const words = outcome === 'refused' ? (reply ?? reason) : null
  return `${label}: ${oneLine(words ?? meaning, reasonLengthMax)}`
}

/** What a digest says besides the refusals. */
export interface DigestFacts {
  /** The name of the Mautic. */
  mautic: string
  /** The names of its emails, by id. */
  emailNames: ReadonlyMap<number, string>
  /** When the messages started, in milliseconds since the epoch. */
  after: number
  until: number
  /** Where all of them are listed; undefined without a public URL. */
  url: string | undefined
}

const linesMax = 100

/** Writes the digest of refusals: its subject, and a table with the most frequent ones first. */
export function writeDigest(
  summary: RefusalSummary,
  { mautic, emailNames, after, until, url }: DigestFacts,
): { subject: string; text: string } {
  const groups = summary.groups()
  const messages = summary.count === 1 ? 'message' : 'messages'
  const were = summary.count === 1 ? 'was' : 'were'
  const rows = groups.slice(0, linesMax).map(({ emailId, reason, count }) => {
    return [String(count), emailText(emailId, emailNames), reason] as const
  })
  const more = groups.length - linesMax
  const blocks = [
    `${summary.count} ${messages} of the Mautic "${mautic}" ${were} not delivered, or perhaps not.\r\n` +
      `Time: ${formatTime(after)} to ${formatTime(until)} UTC.`,
    formatRows([['Messages', 'Email', 'Reason'], ...rows]),
    ...(more > 0 ? [`and ${more} more ${more === 1 ? 'line' : 'lines'}.`] : []),
    ...(url === undefined ? [] : [`All of them: ${url}`]),
  ]
  return {
    subject: `${summary.count} refused ${messages} of the Mautic "${mautic}"`,
    text: `${blocks.join('\r\n\r\n')}\r\n`,
  }
}

function emailText(id: number | null, names: ReadonlyMap<number, string>): string {
  return id === null ? '-' : oneLine(`${id} ${names.get(id) ?? ''}`, nameLengthMax)
}

/** `2026-01-31 06:00` */
function formatTime(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 16).replace('T', ' ')
}

function formatRows(rows: readonly (readonly [string, string, string])[]): string {
  const width = (column: 0 | 1) => Math.max(...rows.map((row) => row[column].length))
  const [counts, emails] = [width(0), width(1)]
  return rows
    .map(
      ([count, email, reason]) => `${count.padStart(counts)}  ${email.padEnd(emails)}  ${reason}`,
    )
    .join('\r\n')
}
