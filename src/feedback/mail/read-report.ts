import PostalMime, { addressParser, type Email } from 'postal-mime'
import { oneLine } from '../../kit/one-line.ts'
import { type ProviderEvent, readHeaders } from '../../mailer/index.ts'
import { unknownAddressCodes } from '../bounces.ts'
import {
  fieldOf,
  type ReportFields,
  readAddress,
  readBlocks,
  readDate,
  untyped,
  wordsOf,
} from './report-fields.ts'

/** What a message says, or why it is no report: a sentence that says what a report is. */
export type ReportReading = { readonly events: ProviderEvent[] } | { readonly problem: string }

/** What is read of a message. The report comes before the returned message, of which only the headers are read. */
export const reportBytesMax = 1_048_576
/** As many recipients as a message may have. */
const eventsMax = 1_000
const idsMax = 10
const idLengthMax = 998
/** A parser of addresses needs seconds for a megabyte. */
const addressesLengthMax = 4_096
const mimeLimits = { forceRfc822Attachments: true, maxNestingDepth: 20 }

const statusTypes = ['message/delivery-status', 'message/global-delivery-status']
const feedbackTypes = ['message/feedback-report']
const returnedTypes = [
  'message/rfc822',
  'text/rfc822-headers',
  'message/global',
  'message/global-headers',
]

/**
 * Reads a delivery status notification or a feedback report, as the RFCs write them: nothing is guessed from the text for people.
 * A hostile message takes seconds: call it in a worker thread (`ReportReader`).
 *
 * @see RFC 3464, RFC 6522, RFC 6533, RFC 5965
 */
export async function readReport(source: Uint8Array): Promise<ReportReading> {
  let email: Email
  try {
    email = await PostalMime.parse(source.subarray(0, reportBytesMax), mimeLimits)
  } catch (error) {
    return { problem: `The message cannot be read: ${oneLine(String(error), 200)}. ${whatToSend}` }
  }
  const type = headerOf(email, 'content-type')
  if (!/^multipart\/report\b/i.test(type)) {
    const shown = oneLine(type, 60).split(';')[0] || 'missing'
    return { problem: `The message is no report: its Content-Type is ${shown}. ${whatToSend}` }
  }
  const status = partOf(email, statusTypes)
  const feedback = partOf(email, feedbackTypes)
  if (status === undefined && feedback === undefined) {
    const parts = 'message/delivery-status nor message/feedback-report'
    return { problem: `The message is no report: it has neither a part ${parts}. ${whatToSend}` }
  }
  const report = describeReport(email)
  const events =
    status === undefined
      ? readFeedback(readBlocks(feedback ?? none), report)
      : readDeliveryStatus(readBlocks(status), report)
  return { events: events.slice(0, eventsMax) }
}

const whatToSend =
  'Send a delivery status notification (RFC 3464) or a feedback report (RFC 5965), whose Content-Type is multipart/report.'
const none = new Uint8Array(0)

/** What a report says beside its fields. */
interface ReportContext {
  /** When it was written. */
  readonly date: number | undefined
  readonly eventId: string | null
  /** The Message-ID of the message that it is about. */
  readonly messageId: string
  /** The only recipient in To of that message, or the one that Outlook names. */
  readonly recipient: string | null
}

function describeReport(email: Email): ReportContext {
  const headers = readHeaders(partOf(email, returnedTypes) ?? none)
  const find = (key: string) =>
    headers.find(({ name }) => name.toLowerCase() === key)?.value.slice(0, addressesLengthMax) ?? ''
  const [to, ...others] = addressParser(find('to'), { flatten: true })
  const onlyTo = others.length === 0 ? (to?.address ?? '') : ''
  return {
    date: readDate(headerOf(email, 'date')),
    eventId: wordsOf(headerOf(email, 'message-id')),
    messageId: find('message-id'),
    recipient: readAddress(find('x-hmxmroriginalrecipient')) ?? readAddress(onlyTo),
  }
}

function headerOf({ headers }: Email, key: string): string {
  return headers.find((header) => header.key === key)?.value ?? ''
}

function partOf({ attachments }: Email, types: readonly string[]): Uint8Array | undefined {
  const content = attachments.find(({ mimeType }) =>
    types.includes(mimeType.toLowerCase()),
  )?.content
  return typeof content === 'string' ? Buffer.from(content) : content && new Uint8Array(content)
}

/** `relayed` says that nothing more will be heard: it is no event. */
const typeOfAction: ReadonlyMap<string, ProviderEvent['type']> = new Map([
  ['failed', 'bounced'],
  ['delayed', 'deferred'],
  ['delivered', 'delivered'],
  // To an alias or a list, whose members may be many: RFC 3464, section 2.3.3.
  ['expanded', 'delivered'],
])

/** The first block is about the message, each other one about a recipient. */
function readDeliveryStatus(
  blocks: readonly ReportFields[],
  { date, eventId, messageId }: ReportContext,
): ProviderEvent[] {
  const [ofMessage = new Map()] = blocks
  return blocks.flatMap((fields) => {
    const recipient =
      readAddress(fieldOf(fields, 'original-recipient')) ??
      readAddress(fieldOf(fields, 'final-recipient'))
    const action = /^[a-z]+/i.exec(fieldOf(fields, 'action'))?.[0].toLowerCase()
    if (recipient === null || action === undefined) return []
    const type = typeOfAction.get(action) ?? 'ignored'
    const diagnosis = untyped(fieldOf(fields, 'diagnostic-code'))
    const status = statusOf(fieldOf(fields, 'status'), diagnosis)
    return {
      type,
      recipient,
      providerId: null,
      otherIds: idsOf(
        messageId,
        fieldOf(ofMessage, 'original-message-id'),
        fieldOf(ofMessage, 'x-original-message-id'),
        fieldOf(ofMessage, 'original-envelope-id'),
      ),
      at:
        readDate(fieldOf(fields, 'last-attempt-date')) ??
        date ??
        readDate(fieldOf(ofMessage, 'arrival-date')) ??
        null,
      class: type === 'bounced' ? classOf(status) : null,
      reason: wordsOf(diagnosis) ?? wordsOf(status),
      eventId,
    }
  })
}

/** The status code (RFC 3463). One without details, such as 5.0.0, gives way to the one in the reply of the server. */
function statusOf(status: string, diagnosis: string): string {
  const [code = ''] = /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(status) ?? []
  if (code !== '' && !code.endsWith('.0.0')) return code
  const [, detailed] = /\b[45]\d\d[ -]([45]\.\d{1,3}\.\d{1,3})\b/.exec(diagnosis) ?? []
  return detailed ?? code
}

/** The mailbox is disabled for good: RFC 3463, section 3.3. */
const disabledCode = '5.2.1'

/** Only a code that is about the address says that it cannot be delivered to for good: a full mailbox and a policy do not. */
function classOf(status: string): 'hard' | 'soft' {
  return unknownAddressCodes.has(status) || status === disabledCode ? 'hard' : 'soft'
}

/** The types that are a wish of the recipient; `fraud`, `virus` and others are not. */
const typeOfFeedback: ReadonlyMap<string, ProviderEvent['type']> = new Map([
  ['abuse', 'complained'],
  ['opt-out', 'unsubscribed'],
  ['opt-out-list', 'unsubscribed'],
])

function readFeedback(
  [fields = new Map()]: readonly ReportFields[],
  { date, eventId, messageId, recipient }: ReportContext,
): ProviderEvent[] {
  const feedback = fieldOf(fields, 'feedback-type').toLowerCase()
  const named = (fields.get('original-rcpt-to') ?? []).map(readAddress)
  const recipients = named.some((each) => each !== null) ? named : [recipient]
  return recipients.map((each) => ({
    type: typeOfFeedback.get(feedback) ?? 'ignored',
    recipient: each,
    providerId: null,
    otherIds: idsOf(
      messageId,
      fieldOf(fields, 'original-message-id'),
      fieldOf(fields, 'original-envelope-id'),
    ),
    at:
      date ??
      readDate(fieldOf(fields, 'arrival-date')) ??
      readDate(fieldOf(fields, 'received-date')) ??
      null,
    class: null,
    reason: wordsOf(feedback),
    eventId,
  }))
}

function idsOf(...ids: readonly string[]): string[] {
  const clean = ids.map((id) => oneLine(id, idLengthMax)).filter((id) => id !== '')
  return [...new Set(clean)].slice(0, idsMax)
}
