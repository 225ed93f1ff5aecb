import { AppError } from '../../../kit/app-error.ts'
import type { CallerMautic } from '../../../kit/caller.ts'
import { startStopwatch } from '../../../kit/clock.ts'
import { emailKey } from '../../../kit/normalize-for-search.ts'
import type { Unanswered } from '../../../kit/unanswered.ts'
import type { AssignmentStore } from '../../assignments/index.ts'
import type { MauticContact, MauticDirectory, MauticSend } from '../../mautic/index.ts'
import { inTime, mauticWaitMs } from '../../mautic/index.ts'
import type { RelayedMessage } from '../../mime/index.ts'
import { decodeValue } from '../../mime/index.ts'
import { findTrackingClues, type TrackingClues, type TrackingHash } from './tracking-clues.ts'

/** What was found out about a message, for the trace. */
export interface IdentityNote {
  about: 'email' | 'contact'
  text: string
}

/** The email, the contact and the owner of a message. Ids are those of the Mautic that it comes from. */
export interface MessageIdentity {
  emailId: number | undefined
  /** Its address is a recipient of the message. */
  contactId: number | undefined
  ownerId: number | undefined
  /** Undefined unless it was needed, or `contactId` could be verified in no other way. */
  contact: MauticContact | undefined
  /** What is not known now, although the message may have it; undefined if everything is. */
  unanswered: Unanswered | undefined
  /** The same, where it may change `emailId`. */
  emailUnanswered?: Unanswered | undefined
  notes: readonly IdentityNote[]
}

/** A message that comes from a Mautic. */
export interface MauticMessage {
  mautic: CallerMautic
  submission: { readonly sender: string; readonly recipients: readonly string[] }
  message: Pick<RelayedMessage, 'head' | 'texts' | 'holdsTokens'>
}

/** Identifies a message of a Mautic: finds its email and its contact, and verifies them. It throws no AppError `upstream`. */
export type IdentifyMessage = (message: MauticMessage) => Promise<MessageIdentity>

export interface IdentifyOptions {
  mautics: MauticDirectory
  assignments: Pick<AssignmentStore, 'in'>
}

export function createIdentifyMessage({ mautics, assignments }: IdentifyOptions): IdentifyMessage {
  return async (from) => {
    const { head } = from.message
    const search = new Search(from, mautics)
    search.prefetchContact()
    const isComplete = head.emailId !== undefined && head.contactId !== undefined
    const sent = isComplete ? undefined : await search.findSend()
    const emailId = await search.chooseEmail(sent)
    const assigned =
      emailId === undefined ? undefined : await assignments.in(from.mautic).findForEmail(emailId)
    const needsContact =
      from.message.holdsTokens || emailId === undefined || assigned?.useOwnerTransport === true
    const { contactId, contact } = await search.chooseContact(sent, needsContact)
    const ownerId = contact?.ownerId ?? head.ownerId
    const { unanswered, notes } = search
    const isEmailKnown = head.emailId !== undefined || sent !== undefined
    const emailUnanswered = isEmailKnown ? undefined : unanswered
    return { emailId, contactId, ownerId, contact, unanswered, emailUnanswered, notes }
  }
}

/** A send that Mautic's statistics have, and where its hash was found. */
type FoundSend = MauticSend & Pick<TrackingHash, 'where'>

/** So many hashes of one message are looked up. */
const hashesMax = 3

/** What is stored is found in this time, also after the Mautic was waited for. */
const storedMs = 20

/** How the subject of "Send example" begins. */
const testPrefix = '[TEST] '

/** Stands for the answer of a Mautic that has not come. */
const late = Symbol('late')

/** The search for the email and the contact of one message. */
class Search {
  readonly #mautic: CallerMautic
  readonly #message: MauticMessage['message']
  readonly #mautics: MauticDirectory
  readonly #recipientKeys: ReadonlySet<string>
  readonly #clues: TrackingClues
  readonly #contacts = new Map<number, Promise<MauticContact | undefined>>()
  readonly #leftMs: () => number
  readonly #late: Promise<unknown>[] = []
  /** Why the first of them has failed. */
  #refusal: string | undefined
  readonly notes: IdentityNote[] = []

  constructor(from: MauticMessage, mautics: MauticDirectory) {
    const { mautic, message, submission } = from
    this.#mautic = mautic
    this.#message = message
    this.#mautics = mautics
    this.#recipientKeys = new Set(submission.recipients.map(emailKey))
    this.#clues = findTrackingClues(message, submission.sender)
    const elapsedMs = startStopwatch()
    this.#leftMs = () => Math.max(mauticWaitMs - elapsedMs(), storedMs)
  }

  /** Asks for the contact that the message names while the statistics are asked. */
  prefetchContact(): void {
    const { contactId } = this.#message.head
    if (contactId !== undefined) this.#fetchContact(contactId).catch(() => undefined)
  }

  /** Finds what Mautic's statistics say of the message, by its tracking hashes. The body is read only if the head has none. */
  async findSend(): Promise<FoundSend | undefined> {
    const tried = new Set<string>()
    const find = async (hashes: readonly TrackingHash[]) => {
      for (const { hash, where } of hashes) {
        if (tried.has(hash) || tried.size === hashesMax) continue
        tried.add(hash)
        const send = await this.#findSend(hash)
        if (send === late) continue
        if (send !== undefined && this.#recipientKeys.has(emailKey(send.address)))
          return { ...send, where }
        this.#note(
          'email',
          `the hash in ${where} is ${send === undefined ? 'unknown' : 'that of another recipient'}`,
        )
      }
      return undefined
    }
    return (await find(this.#clues.ofHead)) ?? find(this.#clues.ofBody().hashes)
  }

  /**
   * Chooses the email: by X-EMAIL-ID, by the statistics, by a tracked link that names a contact with the address, also while Mautic
   * has not confirmed the contact, or by its subject, for what Mautic has no statistics of: a test, and an email to a user.
   */
  async chooseEmail(sent: FoundSend | undefined): Promise<number | undefined> {
    const { emailId } = this.#message.head
    if (emailId !== undefined) {
      if (typeof sent?.emailId === 'number' && sent.emailId !== emailId)
        this.#note('email', `the hash in ${sent.where} is that of email ${sent.emailId}`)
      return this.#email(emailId, 'X-EMAIL-ID')
    }
    if (typeof sent?.emailId === 'number')
      return this.#email(sent.emailId, `the hash in ${sent.where}`)
    if (sent !== undefined) {
      this.#note('email', `the hash in ${sent.where} is that of no email`)
      return undefined
    }
    return (await this.#chooseLinkedEmail()) ?? this.#chooseBySubject()
  }

  async #chooseLinkedEmail(): Promise<number | undefined> {
    const { link } = this.#clues.ofBody()
    if (link?.emailId === undefined || link.contactId === undefined) return undefined
    const contact = await this.#findContact(link.contactId)
    if (contact !== late && !this.#isRecipient(contact)) return undefined
    const exists = await this.#ask(this.#mautics.emails.find(this.#mautic.id, link.emailId))
    if (exists === undefined || exists === late) return undefined
    const whose = contact === late ? 'a contact that is not confirmed yet' : 'its contact'
    return this.#email(link.emailId, `a tracked link to ${whose}`)
  }

  /** Only one email may have the subject, of all that the Mautic has. While an answer is late, the email may be another one. */
  async #chooseBySubject(): Promise<number | undefined> {
    const subject = decodeValue(this.#message.head.subject ?? '').trim()
    if (this.#late.length > 0 || subject === '') return undefined
    const isTest = subject.startsWith(testPrefix)
    const text = isTest ? subject.slice(testPrefix.length) : subject
    const emails = await this.#ask(this.#mautics.emails.findTested(this.#mautic.id, text))
    if (emails === late) return undefined
    const ids = emails.map(({ id }) => id)
    const [id] = ids
    const what = isTest ? 'this test' : 'this message'
    if (id !== undefined && ids.length === 1) return this.#email(id, `the subject of ${what}`)
    const which =
      id === undefined
        ? `no published email that is known has the subject of ${what}`
        : `${ids.length} published emails have the subject of ${what} (${ids.slice(0, 5).join(', ')})`
    this.#note('email', `${which}, so it is routed without an email`)
    return undefined
  }

  /** Chooses the contact. One that the statistics name is verified by them, and read only where it is needed. */
  async chooseContact(
    sent: FoundSend | undefined,
    isNeeded: boolean,
  ): Promise<Pick<MessageIdentity, 'contactId' | 'contact'>> {
    const named = this.#message.head.contactId
    if (named !== undefined) {
      const contact = await this.#findContact(named)
      if (this.#isRecipient(contact)) return this.#contact(contact, 'X-Contact-Id')
      if (contact !== late) this.#note('contact', this.#whyIgnored(named, contact))
    }
    const where = sent === undefined ? 'a tracked link' : `the hash in ${sent.where}`
    const id = sent === undefined ? this.#linkedContact() : (sent.contactId ?? undefined)
    if (id === undefined) return { contactId: undefined, contact: undefined }
    if (sent !== undefined && !isNeeded) {
      this.#note('contact', `the contact is ${id} (${where})`)
      return { contactId: id, contact: undefined }
    }
    const contact = await this.#findContact(id)
    if (this.#isRecipient(contact)) return this.#contact(contact, where)
    return {
      contactId: contact === late && sent !== undefined ? id : undefined,
      contact: undefined,
    }
  }

  #findSend(hash: string): Promise<MauticSend | undefined | typeof late> {
    return this.#ask(this.#mautics.sends.find(this.#mautic.id, hash))
  }

  #linkedContact(): number | undefined {
    const isKnown =
      this.#message.head.emailId !== undefined && this.#message.head.contactId !== undefined
    return isKnown ? undefined : this.#clues.ofBody().link?.contactId
  }

  #findContact(id: number): Promise<MauticContact | undefined | typeof late> {
    return this.#ask(this.#fetchContact(id))
  }

  #fetchContact(id: number): Promise<MauticContact | undefined> {
    const options = { hasSegments: this.#message.holdsTokens }
    const contact =
      this.#contacts.get(id) ?? this.#mautics.contacts.find(this.#mautic.id, id, options)
    this.#contacts.set(id, contact)
    return contact
  }

  #isRecipient(contact: MauticContact | undefined | typeof late): contact is MauticContact {
    if (contact === undefined || contact === late || contact.email === null) return false
    return this.#recipientKeys.has(emailKey(contact.email))
  }

  #email(id: number, where: string): number {
    this.#note('email', `the email is ${id} (${where})`)
    return id
  }

  #contact(contact: MauticContact, where: string) {
    this.#note('contact', `the contact is ${contact.id} (${where})`)
    return { contactId: contact.id, contact }
  }

  #whyIgnored(id: number, contact: MauticContact | undefined): string {
    if (contact === undefined) return `there is no contact ${id} of Mautic ${this.#name}`
    return `contact ${id} is ignored (X-Contact-Id): the message is not to the contact's own address`
  }

  get #name(): string {
    return JSON.stringify(this.#mautic.name)
  }

  #note(about: IdentityNote['about'], text: string): void {
    this.notes.push({ about, text })
  }

  get unanswered(): Unanswered | undefined {
    if (this.#late.length === 0) return undefined
    const answered = Promise.all(this.#late)
    // Who waits for the answer handles its error.
    answered.catch(() => undefined)
    return { problem: this.#problem, answered }
  }

  get #problem(): string {
    const why = this.#refusal === undefined ? ' yet' : ` (${this.#refusal})`
    return `Mautic ${this.#name} has not answered${why}`
  }

  async #ask<T>(work: Promise<T>): Promise<T | typeof late> {
    const noted = work.catch((error: unknown) => {
      if (error instanceof AppError) this.#refusal ??= error.message
      throw error
    })
    const answer = await inTime<T, typeof late>(noted, late, this.#leftMs())
    if (answer !== late) return answer
    if (this.#late.length === 0)
      this.#note('contact', `${this.#problem}, so not all is known about the message`)
    this.#late.push(work)
    return late
  }
}
