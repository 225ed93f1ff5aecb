import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Badge, Empty, Notice } from '../../design/feedback.tsx'
import { type Choice, Picker } from '../../design/picker.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { ask, type Body } from '../../lib/api.ts'
import { useAction } from '../../lib/use-action.ts'
import { findTransportsOf } from '../../records/find.ts'
import { MauticField } from '../../records/mautic-field.tsx'
import { RecordName } from '../../records/record-name.tsx'
import { words } from '../../words/common.ts'
import { formatNumber } from '../../words/format.ts'
import { mauticNameWords } from '../../words/mautic-names.ts'
import { routingWords } from '../../words/routing.ts'

const { drill: texts } = routingWords

type Report = Body<'POST', '/api/multipleTransport/drill'>
type Target = Report['targets'][number]
type EmailRow = NonNullable<Report['emails']>['items'][number]
type UserRow = NonNullable<Report['users']>['items'][number]

/** Marks transports as down, and shows what would be sent another way or not at all. Nothing is changed. */
export function Drill() {
  const [mautic, setMautic] = useState('')
  const [down, setDown] = useState<readonly Choice[]>([])
  const [report, setReport] = useState<Report>()
  const { isBusy, run } = useAction()
  const change = (next: readonly Choice[]) => {
    setDown(next)
    setReport(undefined)
  }
  const show = (event: SubmitEvent) => {
    event.preventDefault()
    void run(async () => {
      const of = mautic === '' ? {} : { mautic: Number(mautic) }
      const body = { down: down.map(({ value }) => Number(value)), ...of }
      const path = '/api/multipleTransport/drill'
      setReport((await ask('POST', path, { body, isRead: true })).body)
    })
  }
  const without = ({ value }: Choice) => down.filter((each) => each.value !== value)
  return (
    <>
      <p class="quiet">{texts.intro}</p>
      <form class="card" onSubmit={show}>
        <MauticField
          label={texts.of}
          none={mauticNameWords.own}
          value={mautic}
          onValue={(next) => {
            setMautic(next)
            change([])
          }}
        />
        <Picker
          key={mautic}
          label={texts.add}
          value={undefined}
          onValue={(choice) => choice !== undefined && change([...without(choice), choice])}
          find={findTransportsOf(mautic)}
        />
        {down.length > 0 && (
          <ul class="row plain-list" aria-label={texts.down}>
            {down.map((each) => (
              <li key={each.value} class="row">
                <Badge tone="bad">{each.label}</Badge>
                <Button
                  kind="plain"
                  aria-label={texts.remove(each.label)}
                  onClick={() => change(without(each))}
                >
                  {words.remove}
                </Button>
              </li>
            ))}
          </ul>
        )}
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
  const { down, deliveries, targets, emails, users } = report
  const unpublished = down.filter(({ isPublished }) => !isPublished)
  return (
    <>
      {unpublished.map(({ id, name }) => (
        <Notice key={id}>{texts.unpublished(name)}</Notice>
      ))}
      {down
        .filter(({ members }) => members.length > 0)
        .map(({ id, name, members }) => (
          <Notice key={id}>{texts.members(name, members)}</Notice>
        ))}
      {targets.length === 0 ? (
        <Empty>{texts.nothing}</Empty>
      ) : (
        <section class="stack" aria-labelledby="targets">
          <h2 id="targets">{texts.deliveries(deliveries)}</h2>
          <Table
            caption={texts.through}
            rows={targets}
            columns={targetColumns}
            keyOf={({ to }) => `${to.kind} ${to.transport?.id ?? ''}`}
          />
        </section>
      )}
      {emails !== null && emails.undecided > 0 && (
        <Notice tone="warn">{texts.undecided(emails.undecided)}</Notice>
      )}
      {emails !== null && emails.items.length > 0 && (
        <section class="stack" aria-labelledby="emails">
          <h2 id="emails">{texts.counted(texts.emails, emails.items.length, emails.total)}</h2>
          <Table
            caption={texts.emails}
            rows={emails.items}
            columns={emailColumns(mautic)}
            keyOf={({ email, source, from }) => `${email.id} ${source} ${from?.id ?? ''}`}
          />
        </section>
      )}
      {users !== null && users.items.length > 0 && (
        <section class="stack" aria-labelledby="users">
          <h2 id="users">{texts.counted(texts.users, users.items.length, users.total)}</h2>
          <Table
            caption={texts.users}
            rows={users.items}
            columns={userColumns(mautic)}
            keyOf={({ user }) => user.id}
          />
        </section>
      )}
    </>
  )
}

function TargetName({ to: { kind, transport } }: { to: Target['to'] }) {
  if (transport !== null) return <a href={`/transports/${transport.id}`}>{transport.name}</a>
  return kind === 'none' ? <Badge tone="bad">{texts.none}</Badge> : <span>{texts.default}</span>
}

const targetColumns: readonly Column<Target>[] = [
  { label: texts.through, show: ({ to }) => <TargetName to={to} /> },
  { label: texts.emails, isNumber: true, show: ({ emails }) => formatNumber(emails) },
  { label: texts.users, isNumber: true, show: ({ users }) => formatNumber(users) },
  { label: texts.messages, isNumber: true, show: ({ deliveries }) => formatNumber(deliveries) },
]

const emailColumns = (mautic: string): readonly Column<EmailRow>[] => [
  {
    label: texts.email,
    show: ({ email }) => <RecordName path="/emails" mautic={mautic} {...email} />,
  },
  { label: texts.now, show: ({ from }) => from?.name ?? texts.owners },
  { label: texts.source, show: ({ source }) => texts.sources[source] },
  { label: texts.through, show: ({ to }) => <TargetName to={to} /> },
  { label: texts.messages, isNumber: true, show: ({ deliveries }) => formatNumber(deliveries) },
]

const userColumns = (mautic: string): readonly Column<UserRow>[] => [
  {
    label: texts.user,
    show: ({ user: { id, username } }) => (
      <RecordName path="/access/users" mautic={mautic} id={id} name={username} />
    ),
  },
  { label: texts.now, show: ({ from }) => from.name },
  { label: texts.through, show: ({ to }) => <TargetName to={to} /> },
]
