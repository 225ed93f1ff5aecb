import PostalMime, { addressParser, type Email } from 'postal-mime'
import { oneLine } from '../../../kit/one-line.ts'
import {
  classOfReply,
  meaningOfFeedback,
  type ProviderEvent,
  readHeaders,
} from '../../../libraries/mailer/index.ts'
import {
  fieldOf,
  type ReportFields,
  readAddress,
  readBlocks,
  readDate,
  untyped,
  wordsOf,
} from './report-fields.ts'

/** What a message says. */
export interface ReportReading {
  readonly events: readonly ProviderEvent[]
  /**
   * Why it is no report: a sentence that says what a report is. Then the only event is what its text says, if it is about one
   * message to one recipient, which it does not name.
   */
  readonly problem: string | undefined
  /** Who has written a message that is no report. */
  readonly author?: string | undefined
}

/** What is read of a message. The report comes before the returned message, of which only the headers are read. */
export const reportBytesMax = 1_048_576
/** As many recipients as a message may have. */
const eventsMax = 1_000
const idLengthMax = 998
/** A parser of addresses needs seconds for a megabyte. */
const addressesLengthMax = 4_096
const mimeLimits = { forceRfc822Attachments: true, maxNestingDepth: 20 }
/** Some servers send a report as the attachment of a message. */
const wrappedMax = 3

const statusTypes = ['message/delivery-status', 'message/global-delivery-status']
const feedbackTypes = ['message/feedback-report']
const returnedTypes = [
  'message/rfc822',
  'text/rfc822-headers',
  'message/global',
  'message/global-headers',
]

/**
 * Reads what came back: a delivery status notification or a feedback report, at whatever place of a message, or the words of a
 * server. A hostile message takes seconds: call it in a worker thread.
 *
 * @see RFC 3464, RFC 6522, RFC 6533, RFC 5965
 */
export async function readReport(source: Uint8Array): Promise<ReportReading> {
  let email: Email
  try {
    email = await PostalMime.parse(source.subarray(0, reportBytesMax), mimeLimits)
  } catch (error) {
    const problem = `The message cannot be read: ${oneLine(String(error), 200)}. ${whatToSend}`
    return { events: [], problem }
  }
  const returned = partsOf(email, returnedTypes).slice(0, wrappedMax)
  const wrapped = returned.map((part) => PostalMime.parse(part, mimeLimits))
  for (const each of [email, ...(await Promise.all(wrapped))]) {
    const events = eventsOf(each)
    if (events !== undefined) return { events: events.slice(0, eventsMax), problem: undefined }
  }
  const parts = 'message/delivery-status nor message/feedback-report'
  const problem = `The message is no report: it has neither a part ${parts}. ${whatToSend}`
  return { events: [readWords(email)], problem, author: email.from?.address }
}

/** Undefined for a message without a report. */
function eventsOf(email: Email): ProviderEvent[] | undefined {
  const [status] = partsOf(email, statusTypes)
  const [feedback] = partsOf(email, feedbackTypes)
  if (status !== undefined) return readDeliveryStatus(readBlocks(status), describeReport(email))
  return feedback && readFeedback(readBlocks(feedback), describeReport(email))
}

const whatToSend = 'Send a delivery status notification (RFC 3464) or a feedback report (RFC 5965).'

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
  const [returned = new Uint8Array(0)] = partsOf(email, returnedTypes)
  const headers = readHeaders(returned)
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

function partsOf({ attachments }: Email, types: readonly string[]): Uint8Array[] {
  return attachments
    .filter(({ mimeType }) => types.includes(mimeType.toLowerCase()))
    .map(({ content }) =>
      typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content),
    )
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
    const status = fieldOf(fields, 'status')
    const action =
      /^[a-z]+/i.exec(fieldOf(fields, 'action'))?.[0].toLowerCase() ??
      (status.startsWith('5') ? 'failed' : undefined)
    if (recipient === null || action === undefined) return []
    const type = typeOfAction.get(action) ?? 'ignored'
    const diagnosis = untyped(fieldOf(fields, 'diagnostic-code'))
    const said = [...fields].filter(([name]) => saysWhy.test(name)).flatMap(([, values]) => values)
    return {
      type,
      recipient,
      providerId: null,
      otherIds: idsOf(messageId, ofMessage),
      at:
        readDate(fieldOf(fields, 'last-attempt-date')) ??
        date ??
        readDate(fieldOf(ofMessage, 'arrival-date')) ??
        null,
      class: type === 'bounced' ? classOf(said.map(untyped).join(' ')) : null,
      reason: wordsOf(diagnosis) ?? wordsOf(status),
      eventId,
    }
  })
}

/** Fields that say why: `X-Supplementary-Info` of Exchange, `X-PowerMTA-BounceCategory`, … */
const saysWhy = /^(?:status|diagnostic-code|x-.*(?:diagnos|info|reason|error|category))/

/** All that a report says of a recipient counts: what its program has made of it, too. */
const classOf = (said: string): 'hard' | 'soft' =>
  classOfReply(said) === 'address' ? 'hard' : 'soft'

/** Where servers that write no report begin the message that they return. */
const copyOfMessage =
  /^[ \t>-]{0,80}(?:(?<=---)[^\r\n-][^\r\n]{0,200}?(?:copy|message|headers)|below this line|original message|the (?:body|headers) of)/im
const wordsMax = 8_000
/**
 * The reply of a server, with the line before, which may say to what, up to a blank line; `coded` with an enhanced code.
 * A telephone number is none, and neither is a date.
 */
const replyOfServer =
  /^(?:[ \t]*\S[^\r\n]*\r?\n)?[^\r\n]*?(?<reply>(?<coded>(?<![\w.])(?:(?:[45]\d\d[ -]#?|#)[45]\.[0-7]\.\d{1,2}|[45]\.[0-7]\.\d)(?!\.?\d))|(?:^[ \t]*|said: ?|: )[45]\d\d[ -](?=[a-z<]))[^\r\n]*(?:\r?\n[ \t]*[^\s][^\r\n]*)*/im
/** A server that has not given up. */
const goesOn = /warning message only|will (?:be retried|keep trying)|attempts will continue/i
const serverNames = /^(?:mailer-?daemon|postmaster|microsoftexchange)/i

/** What the text of a message says that came back about one recipient. */
function readWords(email: Email): ProviderEvent {
  const plain = email.text ?? email.html?.replace(/<[^<>]{0,1000}>/g, ' ') ?? ''
  const [cut = ''] = plain.slice(0, wordsMax).split(copyOfMessage, 1)
  const text = cut.replace(/^[ \t]*>(?!>> ).*$/gm, '')
  const isOfServer = serverNames.test(email.from?.address ?? '')
  const found = replyOfServer.exec(text)
  const { coded, reply = '' } = found?.groups ?? {}
  const said = found?.[0] ?? (isOfServer && classOf(text) === 'hard' ? text : '')
  const isDelay = /^\D*4/.test(reply) || goesOn.test(text)
  const isReply = !isOfServer && coded === undefined && isAutomatic(email)
  const type = isDelay ? 'deferred' : 'bounced'
  return {
    type: isReply ? 'ignored' : type,
    recipient: null,
    providerId: null,
    otherIds: [],
    at: readDate(headerOf(email, 'date')) ?? null,
    class: isReply || isDelay ? null : classOf(said),
    reason: wordsOf(said || text),
    eventId: wordsOf(headerOf(email, 'message-id')),
  }
}

const answeredSubject =
  /^(?:re|aw|sv|tr|automatic reply|auto[- ]?reply|out of (?:the )?office|vacation|automatische antwort|abwesen|réponse automatique|absence|respuesta automática)\b/i

/** Whether it is an answer of a person or of their program, such as "out of office". */
function isAutomatic(email: Email): boolean {
  return (
    /^auto-/i.test(headerOf(email, 'auto-submitted')) ||
    headerOf(email, 'x-autoreply') !== '' ||
    answeredSubject.test(headerOf(email, 'subject')) ||
    /^multipart\/report.*disposition-notification/i.test(headerOf(email, 'content-type'))
  )
}

function readFeedback(
  [fields = new Map()]: readonly ReportFields[],
  { date, eventId, messageId, recipient }: ReportContext,
): ProviderEvent[] {
  const feedback = fieldOf(fields, 'feedback-type')
  const named = (fields.get('original-rcpt-to') ?? []).map(readAddress)
  const recipients = named.some((each) => each !== null) ? named : [recipient]
  return recipients.map((each) => ({
    type: meaningOfFeedback(feedback),
    recipient: each,
    providerId: null,
    otherIds: idsOf(messageId, fields),
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

const idNames = ['original-message-id', 'x-original-message-id', 'original-envelope-id']

function idsOf(messageId: string, fields: ReportFields): string[] {
  const ids = [messageId, ...idNames.map((name) => fieldOf(fields, name))]
  return [...new Set(ids.map((id) => oneLine(id, idLengthMax)).filter((id) => id !== ''))]
}
