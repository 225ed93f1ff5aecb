import { hash, randomUUID } from 'node:crypto'
import { type Caller, callerKey } from '../../../kit/caller.ts'
import type { Clock } from '../../../kit/clock.ts'
import type { Log } from '../../../kit/log.ts'
import type { Message } from '../../../libraries/mailer/index.ts'
import { TwigError } from '../../../libraries/twig/index.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import { brandOfSender, type CheckSender } from '../../brands/index.ts'
import type { ContactRow, Contacts } from '../../contacts/index.ts'
import {
  type DeliveryLog,
  type RecipientReport,
  type RenderedEmailFacts,
  readSubmission,
  replyLine,
  type Submission,
  submitterOf,
} from '../../delivery/index.ts'
import {
  addUnsubscribeHeader,
  checkTemplatePermission,
  composeEmail,
  contactMailbox,
  createIdentity,
  type EmailRendererOptions,
  type EmailRow,
  type Emails,
  findEmailFaults,
  findNamedTransport,
  isEmpty,
  isLargeEmail,
  linksTo,
  linkValues,
  type RenderedEmail,
  refusalOf,
  renderEmail,
  renderedEmpty,
  takeTurn,
} from '../../emails/index.ts'
import { storedSubject } from '../../mime/index.ts'
import { type FirstAttempt, findQueuedByKey } from '../../queue/index.ts'
import { type ExtraTokens, replaceExtraTokens } from './extra-tokens.ts'
import {
  answerDuplicate,
  answerReport,
  checkSameRequest,
  failed,
  type SendAnswer,
} from './single-answers.ts'

export interface SendRequest {
  emailId: number
  contactId: number
  caller: Caller
  tokens: ExtraTokens
  /** A request with the same key is sent once. */
  idempotencyKey: string | undefined
}

export interface ContactSenderOptions {
  storage: Storage
  firstAttempt: Pick<FirstAttempt, 'attemptOrStore'>
  log: Log
  emails: Pick<Emails, 'getRow' | 'usesTemplates'>
  contacts: Pick<Contacts, 'getRow'>
  deliveryLog: Pick<DeliveryLog, 'findDuplicates'>
  rendering: EmailRendererOptions
  clock: Clock
  /** See `SendingBrands`. */
  checkSender: CheckSender
}

/** Sends one email to one contact. */
export class ContactSender {
  readonly #options: ContactSenderOptions

  constructor(options: ContactSenderOptions) {
    this.#options = options
  }

  /**
   * Waits for the server's answer. An email that is refused for now is stored, and delivered later. Throws an AppError:
   * `not_found` for the email or the contact, `invalid` for an email that is empty or has unknown tokens.
   */
  async send(request: SendRequest): Promise<SendAnswer> {
    const { emails, contacts, clock, rendering } = this.#options
    const { emailId, contactId, caller, tokens, idempotencyKey: key } = request
    const earlier = key === undefined ? undefined : await this.#findEarlier(request, key)
    if (earlier !== undefined) return earlier
    const email = await emails.getRow(emailId, caller)
    checkTemplatePermission(caller, email, emails.usesTemplates)
    const contact = await contacts.getRow(contactId, caller)
    if (contact.email === null) return failed('The contact has no email address.')
    const from = email.from_address ?? rendering.defaultFrom
    const sent = await this.#options.checkSender(caller.brands, { senders: [from] })
    // Of its links. The message itself is checked once it is rendered.
    const linked = ('problem' in sent ? null : sent.brand) ?? email.brand_id
    const work = { email, contact, tokens, brand: linked }
    const compose = () => composeFor(work, { rendering, clock })
    // A large email takes 10 MB and more until it is composed. It waits however many others do.
    const composed = await (isLargeEmail(email)
      ? rendering.work.run(callerKey(caller), compose, true)
      : compose())
    if (typeof composed === 'string') return failed(composed)
    const facts = factsOf(request, composed)
    const submission = readRendered(composed, caller, facts)
    const brand = await brandOfSender(this.#options.checkSender, caller, submission.message)
    const submitter = { ...submission.submitter, brand: brand ?? (email.brand_id || null) }
    return deliverOrStore({ ...submission, submitter }, facts.requestHash, this.#options)
  }

  /** Answers a repeated request as the first one, even if its email was changed since. */
  async #findEarlier(request: SendRequest, key: string): Promise<SendAnswer | undefined> {
    const { deliveryLog, storage } = this.#options
    const messageKey = messageKeyOf(request.caller, key)
    const keys = { address: '', messageKey, bulkKey: null }
    const [duplicate] = await deliveryLog.findDuplicates([keys])
    const requestHash = hashOf(request)
    const isKnown = duplicate !== undefined && duplicate.original.outcome !== 'started'
    const queued = isKnown ? undefined : await findQueuedByKey(storage, messageKey)
    if (queued?.rendered != null) {
      const facts = JSON.parse(queued.rendered) as RenderedEmailFacts
      checkSameRequest(facts.requestHash, requestHash)
      return { success: true, queued: { id: queued.id, reason: queued.problem } }
    }
    return duplicate && answerDuplicate(duplicate.original, requestHash)
  }
}

function factsOf(
  request: SendRequest,
  { messageId, from, transport }: ComposedEmail,
): RenderedEmailFacts {
  const { emailId, contactId, caller, idempotencyKey: key } = request
  const messageKey = key === undefined ? randomUUID() : messageKeyOf(caller, key)
  return {
    messageId,
    from,
    emailId,
    contactId,
    transport,
    messageKey,
    requestHash: hashOf(request),
  }
}

function readRendered(
  { message: { envelope, raw }, subject }: ComposedEmail,
  caller: Caller,
  rendered: RenderedEmailFacts,
) {
  return readSubmission({
    submitter: submitterOf(caller, null),
    sender: envelope.from,
    recipients: envelope.to,
    rendered,
    subject,
    chunks: [raw],
    reserve: () => () => undefined,
  })
}

interface ComposedEmail {
  message: Message
  /** As `storedSubject`. */
  subject: string | null
  messageId: string
  /** The address in From. */
  from: string
  /** The transport that the email names. */
  transport: string | undefined
}

interface RenderWork {
  email: EmailRow
  contact: ContactRow
  tokens: ExtraTokens
  brand: number
}

/** Composes the message; returns why it cannot be sent. Throws an AppError (`invalid`) for an email that is refused. */
async function composeFor(
  work: RenderWork,
  { rendering, clock }: Pick<ContactSenderOptions, 'rendering' | 'clock'>,
): Promise<ComposedEmail | string> {
  const { email, tokens } = work
  const refusal = refusalOf(email, await findEmailFaults(email, rendering), tokens)
  if (refusal !== undefined) throw refusal
  const rendered = await render(work, rendering)
  if (typeof rendered === 'string') return rendered
  await takeTurn(email, rendering.work)
  const identity = createIdentity(rendered.from.address, clock)
  const replaced = replaceExtraTokens(rendered, tokens)
  return {
    message: composeEmail(replaced, identity),
    subject: storedSubject(replaced.subject),
    messageId: identity.messageId,
    from: rendered.from.address,
    transport: findNamedTransport(rendered.headers),
  }
}

/** Renders an email with its headers; returns why it cannot be sent. */
async function render(
  { email, contact, tokens, brand }: RenderWork,
  rendering: EmailRendererOptions,
): Promise<RenderedEmail | string> {
  const data = await rendering.readContact(contact)
  const messageLinks = linksTo(contact, { ...email, brand }, rendering)
  const links = linkValues(messageLinks, tokens)
  const recipient = { contact: data, to: contactMailbox(data), links }
  try {
    const rendered = await renderEmail(email, recipient, rendering)
    return isEmpty(rendered) ? renderedEmpty : addUnsubscribeHeader(rendered, messageLinks)
  } catch (error) {
    if (error instanceof TwigError) return `The email cannot be rendered: ${error.message}`
    throw error
  }
}

/**
 * Returns the message key that the delivery log has for a request with an Idempotency-Key. The key belongs to its caller, by
 * ids instead of names: it survives a rename.
 */
function messageKeyOf(caller: Caller, key: string): string {
  return hash('sha256', `key ${JSON.stringify([callerKey(caller), key])}`, 'base64')
}

/** The hash includes the key, which is stored nowhere: tokens alone are short enough to be guessed from a hash. */
function hashOf({ emailId, contactId, tokens, idempotencyKey }: SendRequest): string | null {
  if (idempotencyKey === undefined) return null
  const sorted = Object.entries(tokens).sort(([one], [other]) => (one < other ? -1 : 1))
  return hash('sha256', JSON.stringify([idempotencyKey, emailId, contactId, sorted]), 'base64')
}

/**
 * Whether a later attempt may succeed without a person: a server refused the message for now, or its transport gets none
 * now.
 */
function isForNow({ state, deferredUntil }: RecipientReport): boolean {
  return state === 'deferred' || (state === 'unsent' && deferredUntil !== undefined)
}

/** Makes the first attempt. A message that is refused for now is stored; if it cannot be stored, the answer is the report. */
async function deliverOrStore(
  submission: Submission,
  requestHash: string | null,
  { firstAttempt, storage, log }: ContactSenderOptions,
): Promise<SendAnswer> {
  const request = { isStored: isForNow, waitsUnstored: true }
  const [attempted] = await firstAttempt.attemptOrStore(submission, request)
  if (attempted === undefined) throw new Error('The attempt has no report.')
  const { report, stored, unstored } = attempted
  if (unstored !== undefined) log.warn({ reason: String(unstored) }, 'email not queued')
  const reason = report === undefined ? null : replyLine(report.reply)
  if (stored?.id !== undefined) {
    log.info({ queueId: stored.messageId, reason }, 'email queued')
    return { success: true, queued: { id: stored.id, reason } }
  }
  if (stored !== undefined) {
    // A concurrent request with the same Idempotency-Key has stored it.
    const same = await findQueuedByKey(storage, submission.keysOf(attempted.address).messageKey)
    if (same !== undefined) return { success: true, queued: { id: same.id, reason: same.problem } }
  }
  if (report === undefined) throw new Error('The attempt has no report.')
  return answerReport(report, requestHash)
}
