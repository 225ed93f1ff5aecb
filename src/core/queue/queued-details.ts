import Type, { type Static } from 'typebox'
import { AppError } from '../../kit/app-error.ts'
import { type Caller, owns } from '../../kit/caller.ts'
import type { Log } from '../../kit/log.ts'
import { emailKey } from '../../kit/normalize-for-search.ts'
import { Semaphore } from '../../kit/semaphore.ts'
import { nullable } from '../../platform/http/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import {
  deliveryItem,
  findAttempts,
  findContact,
  namedContact,
  presentDeliveries,
  visibleDelivery,
} from '../deliveries/index.ts'
import { type DeliveryTables, findOriginal, unansweredTransport } from '../delivery/index.ts'
import { readShownHeaders, type ShownHeader } from '../mime/index.ts'
import { appliesTo, type QueueAction, queueActions } from './change-queued.ts'
import { findOfSameMessage, type QueuedRow } from './list-queued.ts'
import { type QueuedItem, queuedItem, visibleQueued } from './queue-item.ts'
import type { QueueStore } from './queue-store.ts'
import type { MessageBodies } from './store-message.ts'

const unreadable = 'The stored message cannot be decrypted. The log has the reason.'
const headersHidden = 'You do not have permission to see them (contact:view).'

/** One recipient of a queued message with everything that is known of it but for its body. */
export const queuedDetails = Type.Object({
  message: queuedItem,
  actions: Type.Array(Type.Enum([...queueActions]), {
    description: 'What you can do with it now.',
    examples: [['retry', 'hold', 'cancel']],
  }),
  deliveryId: nullable(Type.Integer(), {
    description: 'The delivery of an uncertain message, at which a person settles it.',
    examples: [null],
  }),
  contact: namedContact,
  headers: Type.Unsafe<ShownHeader[] | null>({
    type: ['array', 'null'],
    items: {
      type: 'object',
      properties: { name: { type: 'string' }, value: { type: 'string' } },
      required: ['name', 'value'],
    },
    description: 'As it was submitted, decoded: the first 200, each up to 2,000 characters.',
    examples: [[{ name: 'Subject', value: 'Your order 4711' }]],
  }),
  headersNote: nullable(Type.String(), {
    description: 'Why there are no headers.',
    examples: [null],
  }),
  recipients: Type.Array(queuedItem, {
    description: 'The other recipients of the message that are in the queue: at most 100.',
  }),
  attempts: Type.Array(deliveryItem, {
    description:
      'What the delivery log has of it, the oldest first: at most 100. Nothing of a message without a Message-ID.',
  }),
})

/** What one recipient is shown with. */
export type QueuedDetails = Omit<Static<typeof queuedDetails>, 'message'>

type Details = Omit<QueuedDetails, 'recipients'> & { recipients: QueuedRow[] }

export interface DetailsReaderOptions {
  storage: Storage
  store: Pick<QueueStore, 'getBody'>
  bodies: Pick<MessageBodies, 'open'>
  log: Log
}

/** Reads what one recipient in the queue is shown with. */
export class DetailsReader {
  readonly #options: DetailsReaderOptions
  /** A body is decrypted as a whole. */
  readonly #turn = new Semaphore({ permits: 1 })

  constructor(options: DetailsReaderOptions) {
    this.#options = options
  }

  /** Throws an AppError (`not_found`) if the message is deleted meanwhile. */
  async read(row: QueuedRow, caller: Caller): Promise<Details> {
    const { storage } = this.#options
    const db = storage.tables<DeliveryTables>()
    const original =
      row.state === 'uncertain' ? await findOriginal(db, [row.message_key]) : undefined
    const recipient_key = emailKey(row.address)
    const message = { ...row, message_id: row.header_id, recipient_key, started_at: row.created_at }
    const attempts = await findAttempts(db, message, caller)
    const contact = await findContact(storage, row, caller)
    return {
      actions: actionsFor(row),
      deliveryId: original?.id ?? null,
      contact: contact === undefined ? null : { id: contact.id, name: contact.name },
      ...(await this.#readHeaders(row, caller)),
      recipients: (await findOfSameMessage(storage, row)).filter((each) =>
        owns(caller, each.brand_id),
      ),
      attempts: await presentDeliveries(storage, attempts, caller),
    }
  }

  async #readHeaders(
    row: QueuedRow,
    caller: Caller,
  ): Promise<Pick<Details, 'headers' | 'headersNote'>> {
    if (!caller.can('contact:view')) return { headers: null, headersNote: headersHidden }
    return this.#turn.run(async () => {
      const { store, bodies, log } = this.#options
      const sealed = await store.getBody(row.message_id)
      try {
        return { headers: readShownHeaders(await bodies.open(sealed)), headersNote: null }
      } catch (err) {
        // The database has the keys too.
        if (err instanceof AppError && err.kind === 'upstream') throw err
        log.warn({ err, queueId: row.message_id }, 'queued message not decrypted')
        return { headers: null, headersNote: unreadable }
      }
    })
  }
}

/** The actions that apply to a recipient. A person may hold what a brake holds. */
function actionsFor({ state, brake_id, transport_id }: QueuedRow): QueueAction[] {
  return queueActions.filter((action) => {
    if (action === 'sendUnanswered' && transport_id !== unansweredTransport) return false
    const isBraked = action === 'hold' && state === 'held' && brake_id !== null
    return appliesTo[action].includes(state) || isBraked
  })
}

/** Returns what the caller may see and do. The headers are those that were read for this caller. */
export function visibleDetails(
  { message, ...details }: QueuedDetails & { message: QueuedItem },
  caller: Caller,
): Static<typeof queuedDetails> {
  return {
    ...details,
    message: visibleQueued(message, caller),
    actions: caller.can('queue:edit') ? details.actions : [],
    contact: caller.can('contact:view') ? details.contact : null,
    recipients: details.recipients.map((item) => visibleQueued(item, caller)),
    attempts: details.attempts.map((item) => visibleDelivery(item, caller)),
  }
}
