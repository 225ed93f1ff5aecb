import Type, { type Static } from 'typebox'
import {
  type Callers,
  createQueryReader,
  type HttpApp,
  idParameter,
  idParameters,
  nullable,
  readId,
} from '../../http/index.ts'
import { AppError } from '../../kit/app-error.ts'
import { callerKey } from '../../kit/caller.ts'
import {
  type Outbox,
  outboxFields,
  outboxParameters,
  presentOutboxRow,
  readOutboxPage,
} from '../../outbox/index.ts'
import type { Mautics } from '../mautics.ts'
import type { MauticReportRow } from '../table.ts'
import { reportReasons } from './report.ts'

/** What the routes of reports need. */
export interface ReportRouteParts {
  mautics: Pick<Mautics, 'records' | 'reports'>
  callers: Callers
}

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

const tags = ['mautics']

/** Adds `/api/mautics/{id}/reports`. */
export function addReportRoutes(app: HttpApp, { mautics, callers }: ReportRouteParts): void {
  addChangeRoutes(app, mautics.reports.outbox)
  const schema = {
    operationId: 'listMauticReports',
    summary: 'List the reports to a Mautic, the newest first',
    description:
      'They put contacts on its Do not contact list, take them off, or tag them. Reports that have ended are kept for 30 days.',
    tags,
    params: idParameters,
    querystring: Type.Unsafe<Record<string, unknown>>(Type.Object(outboxParameters)),
    response: {
      200: Type.Object({ total: Type.Integer({ examples: [1] }), reports: Type.Array(reportItem) }),
    },
  }
  const config = { permission: 'api:view' as const }
  app.get('/api/mautics/:id/reports', { schema, config }, async (request) => {
    const mauticId = readId(request.params.id)
    await mautics.records.getRow(mauticId)
    const read = createQueryReader(request.query)
    const page = readOutboxPage(read)
    read.check()
    const owner = callerKey(callers.of(request))
    const query = { targetId: mauticId, ...page, owner }
    const { rows, total } = await mautics.reports.outbox.list(query)
    return { total, reports: rows.map(presentReport) }
  })
}

const oneParameters = Type.Object({
  id: idParameter('The id of the Mautic.'),
  reportId: idParameter('The id of the report.'),
})

function addChangeRoutes(app: HttpApp, outbox: Outbox<MauticReportRow>): void {
  const common = {
    tags,
    params: oneParameters,
    response: { 200: Type.Object({ report: reportItem }) },
  }
  const retry = {
    ...common,
    operationId: 'retryMauticReport',
    summary: 'Send a report now',
    description: 'It is due at once, also if it has failed or was sent before.',
  }
  const retrying = { schema: retry, config: { permission: 'api:edit' as const } }
  app.post('/api/mautics/:id/reports/:reportId/retry', retrying, async ({ params }) => {
    const reportId = readId(params.reportId)
    const report = await outbox.retry(readId(params.id), reportId)
    return { report: presentReport(report ?? missing(reportId)) }
  })
  const remove = {
    ...common,
    operationId: 'deleteMauticReport',
    summary: 'Delete a report',
    description: 'What Mautic has accepted stays on its list.',
  }
  const removing = { schema: remove, config: { permission: 'api:delete' as const } }
  app.delete('/api/mautics/:id/reports/:reportId/delete', removing, async ({ params }) => {
    const reportId = readId(params.reportId)
    const report = await outbox.remove(readId(params.id), reportId)
    return { report: presentReport(report ?? missing(reportId)) }
  })
}

function missing(id: number): never {
  throw new AppError('not_found', 'mautic_report_not_found', `Report ${id} was not found.`)
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
