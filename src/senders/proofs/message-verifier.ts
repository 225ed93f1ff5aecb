import type { Dns } from '../../dns/index.ts'
import { type Caller, callerKey } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { formatDate } from '../../kit/iso-date.ts'
import { emailKey } from '../../kit/normalize-for-search.ts'
import { oneLine } from '../../kit/one-line.ts'
import type { WorkQueue } from '../../kit/work-queue.ts'
import { asciiDomain, readHeaders } from '../../mailer/index.ts'
import { mayUse } from '../../resource/index.ts'
import type { Storage } from '../../storage/index.ts'
import { domainOf } from '../../suppressions/index.ts'
import type { TransportRow, Transports } from '../../transports/index.ts'
import {
  FactCollector,
  type FactCollectorOptions,
  fingerprintOf,
  isOwnSelector,
} from '../alignment/collect-facts.ts'
import type { MemberFacts } from '../alignment/facts.ts'
import { type ReceivedMessage, verifyReceived } from '../received-message.ts'
import type { VerifiedMessage } from '../schema.ts'
import { defaultTransportId, type SenderTables } from '../table.ts'
import { type TestMarks, testMarkHeader } from '../test-marks.ts'
import { findProvenDelivery, type ProvenDelivery } from './find-delivery.ts'
import { readPastedSource } from './pasted-source.ts'
import { expiryOf, type SenderProofs, type StoredProof } from './sender-proofs.ts'
import { judgeReceived, presentResults, type ReceivedJudgement } from './verify-message.ts'

/** Dependencies of `MessageVerifier`. */
export interface MessageVerifierOptions extends FactCollectorOptions {
  storage: Storage
  clock: Clock
  dns: Dns
  /** Where expensive work takes turns. */
  work: WorkQueue
  transports: Pick<Transports, 'findRow' | 'findDsn'>
  /** MAILYARD_MAILER_DSN. */
  defaultDsn: string | undefined
  proofs: SenderProofs
  /** Opens the marks of test messages. */
  marks: () => Promise<TestMarks>
  /** Writes what was noted of uses. */
  flushUses: () => Promise<void>
  /** Called when a proof was stored. */
  onProof: (domain: string, transportId: number) => Promise<void>
}

const verifyMs = 15_000
const textMax = 500
/** How far the clock of a server that signs may be behind. */
const clockSkewMs = 600_000

/** What a message was sent through, or why that is not known. */
type Provable = { sent: SentMessage; transport: ProvenTransport } | { problem: string }

/** A message that Mailyard sent: a delivery, or a test message. */
interface SentMessage {
  member: string | null
  recipient: string
  sentAt: number
}

/** A message that was verified for a caller. */
interface VerifiedSource {
  domain: string
  source: Uint8Array
  received: ReceivedMessage
  judgement: ReceivedJudgement
  caller: Caller
}

interface ProvenTransport {
  id: number
  mauticId: number | null
  name: string
  dsn: string | undefined
  isPublicOnly: boolean
  revision: number | undefined
}

/** Verifies received messages, and keeps those that Mailyard sent as proofs. */
export class MessageVerifier {
  readonly #options: MessageVerifierOptions
  /** When this process began to use the default DSN. */
  readonly #openedAt: number

  constructor(options: MessageVerifierOptions) {
    this.#options = options
    this.#openedAt = options.clock.now()
  }

  /** Verifies a message. Throws an AppError (`invalid`, `too_large`) for what is not the source of one. */
  async verify(text: string, caller: Caller, signal: AbortSignal): Promise<VerifiedMessage> {
    const source = readPastedSource(text)
    return this.#options.work.run(callerKey(caller), () => this.#verify(source, caller, signal))
  }

  async #verify(source: Buffer, caller: Caller, signal: AbortSignal): Promise<VerifiedMessage> {
    const end = AbortSignal.any([signal, AbortSignal.timeout(verifyMs)])
    // Old answers would hide a record that was published for this message.
    const check = this.#options.dns.check({ isFresh: true, signal: end })
    const { resolver } = check
    const received = await verifyReceived(source, { resolver, signal: end })
    const domain = readFrom(received)
    if (domain === undefined) return withoutFrom(received)
    const collector = new FactCollector(domain, { check, signal: end }, this.#options)
    const judgement = await judgeReceived(received, domain, collector)
    const provable = await this.#findDelivery({ source, received, domain }, caller)
    const kept =
      'problem' in provable
        ? provable
        : await this.#keep({ domain, source, received, judgement, caller }, provable, collector)
    const transport = 'transport' in provable ? provable.transport : undefined
    const isStored = !('problem' in kept)
    return {
      isStored,
      problem: isStored ? null : kept.problem,
      ...presentJudgement(judgement),
      domain,
      transport:
        transport === undefined ? null : { id: transport.id || null, name: transport.name },
      member: 'sent' in provable ? provable.sent.member : null,
      ...presentReceived(received),
      dateExpires: isStored ? expiryOf(kept.addedAt) : null,
    }
  }

  /** Finds the delivery of the message, if the caller may use its transport and that is as it was then. */
  async #findDelivery(
    { source, received, domain }: { source: Uint8Array; received: ReceivedMessage; domain: string },
    caller: Caller,
  ): Promise<Provable> {
    const { storage, clock } = this.#options
    const { messageId, date } = received
    if (messageId === null) return { problem: 'The message has no Message-ID.' }
    if (hasSeveral(source))
      return { problem: 'The message has several Message-IDs or marks of a test.' }
    const delivery = await findProvenDelivery(
      storage,
      { source, messageId, date: date === null ? null : readTime(date) },
      { owner: callerKey(caller), now: clock.now() },
    )
    const unknown = `No accepted delivery of Mailyard has the Message-ID ${oneLine(messageId, textMax)}. Send a message through the transport, and paste that one.`
    if (delivery === undefined)
      return (await this.#findTest(source, domain, caller)) ?? { problem: unknown }
    if (delivery === 'several') return { problem: severalDeliveries }
    const isForeign = caller.mautic !== undefined && Number(delivery.mautic_id) !== caller.mautic.id
    if (isForeign || !(await this.#isFrom(delivery, domain))) return { problem: unknown }
    const transport = await this.#findTransport(delivery, caller)
    if ('problem' in transport) return transport
    return {
      sent: {
        member: delivery.member,
        recipient: delivery.recipient,
        sentAt: delivery.started_at,
      },
      transport,
    }
  }

  /** Finds what a test message was sent through, by its mark; undefined where it has none of this installation and domain. */
  async #findTest(
    source: Uint8Array,
    domain: string,
    caller: Caller,
  ): Promise<Provable | undefined> {
    const { marks: openMarks, transports } = this.#options
    const field = readHeaders(source).find(({ name }) => name.toLowerCase() === markName)
    if (field === undefined) return undefined
    const marks = await openMarks()
    const mark = marks.read(field.value)
    if (mark === undefined || mark.domain !== domain) return undefined
    const row = await transports.findRow(mark.transportId)
    if (row === undefined || (caller.mautic !== undefined && !mayUse(row, caller.mautic.id)))
      return { problem: transportDeleted }
    const dsn = await transports.findDsn(row)
    if (dsn === undefined || marks.dsnKeyOf(dsn) !== mark.dsnKey) return { problem: dsnChanged }
    const { member, recipient, sentAt } = mark
    return { sent: { member, recipient, sentAt }, transport: describeRow(row, dsn) }
  }

  /** Whether a delivery was one of the From domain: the log has the sender of its envelope, and the uses have both. */
  async #isFrom(delivery: ProvenDelivery, domain: string): Promise<boolean> {
    if (domainOf(delivery.sender) === domain) return true
    await this.#options.flushUses()
    const use = await this.#options.storage
      .tables<SenderTables>()
      .selectFrom('sender_uses')
      .select('domain')
      .where('domain', '=', domain)
      .where('transport_id', '=', delivery.transport_id ?? defaultTransportId)
      .where('mautic_id', '=', Number(delivery.mautic_id))
      .executeTakeFirst()
    return use !== undefined
  }

  async #findTransport(
    { transport_id: id, started_at: startedAt }: ProvenDelivery,
    { mautic }: Caller,
  ): Promise<ProvenTransport | { problem: string }> {
    const { transports, defaultDsn } = this.#options
    if (id === null || id === defaultTransportId) {
      if (defaultDsn === undefined || mautic !== undefined) return { problem: transportDeleted }
      // Its member may be named the same with another account.
      if (startedAt < this.#openedAt) return { problem: defaultRestarted }
      return {
        id: defaultTransportId,
        mauticId: null,
        name: 'default',
        dsn: defaultDsn,
        isPublicOnly: false,
        revision: undefined,
      }
    }
    const row = await transports.findRow(id)
    if (row === undefined || (mautic !== undefined && !mayUse(row, mautic.id)))
      return { problem: transportDeleted }
    if ((row.date_modified ?? 0) > startedAt) return { problem: dsnChanged }
    return describeRow(row, await transports.findDsn(row))
  }

  /** Stores a proof. */
  async #keep(
    { domain, source, received, judgement, caller }: VerifiedSource,
    { sent, transport }: Extract<Provable, { sent: unknown }>,
    collector: FactCollector,
  ): Promise<StoredProof | { problem: string }> {
    const { verdict, sentence } = judgement
    if (verdict === 'cannotTell')
      return { problem: 'It shows neither that DMARC passes nor that it fails.' }
    if (caller.mautic !== undefined && transport.mauticId !== caller.mautic.id)
      return {
        problem:
          'The transport is shared with others, so its proofs are added by those who manage it.',
      }
    // The submitter signed it, or the mark of a test or the Message-ID was pasted above another message.
    if (judgement.signedAt !== null && judgement.signedAt < sent.sentAt - clockSkewMs)
      return { problem: signedBefore }
    // A server that forwards a message has its own address, and often breaks SPF.
    if (judgement.evidence?.kind !== 'dkim' && !isDirect(source, sent.recipient))
      return {
        problem: `Without a signature it has to come from the mailbox that it was sent to (${sent.recipient}), not forwarded, with its field Delivered-To.`,
      }
    const { dsn, isPublicOnly } = transport
    const members = await collector.collect({ dsn, isPublicOnly, otherEnvelope: null, proofs: [] })
    const facts = members.filter(({ label }) => label === sent.member)
    const [member] = facts
    if (member === undefined || facts.length > 1) {
      const problem =
        facts.length > 1
          ? `The DSN has ${facts.length} members "${sent.member}", so it is not known which one sent the message.`
          : `The DSN has no member "${sent.member}" any more. Send another message, and paste that one.`
      return { problem }
    }
    const evidence = evidenceOf(judgement, member)
    if (evidence === undefined) {
      return {
        problem:
          'DNS or the API of the provider did not answer, so the failure cannot be kept. Try again.',
      }
    }
    const proof: StoredProof = {
      transportId: transport.id,
      member: member.label,
      verdict,
      sentence: `${sentence} It was sent on ${formatDate(sent.sentAt).slice(0, 10)}.`,
      messageId: received.messageId ?? '',
      evidence,
      addedAt: this.#options.clock.now(),
    }
    if (!(await this.#options.proofs.save(domain, proof, transport.revision))) {
      return {
        problem: 'The transport was changed meanwhile. Send another message, and paste that one.',
      }
    }
    await this.#options.onProof(domain, transport.id)
    return proof
  }
}

/** Whether a field is there twice that says which message it is: one of them may have been added. */
function hasSeveral(source: Uint8Array): boolean {
  const names = readHeaders(source).map(({ name }) => name.toLowerCase())
  return ['message-id', markName].some(
    (identity) => names.filter((name) => name === identity).length > 1,
  )
}

/** Whether the topmost address that the message was delivered to is one that it was sent to: it was not forwarded. */
function isDirect(source: Uint8Array, recipient: string): boolean {
  const field = readHeaders(source).find(({ name }) =>
    ['delivered-to', 'x-original-to', 'envelope-to', 'x-delivered-to'].includes(name.toLowerCase()),
  )
  return (
    field !== undefined &&
    emailKey(field.value.trim().replace(/^<|>$/g, '')) === emailKey(recipient)
  )
}

const markName = testMarkHeader.toLowerCase()
const transportDeleted = 'The transport that the message was sent through is deleted.'
const severalDeliveries =
  'Several accepted deliveries have this Message-ID, through different transports or members of a list. Send another message, and paste that one.'
const signedBefore =
  'Its signature was made before Mailyard sent the message, so it is not one of this transport. Send another message, and paste that one.'
const defaultRestarted =
  'Mailyard was started again after the message was sent, perhaps with another default DSN. Send another message, and paste that one.'
const dsnChanged =
  'The transport was changed after the message was sent. Send another one, and paste that.'

/** What a proof rests on; undefined where a failure cannot be kept, because something was not answered. */
function evidenceOf(
  { evidence }: ReceivedJudgement,
  facts: MemberFacts,
): StoredProof['evidence'] | undefined {
  if (evidence?.kind === 'spf') return evidence
  if (evidence !== undefined) {
    const { domain, selector } = evidence
    return { ...evidence, isOwn: domain === facts.from && isOwnSelector(facts, selector) }
  }
  const fingerprint = fingerprintOf(facts)
  return fingerprint === undefined ? undefined : { kind: 'failure', fingerprint }
}

function describeRow(row: TransportRow, dsn: string | undefined): ProvenTransport {
  const { id, name, revision, mautic_id: mauticId } = row
  return { id, mauticId, name, dsn, isPublicOnly: Boolean(row.is_public_only), revision }
}

/** The one domain in From; undefined for none and for several. */
function readFrom({ from }: ReceivedMessage): string | undefined {
  const domains = new Set(from.map((domain) => asciiDomain(domain) ?? ''))
  const [domain] = domains
  return domains.size === 1 && domain !== '' ? domain : undefined
}

function readTime(date: string): number | null {
  const time = Date.parse(date)
  return Number.isNaN(time) ? null : time
}

function presentJudgement({ verdict, sentence, reasons }: ReceivedJudgement) {
  return { verdict, sentence, reasons }
}

function presentReceived(received: ReceivedMessage) {
  const { messageId, signatures } = received
  return {
    messageId,
    signatures: signatures.map(({ domain, selector, result, detail }) => {
      return { domain, selector, result, detail }
    }),
    results: presentResults(received),
  }
}

function withoutFrom(received: ReceivedMessage): VerifiedMessage {
  const count = new Set(received.from).size
  const sentence =
    count > 1
      ? 'The message has several domains in From, so DMARC does not apply.'
      : 'The message has no valid address in From.'
  return {
    isStored: false,
    problem: sentence,
    verdict: 'cannotTell',
    sentence,
    reasons: [sentence],
    domain: null,
    transport: null,
    member: null,
    ...presentReceived(received),
    dateExpires: null,
  }
}
