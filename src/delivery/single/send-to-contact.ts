import { hash } from 'node:crypto'
import type { ContactRow, Contacts } from '../../contacts/index.ts'
import { checkTemplatePermission, type EmailRow, type Emails } from '../../emails/index.ts'
import { AppError } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { TwigError } from '../../twig/index.ts'
import type { Broadcasts } from '../broadcasts/broadcasts.ts'
import type { Deliver, DeliverReport } from '../deliver.ts'
import { keyUsed, messageKeyOf } from '../idempotency.ts'
import { addUnsubscribeHeaders } from '../links/unsubscribe-headers.ts'
import type { DeliveryLog } from '../log/delivery-log.ts'
import type { OriginalDelivery } from '../log/start-attempts.ts'
import {
  composeEmail,
  createIdentity,
  isEmpty,
  type RenderedEmail,
  renderedEmpty,
} from '../rendering/compose-email.ts'
import { contactDataOf, contactMailbox } from '../rendering/contact-data.ts'
import { findEmailFaults, refusalOf } from '../rendering/email-faults.ts'
import { type EmailRendererOptions, prepareEmail } from '../rendering/email-renderer.ts'
import { linkValues } from '../rendering/link-tokens.ts'
import { findNamedTransport } from '../rendering/named-transport.ts'
import { escapeHtml, type RenderContext } from '../rendering/text-renderer.ts'
import type { ResolveRoute } from '../routing/resolve-route.ts'

/** Mautic's answer: whether the email was sent, and if not, why. */
export type SendAnswer = { success: true } | { success: false; failed: string }

export interface SendRequest {
  emailId: number
  contactId: number
  caller: Caller
  tokens: ExtraTokens
  /** A request with the same key is sent once. */
  idempotencyKey: string | undefined
}

/**
 * Sends one email to one contact and waits for the server's answer. Throws an AppError: `not_found` for the email or
 * the contact, `invalid` for an email that is empty or has unknown tokens.
 */
export type SendToContact = (request: SendRequest) => Promise<SendAnswer>

export interface SendToContactOptions {
  emails: Pick<Emails, 'getRow' | 'usesTemplates'>
  contacts: Pick<Contacts, 'getRow'>
  deliver: Deliver
  deliveryLog: Pick<DeliveryLog, 'findDuplicates'>
  broadcasts: Pick<Broadcasts, 'checkKey' | 'checkKeyLocked'>
  resolveRoute: ResolveRoute
  rendering: EmailRendererOptions
  clock: Clock
}

export function createSendToContact(options: SendToContactOptions): SendToContact {
  const { emails, contacts, deliver, deliveryLog, broadcasts } = options
  const { resolveRoute, rendering, clock } = options
  return async (request) => {
    const { emailId, contactId, caller, tokens, idempotencyKey } = request
    const isKeyed = idempotencyKey !== undefined
    if (isKeyed) await broadcasts.checkKey(caller, idempotencyKey)
    const messageKey = isKeyed ? messageKeyOf(caller, idempotencyKey) : null
    const keys = { messageKey, bulkKey: null }
    // A repeated request gets its first answer, even if the email or the contact were changed since.
    const [duplicate] =
      messageKey === null ? [] : await deliveryLog.findDuplicates([{ address: '', ...keys }])
    if (duplicate !== undefined) return answerDuplicate(duplicate.original, request)
    const email = await emails.getRow(emailId)
    checkTemplatePermission(caller, email, emails.usesTemplates)
    const contact = await contacts.getRow(contactId)
    if (contact.email === null) return failed('The contact has no email address.')
    const refusal = refusalOf(email, await findEmailFaults(email, rendering), tokens)
    if (refusal !== undefined) throw refusal
    const from = email.from_address ?? rendering.defaultFrom
    const facts = { address: contact.email, from, emailId, contactId, broadcastId: null }
    const links = rendering.links?.of(facts)
    const linkOf = linkValues(links, Object.keys(tokens))
    const body = await tryRender({ email, contact, linkOf }, rendering)
    if (typeof body === 'string') return failed(body)
    // One-click is for broadcasts: a single send is often asked for.
    const rendered = addUnsubscribeHeaders(body, links, { isOneClick: false })
    const transport = findNamedTransport(rendered.headers)
    const identity = createIdentity(rendered.from.address, clock)
    const report = await deliver({
      source: 'api',
      caller: caller.name,
      emailId,
      contactId,
      broadcastId: null,
      requestHash: hashOf(request),
      messageId: identity.messageId,
      message: composeEmail(replaceExtraTokens(rendered, tokens), identity),
      route: await resolveRoute({ transport, emailId, contactId }),
      keysOf: () => keys,
      ...(isKeyed ? { beforeSend: () => broadcasts.checkKeyLocked(caller, idempotencyKey) } : {}),
    })
    return answer(report, request)
  }
}

function answer(report: DeliverReport, request: SendRequest): SendAnswer {
  const [duplicate] = report.duplicates
  return duplicate === undefined ? answerOf(report) : answerDuplicate(duplicate.original, request)
}

/** The answer to a message to one recipient, who is no duplicate. */
export function answerOf({ result, problem, suppressed }: DeliverReport): SendAnswer {
  if (suppressed[0] !== undefined) return failed(suppressed[0].reason)
  if (problem !== undefined) return failed(problem)
  if (result === undefined) throw new Error('The delivery has no result.')
  const reason = result.fault?.message ?? ''
  if (result.outcome === 'accepted') return { success: true }
  if (result.outcome === 'uncertain') return failed(`${reason} ${unknownOutcome}`.trim())
  return failed(reason === '' ? 'The message was refused.' : reason)
}

function answerDuplicate(original: OriginalDelivery, request: SendRequest): SendAnswer {
  if (original.request_hash !== hashOf(request)) throw keyUsed()
  if (original.outcome === 'accepted') return { success: true }
  if (original.outcome === 'started') throw stillSending()
  return failed(unknownOutcome)
}

const unknownOutcome = 'It is not known whether the message arrived; it is not sent again.'

async function tryRender(
  {
    email,
    contact,
    linkOf,
  }: { email: EmailRow; contact: ContactRow } & Pick<RenderContext, 'linkOf'>,
  rendering: EmailRendererOptions,
): Promise<RenderedEmail | string> {
  try {
    const renderer = await prepareEmail(email, rendering)
    const data = contactDataOf(contact)
    const rendered = renderer.render(data, contactMailbox(data), linkOf)
    return isEmpty(rendered) ? renderedEmpty : rendered
  } catch (error) {
    if (error instanceof TwigError) return `The email cannot be rendered: ${error.message}`
    throw error
  }
}

/** The hash includes the key, which is stored nowhere: tokens alone are short enough to be guessed from a hash. */
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

/** Additional tokens of one send, as in Mautic, by name; braces are optional. */
export type ExtraTokens = Readonly<Record<string, string>>

/**
 * Replaces the additional tokens in a rendered email; their names are case-insensitive. Values are text, as in
 * Mautic: in HTML they are escaped.
 */
export function replaceExtraTokens(email: RenderedEmail, tokens: ExtraTokens): RenderedEmail {
  const names = Object.keys(tokens)
  if (names.length === 0) return email
  const values = new Map(names.map((name) => [bare(name).toLowerCase(), tokens[name] ?? '']))
  const alternatives = names.map((name) => bare(name).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const pattern = new RegExp(`\\{(${alternatives.join('|')})\\}`, 'gi')
  const replaceWith = (write: (value: string) => string) => (text: string) =>
    text.replace(pattern, (whole, name: string) => {
      const value = values.get(name.toLowerCase())
      return value === undefined ? whole : write(value)
    })
  const replace = replaceWith((value) => value)
  const replaceInHtml = replaceWith(escapeHtml)
  return {
    ...email,
    subject: replace(email.subject),
    html: email.html === null ? null : replaceInHtml(email.html),
    text: email.text === null ? null : replace(email.text),
  }
}

function bare(name: string): string {
  return name.replace(/^\{/, '').replace(/\}$/, '')
}
