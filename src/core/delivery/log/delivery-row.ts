import type { CompiledQuery, Transaction } from 'kysely'
import { noBrand } from '../../../kit/caller.ts'
import {
  classOfReply,
  type DeliveryResult,
  type RecipientResult,
  type ReplyClass,
} from '../../../libraries/mailer/index.ts'
import { type DeliveryRow, type DeliveryTables, noTransport } from '../table.ts'

/** Creates the row of a delivery that has started; everything that is not known yet is empty. */
export function emptyDelivery(started: {
  source: DeliveryRow['source']
  caller: string
  startedAt: number
  processId: string
}): Omit<DeliveryRow, 'id'> {
  return {
    started_at: started.startedAt,
    duration_ms: null,
    source: started.source,
    caller: started.caller,
    mautic_id: 0,
    brand_id: noBrand,
    is_bulk: false,
    email_id: null,
    contact_id: null,
    sender: '',
    recipient: '',
    recipient_key: '',
    transport_id: noTransport,
    transport: null,
    member: null,
    outcome: 'started',
    reply: null,
    reason: null,
    message_id: null,
    subject: null,
    provider_id: null,
    request_hash: null,
    process_id: started.processId,
    trace: '[]',
  }
}

/** Formats a server's reply as it was received: `550 5.1.1 no such user`. */
export function replyText({ reply }: Pick<RecipientResult, 'reply'>): string | null {
  if (reply === null) return null
  return [String(reply.code), reply.enhancedCode, reply.text]
    .filter((part) => part !== null)
    .join(' ')
}

/** Returns what a refusal or a delay is about. Codes of an HTTP API say nothing of mail. */
export function replyClass({
  reply,
  outcome,
}: Pick<RecipientResult, 'reply' | 'outcome'>): ReplyClass | null {
  if (reply === null || outcome === 'accepted') return null
  return classOfReply((reply.protocol === 'smtp' ? replyText({ reply }) : reply.text) ?? '')
}

/** A PostgreSQL index entry holds 2,700 bytes, and the name of a member list contains all its members. */
const memberLengthMax = 500

/** Returns the member that accepted or refused a message, shortened to fit an index. */
export function memberText({ member }: Pick<DeliveryResult, 'member'>): string {
  return member.length <= memberLengthMax ? member : `${member.slice(0, memberLengthMax)}…`
}

/** Removes what PostgreSQL stores in no text: NUL and lone surrogates. Servers and senders may send both. */
export function storableText(text: string): string {
  return text.includes('\0') || !text.isWellFormed()
    ? text.replaceAll('\0', '').toWellFormed()
    : text
}

/**
 * Runs one statement for many rows; its SQL is compiled once for each number of rows. `changed`: how many rows it has changed, where it
 * returns none.
 */
export type BulkQuery<Row> = (
  tx: Transaction<DeliveryTables>,
  rows: readonly (readonly unknown[])[],
) => Promise<{ rows: Row[]; changed: number }>

/** The most rows of one statement: more rows are not faster. */
const rowsMax = 32

/**
 * Creates a statement whose parameters are the values of its rows, row by row. `build` compiles it for a number of
 * rows of placeholders: compiling it each time would cost more than running it. `tailOf` returns the parameters after those
 * of the rows.
 */
export function createBulkQuery<Row>(
  build: (count: number) => CompiledQuery,
  tailOf: (rows: readonly (readonly unknown[])[]) => unknown[] = () => [],
): BulkQuery<Row> {
  const compiled = new Map<number, CompiledQuery>()
  return async (tx, rows) => {
    const result = { rows: [] as Row[], changed: 0 }
    for (let from = 0; from < rows.length; from += rowsMax) {
      const some = rows.slice(from, from + rowsMax)
      const query = compiled.get(some.length) ?? build(some.length)
      compiled.set(some.length, query)
      const parameters = [...some.flat(), ...tailOf(some)].map(storable)
      const answer = await tx.executeQuery<Row>({ ...query, parameters })
      result.rows.push(...answer.rows)
      result.changed += Number(answer.numAffectedRows ?? 0)
    }
    return result
  }
}

function storable(value: unknown): unknown {
  return typeof value === 'string' ? storableText(value) : value
}
