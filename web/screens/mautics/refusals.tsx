import { useEffect, useRef, useState } from 'preact/hooks'
import { refusalOutcomes } from '../../../src/delivery/outcomes.ts'
import { Empty } from '../../design/feedback.tsx'
import { SelectField } from '../../design/field.tsx'
import { Show } from '../../design/page.tsx'
import { type Column, Pager, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Schema } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import { OutcomeBadge } from '../../records/outcome-badge.tsx'
import { words } from '../../words/common.ts'
import { mauticWords } from '../../words/mautics.ts'

const text = mauticWords.refusals

type Refusal = Schema<'MauticRefusal'>

/** What the links of daily emails lead to. */
const anchor = 'refusals'
const limit = 20
/** The server counts and skips 10,000 at most. */
const countMax = 10_000
const choices = [
  { value: '', label: text.every },
  ...refusalOutcomes.map((value) => ({ value, label: words.outcomes[value] })),
]

const columns: readonly Column<Refusal>[] = [
  {
    label: text.date,
    show: ({ id, date }) =>
      can('email:view') ? (
        <a href={`/deliveries/${id}`}>
          <Time iso={date} />
        </a>
      ) : (
        <Time iso={date} />
      ),
  },
  { label: text.recipient, show: ({ recipient }) => recipient },
  {
    label: text.email,
    show: ({ emailId, emailName }) =>
      emailId === null ? (
        words.none
      ) : (
        <>
          {emailName}
          <p class="quiet small">{text.emailId(emailId)}</p>
        </>
      ),
  },
  {
    label: text.reason,
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
]

/** The messages of a Mautic that were not delivered, or perhaps not. */
export function Refusals({ id }: { id: number }) {
  const [start, setStart] = useState(0)
  const [outcome, setOutcome] = useState('')
  const loaded = useData(
    async (signal) => {
      const query = { start, limit, outcome }
      const path = { id }
      return (await ask('GET', '/api/mautics/{id}/refusals', { path, query, signal })).body
    },
    [id, start, outcome],
  )
  const section = useRef<HTMLElement>(null)
  const isLoaded = loaded.data !== undefined
  useEffect(() => {
    if (isLoaded && location.hash === `#${anchor}`) section.current?.scrollIntoView()
  }, [isLoaded])
  const choose = (next: string) => {
    setStart(0)
    setOutcome(next)
  }
  return (
    <section class="card" id={anchor} aria-label={text.title} ref={section}>
      <h2>{text.title}</h2>
      <p class="quiet small">{text.help}</p>
      <Show loaded={loaded}>
        {({ refusals, total }) =>
          total === 0 && outcome === '' ? (
            <p class="quiet">{text.empty}</p>
          ) : (
            <>
              <div class="row">
                <SelectField
                  label={text.filter}
                  value={outcome}
                  onValue={choose}
                  options={choices}
                />
              </div>
              {total === 0 ? (
                <Empty>{text.noMatch}</Empty>
              ) : (
                <>
                  <Table
                    caption={text.title}
                    rows={refusals}
                    columns={columns}
                    keyOf={(refusal) => refusal.id}
                  />
                  {total === null && <p class="quiet small">{text.many(countMax)}</p>}
                  <Pager
                    start={start}
                    limit={limit}
                    total={total ?? countMax}
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
