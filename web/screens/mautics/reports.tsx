import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { refusalOutcomes } from '../../../src/delivery/outcomes.ts'
import { Button } from '../../design/button.tsx'
import { Badge, Empty } from '../../design/feedback.tsx'
import { SelectField } from '../../design/field.tsx'
import { Card, Show } from '../../design/page.tsx'
import { type Column, Pager, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast, type Tone } from '../../lib/toasts.ts'
import { useAction } from '../../lib/use-action.ts'
import { useFresh } from '../../lib/use-fresh.ts'
import { OutcomeBadge } from '../../records/outcome-badge.tsx'
import { words } from '../../words/common.ts'
import { mauticWords } from '../../words/mautics.ts'
import type { Mautic } from './record.tsx'

const limit = 20
/** The server counts and skips 10,000 at most. */
const countMax = 10_000

interface PartQuery {
  start: number
  limit: number
  /** The chosen filter; empty for none. */
  filter: string
}

/** A list that is one part of a page: with one filter and separate pages. */
function PartList<Row extends { id: number }>({
  texts,
  empty,
  options,
  columns,
  load,
}: {
  texts: Record<'title' | 'help' | 'noMatch' | 'filter' | 'every', string>
  empty: ComponentChildren
  /** The values of the filter, with their labels. */
  options: Readonly<Record<string, string>>
  columns: (reload: () => void) => readonly Column<Row>[]
  /** Answers `total` null where there are more than are counted. */
  load: (
    query: PartQuery,
    signal: AbortSignal,
  ) => Promise<{ rows: readonly Row[]; total: number | null }>
}) {
  const [start, setStart] = useState(0)
  const [filter, setFilter] = useState('')
  const loaded = useFresh(
    (signal) => load({ start, limit, filter }, signal),
    [start, filter],
    10_000,
  )
  const choices = Object.entries(options).map(([value, label]) => ({ value, label }))
  return (
    <Card title={texts.title}>
      <p class="quiet small">{texts.help}</p>
      <Show loaded={loaded}>
        {({ rows, total }) =>
          total === 0 && filter === '' ? (
            <p class="quiet">{empty}</p>
          ) : (
            <>
              <div class="toolbar">
                <SelectField
                  label={texts.filter}
                  value={filter}
                  onValue={(value) => {
                    setStart(0)
                    setFilter(value)
                  }}
                  options={[{ value: '', label: texts.every }, ...choices]}
                />
              </div>
              {total === 0 ? (
                <Empty>{texts.noMatch}</Empty>
              ) : (
                <>
                  <Table
                    caption={texts.title}
                    rows={rows}
                    columns={columns(loaded.reload)}
                    keyOf={({ id }) => id}
                  />
                  {total === null && (
                    <p class="quiet small">{mauticWords.refusals.many(countMax)}</p>
                  )}
                  <Pager
                    start={start}
                    limit={limit}
                    total={total ?? countMax}
                    onStart={setStart}
                    list={texts.title}
                  />
                </>
              )}
            </>
          )
        }
      </Show>
    </Card>
  )
}

/** What the links of daily emails lead to. */
export const refusalsAnchor = 'refusals'

const refusalColumns: readonly Column<Schema<'MauticRefusal'>>[] = [
  {
    label: mauticWords.refusals.recipient,
    isName: true,
    show: ({ id, recipient }) =>
      can('email:view') ? <a href={`/deliveries/${id}`}>{recipient}</a> : recipient,
  },
  {
    label: mauticWords.refusals.reason,
    show: ({ outcome, transport, code, status, reason }) => (
      <>
        <OutcomeBadge outcome={outcome} />{' '}
        {transport !== null && <span class="quiet small">{transport}</span>}
        <p class="quiet small clamp">
          {[code, status, reason].filter((part) => part !== null).join(' ')}
        </p>
      </>
    ),
  },
  {
    label: mauticWords.refusals.email,
    priority: 3,
    show: ({ emailId, emailName }) =>
      emailId === null ? (
        words.none
      ) : (
        <>
          {emailName}
          <p class="quiet small">{mauticWords.refusals.emailId(emailId)}</p>
        </>
      ),
  },
  { label: mauticWords.refusals.date, priority: 2, show: ({ date }) => <Time iso={date} /> },
]

/** The messages of a Mautic that were not delivered, or perhaps not. */
export function Refusals({ id }: { id: number }) {
  const section = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (location.hash === `#${refusalsAnchor}`) section.current?.scrollIntoView()
  }, [])
  const options = refusalOutcomes.map((outcome) => [outcome, words.outcomes[outcome]])
  return (
    <div id={refusalsAnchor} ref={section}>
      <PartList
        texts={mauticWords.refusals}
        empty={mauticWords.refusals.empty}
        options={Object.fromEntries(options)}
        columns={() => refusalColumns}
        load={async ({ filter: outcome, ...page }, signal) => {
          const options = { path: { id }, query: { ...page, outcome }, signal }
          const { body } = await ask('GET', '/api/mautics/{id}/refusals', options)
          return { rows: body.refusals, total: body.total }
        }}
      />
    </div>
  )
}

const text = mauticWords.reports

type Report = Schema<'MauticReport'>

const tones: Record<Report['state'], Tone> = { queued: 'accent', done: 'good', failed: 'bad' }

const reportColumns: readonly Column<Report>[] = [
  {
    label: text.address,
    isName: true,
    show: ({ address, comments }) => (
      <>
        {address}
        <p class="quiet small clamp">{comments}</p>
      </>
    ),
  },
  {
    label: text.stateLabel,
    show: ({ state, attempts, problem }) => (
      <>
        <Badge tone={tones[state]}>{text.states[state]}</Badge>
        {attempts > 0 && <p class="quiet small nowrap">{text.attempts(attempts)}</p>}
        {problem !== null && <p class="small">{problem}</p>}
      </>
    ),
  },
  {
    label: text.reason,
    priority: 2,
    show: ({ reason }) => <span class="nowrap">{text.reasons[reason]}</span>,
  },
  { label: text.added, priority: 3, show: ({ dateAdded }) => <Time iso={dateAdded} /> },
  { label: text.next, priority: 4, show: ({ nextAttempt }) => <Time iso={nextAttempt} /> },
]

/** What was reported to the Do not contact list of a Mautic, and what waits. */
export function Reports({ mautic: { id, isReporting } }: { mautic: Mautic }) {
  const mayChange = can('api:edit') || can('api:delete')
  const actions = (onDone: () => void): Column<Report> => ({
    label: text.actions,
    show: (report) => <Actions id={id} report={report} onDone={onDone} />,
  })
  return (
    <PartList
      texts={text}
      empty={isReporting ? text.empty : text.disabled}
      options={text.states}
      columns={(reload) => (mayChange ? [...reportColumns, actions(reload)] : reportColumns)}
      load={async ({ filter: state, ...page }, signal) => {
        const options = { path: { id }, query: { ...page, state }, signal }
        const { body } = await ask('GET', '/api/mautics/{id}/reports', options)
        return { rows: body.reports, total: body.total }
      }}
    />
  )
}

/** Sends a report now, or deletes it. What Mautic has accepted stays on its list. */
function Actions({ id, report, onDone }: { id: number; report: Report; onDone: () => void }) {
  const { isBusy, run } = useAction()
  const { address, state } = report
  const path = { id, reportId: report.id }
  const retry = async () => {
    await ask('POST', '/api/mautics/{id}/reports/{reportId}/retry', { path })
    showToast(text.retried(address))
    onDone()
  }
  const remove = async () => {
    await ask('DELETE', '/api/mautics/{id}/reports/{reportId}/delete', { path })
    showToast(text.deleted(address))
    onDone()
  }
  const button = (label: string, full: string, action: () => Promise<void>) => (
    <Button kind="plain" isBusy={isBusy} aria-label={full} onClick={() => void run(action)}>
      {label}
    </Button>
  )
  return (
    <span class="row">
      {can('api:edit') && state !== 'done' && button(text.retry, text.retryOf(address), retry)}
      {can('api:delete') && button(words.delete, text.deleteOf(address), remove)}
    </span>
  )
}
