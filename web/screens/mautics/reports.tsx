import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Badge, Empty } from '../../design/feedback.tsx'
import { SelectField } from '../../design/field.tsx'
import { Show } from '../../design/page.tsx'
import { type Column, Pager, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast, type Tone } from '../../lib/toasts.ts'
import { useAction } from '../../lib/use-action.ts'
import { useData } from '../../lib/use-data.ts'
import { useRepeat } from '../../lib/use-repeat.ts'
import { words } from '../../words/common.ts'
import { mauticWords } from '../../words/mautics.ts'

const text = mauticWords.reports

type Report = Schema<'MauticReport'>
type State = Report['state']

const tones: Record<State, Tone> = { queued: 'accent', done: 'good', failed: 'bad' }
const states = Object.entries(text.states).map(([value, label]) => ({ value, label }))
const limit = 20
const intervalMs = 10_000

const columns: readonly Column<Report>[] = [
  {
    label: text.address,
    show: ({ address, comments }) => (
      <>
        {address}
        <p class="quiet small clamp">{comments}</p>
      </>
    ),
  },
  {
    label: text.reason,
    show: ({ reason }) => <span class="nowrap">{text.reasons[reason]}</span>,
  },
  {
    label: text.stateLabel,
    show: ({ state, attempts }) => (
      <>
        <Badge tone={tones[state]}>{text.states[state]}</Badge>
        {attempts > 0 && <p class="quiet small nowrap">{text.attempts(attempts)}</p>}
      </>
    ),
  },
  { label: text.added, show: ({ dateAdded }) => <Time iso={dateAdded} /> },
  { label: text.next, show: ({ nextAttempt }) => <Time iso={nextAttempt} /> },
  {
    label: text.problem,
    show: ({ problem }) => <span class="small">{problem ?? words.none}</span>,
  },
]

/** What was reported to the Do not contact list of a Mautic, and what waits. */
export function Reports({ id, isReporting }: { id: number; isReporting: boolean }) {
  const [start, setStart] = useState(0)
  const [state, setState] = useState('')
  const loaded = useData(
    async (signal) => {
      const query = { start, limit, state }
      const path = { id }
      return (await ask('GET', '/api/mautics/{id}/reports', { path, query, signal })).body
    },
    [id, start, state],
  )
  useRepeat(async () => loaded.reload(), intervalMs)
  const choose = (next: string) => {
    setStart(0)
    setState(next)
  }
  const actions: Column<Report> = {
    label: text.actions,
    show: (report) => <Actions id={id} report={report} onDone={loaded.reload} />,
  }
  return (
    <section class="card" aria-label={text.title}>
      <h2>{text.title}</h2>
      <p class="quiet small">{text.help}</p>
      <Show loaded={loaded}>
        {({ reports, total }) =>
          total === 0 && state === '' ? (
            <p class="quiet">{isReporting ? text.empty : text.disabled}</p>
          ) : (
            <>
              <div class="row">
                <SelectField
                  label={text.filter}
                  value={state}
                  onValue={choose}
                  options={[{ value: '', label: text.every }, ...states]}
                />
              </div>
              {total === 0 ? (
                <Empty>{text.noMatch}</Empty>
              ) : (
                <>
                  <Table
                    caption={text.title}
                    rows={reports}
                    columns={mayChange() ? [...columns, actions] : columns}
                    keyOf={(report) => report.id}
                  />
                  <Pager
                    start={start}
                    limit={limit}
                    total={total}
                    onStart={setStart}
                    list={text.title}
                  />
                </>
              )}
            </>
          )
        }
      </Show>
    </section>
  )
}

const mayChange = () => can('api:edit') || can('api:delete')

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
  return (
    <span class="row">
      {can('api:edit') && state !== 'done' && (
        <Button
          kind="plain"
          isBusy={isBusy}
          aria-label={text.retryOf(address)}
          onClick={() => run(retry)}
        >
          {text.retry}
        </Button>
      )}
      {can('api:delete') && (
        <Button
          kind="plain"
          isBusy={isBusy}
          aria-label={text.deleteOf(address)}
          onClick={() => run(remove)}
        >
          {words.delete}
        </Button>
      )}
    </span>
  )
}
