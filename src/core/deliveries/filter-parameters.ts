import { replyClasses } from '../../libraries/mailer/index.ts'
import { createQueryReader, type Query, type QueryReader, text } from '../../platform/http/index.ts'
import {
  type DeliveryRow,
  deliveryEventTypes,
  deliveryOutcomes,
  deliverySources,
} from '../delivery/index.ts'
import type { DeliveryQuery } from './delivery-query.ts'

const wildcardsMax = 3
/** The length of the longest address; SQLite accepts patterns of 50,000 bytes. */
export const textLengthMax = 320

/** How `addressPattern` reads the filters by recipient and sender. */
export const partOfAddress =
  'this address, or a part of one: `ann`, `ann@`, `@example.com`. `*` stands for any text: `ann*@example.com`.'

/** The filters of the list, as parameters of a query. */
export const filterParameters = {
  brand: text('Messages of this brand (id); 0: of none.'),
  mautic: text('Messages of this connected Mautic (id).'),
  emailId: text('Messages of this email: of Mailyard itself, or of the Mautic in `mautic`.'),
  contactId: text('To this contact: of Mailyard itself, or of the Mautic in `mautic`.'),
  transportId: text('Through this transport.'),
  transport: text(
    'Through a transport that had this name then; the configured one is `default`. 400 if several have it now.',
  ),
  recipient: text(
    `To ${partOfAddress} Whole addresses, and beginnings that few have, are the fastest.`,
  ),
  sender: text(`From ${partOfAddress}`),
  subject: text('With this in the subject, in any letter case.'),
  messageId: text('With this Message-ID.'),
  outcome: text(`With these outcomes, with commas: ${deliveryOutcomes.join(', ')}.`),
  class: text(`Refused or delayed because of these, with commas: ${replyClasses.join(', ')}.`),
  event: text(`With these as the gravest event, with commas: ${deliveryEventTypes.join(', ')}.`),
  source: text(`How it was submitted: ${deliverySources.join(', ')}.`),
  member: text('Accepted or refused by this member, such as smtp://mail.example.com:587.'),
  from: text('Since then, such as 2026-01-31T12:00:00Z.'),
  to: text('Until then.'),
  search: text('With this text in recipient, sender, subject, reply, reason or Message-ID.'),
}

export const wildcardFault = `must have ${wildcardsMax} * or fewer`

/** Returns the names of the filters by address that have too many wildcards. */
export function tooManyWildcards({
  recipient,
  sender,
}: Pick<DeliveryQuery, 'recipient' | 'sender'>): string[] {
  return Object.entries({ recipient, sender })
    .filter(([, value]) => (value?.split('*').length ?? 0) > wildcardsMax + 1)
    .map(([name]) => name)
}

/** Reads the filters. `read.check()` throws what is wrong with them. */
export function readFilters(read: QueryReader): Omit<DeliveryQuery, 'after' | 'start' | 'limit'> {
  const addresses = { recipient: read.text('recipient'), sender: read.text('sender') }
  for (const name of tooManyWildcards(addresses)) read.addFault(name, wildcardFault)
  const brand = read.number('brand')
  return {
    brands: brand === undefined ? undefined : [brand],
    mauticId: read.number('mautic'),
    emailId: read.number('emailId'),
    contactId: read.number('contactId'),
    transportId: read.number('transportId'),
    transport: read.text('transport'),
    ...addresses,
    subject: read.text('subject'),
    messageId: read.text('messageId'),
    outcomes: read.words('outcome', deliveryOutcomes),
    classes: read.words('class', replyClasses),
    events: read.words('event', deliveryEventTypes),
    source: read.word<DeliveryRow['source']>('source', deliverySources),
    member: read.text('member'),
    from: read.time('from'),
    to: read.time('to'),
    search: read.text('search'),
  }
}

/** Creates the reader of a query with filters. */
export function createFilterReader(query: Query): QueryReader {
  return createQueryReader(query, { lengthMax: textLengthMax })
}
