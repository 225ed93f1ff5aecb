import type { Log } from '../../../kit/log.ts'
import { within } from '../../../kit/within.ts'
import type { RecipientResult } from '../../../libraries/mailer/index.ts'
import { type Mautics, type NewReport, reportOf } from '../../mautic/index.ts'
import { domainOf } from '../../suppressions/index.ts'
import type { DeliverRequest, ReportToMautics } from '../deliver.ts'
import { replyText } from '../log/delivery-row.ts'
import { openRetriedWrites } from '../log/retried-writes.ts'
import type { SuppressedRecipient } from '../suppressed-recipient.ts'

/** Reports the recipients of a Mautic's messages who are not to be sent to any more to its Do not contact list. */
export interface MauticReporter extends ReportToMautics {
  /**
   * Reports bounced recipients to the Mautic that the message came from. Returns whether the reports are stored: not without
   * a Mautic, nor for one that gets none, nor if the database refuses them. It does not reject.
   */
  reportBounced(message: ReportedMessage, bounced: readonly RecipientResult[]): Promise<boolean>
}

/** The connected Mautics, as far as they are reported to. */
export interface ReportingMautics {
  reports: Pick<Mautics['reports'], 'add'>
  senderDomains: Pick<Mautics['senderDomains'], 'note'>
}

/** How long a message waits until its reports are stored. */
const waitMs = 2_000

export function openMauticReporter(options: {
  mautics: ReportingMautics
  log: Log
}): MauticReporter {
  const { mautics, log } = options
  const writes = openRetriedWrites(log, {
    failed: 'reports to mautic not stored',
    recovered: 'reports to mautic stored again',
  })
  const store = async (reports: readonly NewReport[]) => {
    try {
      return (await writes.run(() => mautics.reports.add(reports), reports.length)) === true
    } catch (err) {
      log.error({ err, reports: reports.length }, 'reports to mautic not stored')
      return false
    }
  }
  const noteSender = ({ mauticId, envelope, from }: DeliverRequest) => {
    const { from: sender } = envelope
    // A notification has no sender.
    if (mauticId === undefined || sender === '') return
    const domains = [domainOf(sender), domainOf(from ?? sender)]
    mautics.senderDomains.note(mauticId, domains).catch((err: unknown) => {
      log.warn({ err, mauticId }, 'sender domain not noted')
    })
  }
  return {
    noteSender,
    async reportSuppressed(request, suppressed) {
      const reports = suppressed.flatMap((each) => suppressionReport(request, each) ?? [])
      if (reports.length > 0) await within(waitMs, store(reports))
    },
    reportBounced: (message, bounced) => store(bounceReports(message, bounced)),
    async close(timeMs) {
      await writes.drain(timeMs)
      writes.close()
    },
  }
}

/** What a report says of its message. */
export type ReportedMessage = Pick<DeliverRequest, 'mauticId' | 'contactId' | 'emailId'>

function suppressionReport(
  { mauticId, ...ids }: ReportedMessage,
  { address, suppression }: SuppressedRecipient,
): NewReport | undefined {
  if (mauticId === undefined) return undefined
  const { reason, sender_domain: senderDomain, source } = suppression
  return reportOf(mauticId, { address, reason, senderDomain, source }, ids)
}

function bounceReports(
  { mauticId, contactId, emailId }: ReportedMessage,
  bounced: readonly RecipientResult[],
): NewReport[] {
  if (mauticId === undefined) return []
  return bounced.map((recipient) => {
    const { address } = recipient
    const comments = replyText(recipient) ?? ''
    return { mauticId, contactId, emailId, address, reason: 'bounced', comments }
  })
}
