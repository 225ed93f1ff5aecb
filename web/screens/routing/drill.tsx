import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Badge, Empty } from '../../design/feedback.tsx'
import { Card } from '../../design/page.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { ask, type Body } from '../../lib/api.ts'
import { useAction } from '../../lib/use-action.ts'
import { ChosenField } from '../../records/chosen-field.tsx'
import { findTransports } from '../../records/find.ts'
import { MauticField, RecordName } from '../../records/mautics.tsx'
import { useProviders } from '../../records/providers.tsx'
import { senderHref } from '../../records/sender-domain.ts'
import { AlignmentBadge } from '../../records/senders.tsx'
import { useTransportNames } from '../../records/transports.tsx'
import { alignmentWords } from '../../words/alignment.ts'
import { words } from '../../words/common.ts'
import { counted, formatNumber } from '../../words/format.ts'

const texts = {
  intro:
    'Mark transports as down; a failover list is down with all its servers. You see which emails and users would be sent through which other transport, or through none. Nothing is changed.',
  of: 'Assigned emails and users',
  down: 'Transports that are down',
  add: 'Mark a transport as down',
  run: 'Show what would happen',
  deliveries: (count: number) =>
    counted(
      count,
      'message of the last day would take another route.',
      'messages of the last day would take another route.',
    ),
  through: 'Would be sent through',
  emails: 'Emails',
  users: 'Users',
  messages: 'Messages of the last day',
  email: 'Email',
  domain: 'From domain',
  alignment: 'Alignment',
  why: 'Why',
  now: 'Now through',
  defaultServer: (server: string) => `Default transport: ${server}`,
  none: 'Nothing: not sent',
  owners: 'Several owners',
  nothing: 'Nothing takes another route. What is unpublished is skipped already.',
  counted: (what: string, shown: number, total: number) =>
    shown < total
      ? `${what}: ${formatNumber(shown)} of ${formatNumber(total)}`
      : `${what}: ${formatNumber(total)}`,
} as const

type Report = Body<'POST', '/api/multipleTransport/drill'>
type Target = Report['targets'][number]
type EmailRow = NonNullable<Report['emails']>['items'][number]
type SenderRow = Report['senders']['items'][number]

/** Marks transports as down, and shows what would take another route or not be sent. Nothing is changed. */
export function Drill() {
  const [mautic, setMautic] = useState('')
  const [down, setDown] = useState<readonly number[]>([])
  const [report, setReport] = useState<Report>()
  const { isBusy, run } = useAction()
  const change = (next: readonly number[]) => {
    setDown(next)
    setReport(undefined)
  }
  const show = (event: SubmitEvent) => {
    event.preventDefault()
    void run(async () => {
      const of = mautic === '' ? {} : { mautic: Number(mautic) }
      const body = { down: [...down], ...of }
      const path = '/api/multipleTransport/drill'
      setReport((await ask('POST', path, { body, isRead: true })).body)
    })
  }
  return (
    <>
      <p class="quiet">{texts.intro}</p>
      <form class="card" onSubmit={show}>
        <MauticField
          label={texts.of}
          value={mautic}
          onValue={(next) => {
            setMautic(next)
            change([])
          }}
        />
        <ChosenField
          label={texts.down}
          add={texts.add}
          value={down}
          nameOf={useTransportNames(down)}
          href="/transports"
          find={findTransports}
          onValue={change}
        />
        <div class="row">
          <Button kind="primary" type="submit" isBusy={isBusy} disabled={down.length === 0}>
            {texts.run}
          </Button>
        </div>
      </form>
      <div class="stack" aria-live="polite">
        {report !== undefined && <ReportView report={report} mautic={mautic} />}
      </div>
    </>
  )
}

function ReportView({ report, mautic }: { report: Report; mautic: string }) {
  const { targets, senders, emails } = report
  const deliveries = targets.reduce((sum, target) => sum + target.deliveries, 0)
  return (
    <>
      {targets.length === 0 ? (
        <Empty>{texts.nothing}</Empty>
      ) : (
        <Card title={texts.deliveries(deliveries)}>
          <Table
            caption={texts.through}
            rows={targets}
            columns={targetColumns}
            keyOf={({ to }) => `${to.kind} ${to.transport?.id ?? ''}`}
          />
        </Card>
      )}
      <Part title={alignmentWords.drill} part={senders} columns={senderColumns} />
      <Part title={texts.emails} part={emails} columns={emailColumns(mautic)} />
    </>
  )
}

interface PartProps<Row> {
  title: string
  /** Null for callers who may not see it. */
  part: { total: number; items: readonly Row[] } | null
  columns: readonly Column<Row>[]
}

function Part<Row>({ title, part, columns }: PartProps<Row>) {
  if (part === null || part.items.length === 0) return null
  const { items, total } = part
  return (
    <Card title={texts.counted(title, items.length, total)}>
      <Table caption={title} rows={items} columns={columns} keyOf={(row) => items.indexOf(row)} />
    </Card>
  )
}

function TargetName({ to: { kind, transport } }: { to: Target['to'] }) {
  const { defaultServer } = useProviders()
  if (transport !== null) return <a href={`/transports/${transport.id}`}>{transport.name}</a>
  if (kind === 'none') return <Badge tone="bad">{texts.none}</Badge>
  return (
    <span>
      {defaultServer === null ? words.defaultTransport : texts.defaultServer(defaultServer)}
    </span>
  )
}

const through = {
  label: texts.through,
  show: ({ to }: Pick<Target, 'to'>) => <TargetName to={to} />,
}
const messages = {
  label: texts.messages,
  kind: 'number' as const,
  show: ({ deliveries }: Pick<Target, 'deliveries'>) => formatNumber(deliveries),
}

const targetColumns: readonly Column<Target>[] = [
  { ...through, kind: 'name' },
  { label: texts.emails, kind: 'number', show: ({ emails }) => formatNumber(emails) },
  { label: texts.users, kind: 'number', show: ({ users }) => formatNumber(users) },
  messages,
]

const senderColumns: readonly Column<SenderRow>[] = [
  {
    label: texts.domain,
    kind: 'name',
    show: ({ domain, to }) => <a href={senderHref(domain, to.transport?.id ?? 0)}>{domain}</a>,
  },
  {
    label: texts.through,
    priority: 2,
    show: ({ to, member }) => (
      <>
        <TargetName to={to} />
        {member !== null && <p class="quiet small mono">{member}</p>}
      </>
    ),
  },
  { label: texts.alignment, show: ({ verdict }) => <AlignmentBadge verdict={verdict} /> },
  { label: texts.why, priority: 3, show: ({ sentence }) => sentence },
]

const emailColumns = (mautic: string): readonly Column<EmailRow>[] => [
  {
    label: texts.email,
    kind: 'name',
    show: ({ email }) => <RecordName path="/emails" mautic={mautic} {...email} />,
  },
  { label: texts.now, priority: 2, show: ({ from }) => from?.name ?? texts.owners },
  through,
  { ...messages, priority: 4 },
]
