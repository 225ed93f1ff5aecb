import { type Kysely, sql } from 'kysely'
import type { DeliveryResult, RecipientResult } from '../../mailer/index.ts'
import type { Statements } from '../../storage/index.ts'
import type { DeliveryTables } from '../table.ts'
import { createBulkQuery } from './bulk-query.ts'
import { memberText, replyText } from './reply-text.ts'

/** What became of deliveries that were begun. */
export interface Ending {
  begun: readonly { id: number; address: string }[]
  result: DeliveryResult
}

/** Writes endings down. */
export function createFinishDeliveries(db: Kysely<DeliveryTables>) {
  const keep = createFinish(db, false)
  // What was refused may be handed in again. The others' keys are not touched, nor the indexes on them.
  const release = createFinish(db, true)
  return function* (endings: readonly Ending[]): Statements<undefined[]> {
    const ended = endings.flatMap(recipientsOf)
    const isRefused = ({ recipient }: Ended) => recipient.outcome === 'refused'
    yield* keep(ended.filter((each) => !isRefused(each)).map(valuesOf))
    yield* release(ended.filter(isRefused).map(valuesOf))
    return endings.map(() => undefined)
  }
}

interface Ended {
  id: number
  recipient: RecipientResult
  result: DeliveryResult
}

function recipientsOf({ begun, result }: Ending): Ended[] {
  const byAddress = new Map(result.recipients.map((recipient) => [recipient.address, recipient]))
  const { outcome, reply, isPermanent } = result
  return begun.map(({ id, address }) => ({
    id,
    result,
    recipient: byAddress.get(address) ?? { address, outcome, reply, isPermanent },
  }))
}

/** In the order of the columns of `ended`. */
function valuesOf({ id, recipient, result }: Ended): unknown[] {
  return [
    id,
    recipient.outcome,
    Math.round(result.durationMs),
    memberText(result),
    recipient.isPermanent,
    replyText(recipient),
    recipient.outcome === 'accepted' ? null : (result.fault?.message ?? null),
    result.messageId,
  ]
}

/** Types are told: PostgreSQL does not look for them where the values are used. */
function placeholders() {
  return sql`(cast(${0} as bigint), cast(${''} as text), cast(${0} as bigint), cast(${''} as text),
    cast(${true} as boolean), cast(${''} as text), cast(${''} as text), cast(${''} as text))`
}

function createFinish(db: Kysely<DeliveryTables>, isReleased: boolean) {
  const keys = isReleased ? sql`, message_key = null, bulk_key = null` : sql``
  return createBulkQuery<never>((count) => {
    const rows = sql.join(Array.from({ length: count }, placeholders))
    return sql`
      with ended (id, outcome, duration_ms, member, is_permanent, reply, reason, provider_id)
        as (values ${rows})
      update deliveries set outcome = ended.outcome, duration_ms = ended.duration_ms,
        member = ended.member, is_permanent = ended.is_permanent, reply = ended.reply,
        reason = ended.reason, provider_id = ended.provider_id ${keys}
      from ended where deliveries.id = ended.id
        -- An operator may have decided meanwhile, where this process was taken for dead.
        and deliveries.outcome in ('started', 'uncertain')`.compile(db)
  })
}
