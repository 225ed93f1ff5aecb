import { hash } from 'node:crypto'
import type { ContactRow, Contacts } from '../../contacts/index.ts'
import { checkTemplatePermission, type EmailRow, type Emails } from '../../emails/index.ts'
import { AppError } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { TwigError } from '../../twig/index.ts'
import type { Deliver, Dispatched } from '../deliver.ts'
import { keyUsed, messageKeyOf } from '../idempotency.ts'
import type { Sendings } from '../jobs/sendings.ts'
import type { Journal } from '../journal/journal.ts'
import type { Earlier } from '../journal/new-delivery.ts'
import {
  composeEmail,
  isEmpty,
  type RenderedEmail,
  renderedEmpty,
} from '../rendering/compose-email.ts'
import { contactDataOf, contactMailbox } from '../rendering/contact-data.ts'
import { findEmailFaults, refusalOf } from '../rendering/email-faults.ts'
import { type EmailRendererOptions, prepareEmail } from '../rendering/email-renderer.ts'
import { createIdentity } from '../rendering/message-identity.ts'
import { findNamedTransport } from '../rendering/named-transport.ts'
import type { FindWay } from '../way/find-way.ts'
import { type ExtraTokens, replaceExtraTokens } from './extra-tokens.ts'

/** Mautic's answer: whether it was sent, and if not, why. */
export type SendAnswer = { success: true } | { success: false; failed: string }

/** One email to one contact. */
export interface SendRequest {
  emailId: number
  contactId: number
  caller: Caller
  tokens: ExtraTokens
  /** The same key never sends twice. */
  idempotencyKey: string | undefined
}

/**
 * Sends one email to one contact, now, and waits for what the server says. Throws an AppError: `not_found` for
 * either, `invalid` for an email that is empty or has tokens that stand for nothing.
 */
export type SendToContact = (request: SendRequest) => Promise<SendAnswer>

/** What sends it. */
export interface SendToContactOptions {
  emails: Pick<Emails, 'getRow' | 'usesTemplates'>
  contacts: Pick<Contacts, 'getRow'>
  deliver: Deliver
  recall: Journal['recall']
  sendings: Pick<Sendings, 'refuseKey' | 'refuseKeyNow'>
  findWay: FindWay
  rendering: EmailRendererOptions
  clock: Clock
}

export function createSendToContact(options: SendToContactOptions): SendToContact {
  const { emails, contacts, deliver, recall, sendings, findWay, rendering, clock } = options
  return async (request) => {
    const { emailId, contactId, caller, tokens, idempotencyKey } = request
    const isKeyed = idempotencyKey !== undefined
    if (isKeyed) await sendings.refuseKey(caller, idempotencyKey)
    const messageKey = isKeyed ? messageKeyOf(caller, idempotencyKey) : null
    const keys = { messageKey, bulkKey: null }
    // What the key did once is told whatever has become of the email and the contact since.
    const [known] = messageKey === null ? [] : await recall([{ address: '', ...keys }])
    if (known !== undefined) return answerKnown(known.earlier, request)
    const email = await emails.getRow(emailId)
    checkTemplatePermission(caller, email, emails.usesTemplates)
    const contact = await contacts.getRow(contactId)
    if (contact.email === null) return failed('The contact has no email address.')
    const refusal = refusalOf(email, await findEmailFaults(email, rendering.sources), tokens)
    if (refusal !== undefined) throw refusal
    const rendered = await tryRender(email, contact, rendering)
    if (typeof rendered === 'string') return failed(rendered)
    const transport = findNamedTransport(rendered.headers)
    const identity = createIdentity(rendered.from.address, clock)
    const dispatched = await deliver({
      source: 'api',
      caller: caller.name,
      emailId,
      contactId,
      sendingId: null,
      requestHash: hashOf(request),
      messageId: identity.messageId,
      message: composeEmail(replaceExtraTokens(rendered, tokens), identity),
      way: await findWay({ transport, emailId, contactId }),
      keysOf: () => keys,
      ...(isKeyed ? { mayLeave: () => sendings.refuseKeyNow(caller, idempotencyKey) } : {}),
    })
    return answer(dispatched, request)
  }
}

function answer({ result, known, missing }: Dispatched, request: SendRequest): SendAnswer {
  const earlier = known[0]?.earlier
  if (earlier !== undefined) return answerKnown(earlier, request)
  if (missing !== undefined) return failed(missing)
  if (result === undefined) throw new Error('A delivery ended without a result.')
  const reason = result.fault?.message ?? ''
  if (result.outcome === 'accepted') return { success: true }
  if (result.outcome === 'uncertain') return failed(`${reason} ${unknownOutcome}`.trim())
  return failed(reason === '' ? 'The message was refused.' : reason)
}

function answerKnown(earlier: Earlier, request: SendRequest): SendAnswer {
  if (earlier.request_hash !== hashOf(request)) throw keyUsed()
  if (earlier.outcome === 'accepted') return { success: true }
  if (earlier.outcome === 'started') throw stillSending()
  return failed(unknownOutcome)
}

const unknownOutcome = 'It is not known whether the message arrived; it is not sent again.'

async function tryRender(
  email: EmailRow,
  contact: ContactRow,
  rendering: EmailRendererOptions,
): Promise<RenderedEmail | string> {
  try {
    const renderer = await prepareEmail(email, rendering)
    const data = contactDataOf(contact)
    const rendered = renderer.render(data, contactMailbox(data))
    return isEmpty(rendered) ? renderedEmpty : rendered
  } catch (error) {
    if (error instanceof TwigError) return `The email cannot be rendered: ${error.message}`
    throw error
  }
}

/** The key is in it, which is written down nowhere: tokens are too short to be hashed by themselves. */
function hashOf({ emailId, contactId, tokens, idempotencyKey }: SendRequest): string | null {
  if (idempotencyKey === undefined) return null
  const sorted = Object.entries(tokens).sort(([one], [other]) => (one < other ? -1 : 1))
  return hash('sha256', JSON.stringify([idempotencyKey, emailId, contactId, sorted]), 'base64')
}

function failed(text: string): SendAnswer {
  return { success: false, failed: text }
}

function stillSending(): AppError {
  const message =
    'The request with this Idempotency-Key is still being sent; ask again in a moment.'
  return new AppError('conflict', 'idempotency_key_busy', message, { retryAfterSeconds: 2 })
}
