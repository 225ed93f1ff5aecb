import { useEffect, useRef } from 'preact/hooks'
import { refusalOutcomes } from '../../../src/delivery/outcomes.ts'
import type { Column } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { OutboxActions, outboxState, outboxTimes } from '../../records/outbox.tsx'
import { OutcomeBadge } from '../../records/outcome-badge.tsx'
import { PartList } from '../../records/part-list.tsx'
import { words } from '../../words/common.ts'
import { mauticWords } from '../../words/mautics.ts'
import { outboxWords } from '../../words/outbox.ts'
import type { Mautic } from './record.tsx'

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
  outboxState,
  {
    label: text.reason,
    priority: 2,
    show: ({ reason }) => <span class="nowrap">{text.reasons[reason]}</span>,
  },
  ...outboxTimes,
]

/** What was reported to the Do not contact list of a Mautic, and what waits. */
export function Reports({ mautic: { id, isReporting } }: { mautic: Mautic }) {
  const mayChange = can('api:edit') || can('api:delete')
  const actions = (onDone: () => void): Column<Report> => ({
    label: outboxWords.actions,
    show: ({ id: reportId, state, address }) => {
      const options = { path: { id, reportId } }
      return (
        <OutboxActions
          state={state}
          texts={text.of(address)}
          retry={() => ask('POST', '/api/mautics/{id}/reports/{reportId}/retry', options)}
          remove={() => ask('DELETE', '/api/mautics/{id}/reports/{reportId}/delete', options)}
          onDone={onDone}
        />
      )
    },
  })
  return (
    <PartList
      texts={text}
      empty={isReporting ? text.empty : text.disabled}
      options={outboxWords.states}
      columns={(reload) => (mayChange ? [...reportColumns, actions(reload)] : reportColumns)}
      load={async ({ filter: state, ...page }, signal) => {
        const options = { path: { id }, query: { ...page, state }, signal }
        const { body } = await ask('GET', '/api/mautics/{id}/reports', options)
        return { rows: body.reports, total: body.total }
      }}
    />
  )
}
