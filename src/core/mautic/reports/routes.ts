import Type, { type Static } from 'typebox'
import { type Callers, type HttpApp, nullable } from '../../../platform/http/index.ts'
import { addOutboxRoutes, outboxFields, presentOutboxRow } from '../../../platform/outbox/index.ts'
import type { Mautics } from '../mautics.ts'
import type { MauticReportRow } from '../table.ts'
import { reportReasons } from './report.ts'

const reasons = ['unsubscribed', 'bounced', 'manual', 'refused'] as const

const reportItem = Type.Object(
  {
    id: Type.Integer(),
    address: Type.String(),
    contactId: nullable(Type.Integer(), {
      description: 'The contact of Mautic that the message was for; null: those with the address.',
    }),
    emailId: nullable(Type.Integer(), {
      description: 'The email of Mautic that the message was of.',
    }),
    reason: Type.Enum([...reasons]),
    action: Type.Enum(['add', 'remove', 'tag'], {
      description:
        '`remove`: its suppression was deleted, so it is taken off the list; `tag`: it gets the tag `mailyard-refused` and is not put on the list.',
    }),
    comments: Type.String({ description: 'Why, such as the words of the server.' }),
    ...outboxFields('Mautic'),
  },
  {
    title: 'MauticReport',
    examples: [
      {
        id: 1,
        address: 'carla@example.net',
        contactId: 20,
        emailId: 17,
        reason: 'bounced',
        action: 'add',
        comments: '550 5.1.1 no such user',
        state: 'done',
        attempts: 1,
        nextAttempt: null,
        dateAdded: '2026-01-31T15:54:35+00:00',
        dateEnded: '2026-01-31T15:54:36+00:00',
        problem: null,
      },
    ],
  },
)
type ReportItem = Static<typeof reportItem>

/** Adds `/api/mautics/{id}/reports`. */
export function addReportRoutes(
  app: HttpApp,
  { mautics, callers }: { mautics: Pick<Mautics, 'records' | 'reports'>; callers: Callers },
): void {
  const { outbox } = mautics.reports
  addOutboxRoutes(app, {
    callers,
    outbox,
    targets: 'mautics',
    target: 'Mautic',
    one: 'report',
    operation: 'MauticReport',
    notFound: 'mautic_report_not_found',
    item: reportItem,
    present: presentReport,
    descriptions: {
      list: 'They put contacts on its Do not contact list, take them off, or tag them. Reports that have ended are kept for 30 days.',
      retry: 'It is due at once, also if it has failed or was sent before.',
      remove: 'What Mautic has accepted stays on its list.',
    },
    checkTarget: (id, caller) => mautics.records.getRow(id, caller),
    retry: (mauticId, id) => outbox.retry(mauticId, id),
  })
}

function presentReport(row: MauticReportRow): ReportItem {
  return {
    id: row.id,
    address: row.address,
    contactId: row.contact_id,
    emailId: row.email_id,
    reason: reasons.find((reason) => reportReasons[reason] === row.reason) ?? 'manual',
    action: actionOf(row),
    comments: row.comments,
    ...presentOutboxRow(row),
  }
}

function actionOf({ reason, is_removal: isRemoval }: MauticReportRow): ReportItem['action'] {
  if (reason === reportReasons.refused) return 'tag'
  return isRemoval ? 'remove' : 'add'
}
