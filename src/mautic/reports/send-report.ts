import { emailKey } from '../../kit/normalize-for-search.ts'
import type { MauticClient } from '../client/mautic-client.ts'
import { asCount, asList, asObject } from '../client/read-answer.ts'
import { contactAddress } from '../contact-address.ts'
import { undefinedIfMissing } from '../find/find-records.ts'
import type { MauticReportRow } from '../table.ts'
import { reportReasons } from './add-reports.ts'

/** The tag of contacts whose messages are refused. */
const refusedTag = 'mailyard-refused'

/**
 * Puts the contacts with the address of a report on Mautic's Do not contact list, or tags them: the contact that the message was for,
 * unless its address has changed, or those with the address.
 *
 * @returns Whether there is such a contact.
 * @throws {MauticError}
 */
export async function sendReport(
  client: MauticClient,
  report: MauticReportRow,
  signal: AbortSignal,
): Promise<boolean> {
  const { contact_id: named } = report
  const isNamed = named !== null && (await hasAddress(client, named, { report, signal }))
  const contactIds = isNamed ? [named] : await findContacts(client, report, signal)
  const answers: unknown[] = []
  for (const id of contactIds) {
    const sent = isTag(report)
      ? // Mautic adds tags to those that a contact has.
        client.send('PATCH', `/api/contacts/${id}/edit`, { tags: [refusedTag] }, { signal })
      : client.send('POST', `/api/contacts/${id}/dnc/email/add`, entryOf(report), { signal })
    const answer = await sent.catch(undefinedIfMissing)
    if (answer !== undefined) answers.push(answer)
  }
  return answers.length > 0
}

function isTag({ reason }: MauticReportRow): boolean {
  return reason === reportReasons.refused
}

/** Returns the entry of a report in the Do not contact list. */
function entryOf({ reason, email_id: emailId, comments }: MauticReportRow) {
  return { reason, ...(emailId === null ? {} : { channelId: emailId }), comments }
}

/**
 * Takes the contacts with the address of a report off Mautic's Do not contact list, where their entry is still the reported
 * one: what they or others have decided since then stays.
 *
 * @throws {MauticError}
 */
export async function removeReported(
  client: MauticClient,
  report: MauticReportRow,
  signal: AbortSignal,
): Promise<void> {
  for (const id of await findContacts(client, report, signal)) {
    const asked = client.get(`/api/contacts/${id}`, {}, { signal })
    const { contact } = asObject(await asked.catch(undefinedIfMissing))
    const isReported = asList(asObject(contact)['doNotContact'])
      .map(asObject)
      .some(
        ({ channel, reason, comments }) =>
          channel === 'email' && Number(reason) === report.reason && comments === report.comments,
      )
    if (isReported)
      await client.send('POST', `/api/contacts/${id}/dnc/email/remove`, {}, { signal })
  }
}

/** Whether a contact exists and has the address: ids may mean other contacts since the message was sent. */
async function hasAddress(
  client: MauticClient,
  contactId: number,
  { report, signal }: { report: MauticReportRow; signal: AbortSignal },
): Promise<boolean> {
  const asked = client.get(`/api/contacts/${contactId}`, {}, { signal })
  const { contact } = asObject(await asked.catch(undefinedIfMissing))
  return emailKey(contactAddress(contact)) === report.address_key
}

/** Several contacts may share an address. */
const contactsMax = 20

async function findContacts(
  client: MauticClient,
  { address, address_key: key }: MauticReportRow,
  signal: AbortSignal,
): Promise<number[]> {
  const where = { 'where[0][col]': 'email', 'where[0][expr]': 'eq', 'where[0][val]': address }
  const query = { minimal: 1, limit: contactsMax, ...where }
  const { contacts } = asObject(await client.get('/api/contacts', query, { signal }))
  return asList(contacts).flatMap((contact) => {
    const id = asCount(asObject(contact)['id'])
    return id !== undefined && emailKey(contactAddress(contact)) === key ? [id] : []
  })
}
