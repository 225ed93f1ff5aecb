import { useLocation } from 'preact-iso/router'
import { Empty } from '../../design/feedback.tsx'
import { NextPages } from '../../design/next-pages.tsx'
import { Page, Show } from '../../design/page.tsx'
import { ask, withQuery } from '../../lib/api.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useData } from '../../lib/use-data.ts'
import { useRepeat } from '../../lib/use-repeat.ts'
import {
  isWholeTransport,
  type QueueFilters,
  readQueueFilters,
} from '../../records/queue-filters.ts'
import { queueWords as texts } from '../../words/queue.ts'
import { Brakes } from './brakes.tsx'
import { QueueFilterForm } from './filter-form.tsx'
import { QueueMessages } from './queue-messages.tsx'
import { QueueTotals } from './queue-totals.tsx'

const refreshMs = 5_000
const pageSize = 50

/** What is stored and not sent yet: the numbers, and the messages with what can be done with them. */
export function QueueScreen() {
  const { query } = useAddress()
  const { route } = useLocation()
  const filters = readQueueFilters(query)
  const { next: position } = query
  const go = (chosen: QueueFilters, next?: number) =>
    route(withQuery('/queue', { ...chosen, next }))
  const totals = useData(async (signal) => (await ask('GET', '/api/queue', { signal })).body, [])
  const brakes = useData(
    async (signal) => (await ask('GET', '/api/queue/brakes', { signal })).body.brakes,
    [],
  )
  const listQuery = { ...filters, next: position, limit: pageSize }
  const list = useData(
    async (signal) => (await ask('GET', '/api/queue/messages', { query: listQuery, signal })).body,
    [JSON.stringify(listQuery)],
  )
  const reload = () => {
    totals.reload()
    brakes.reload()
    list.reload()
  }
  useRepeat(async () => reload(), refreshMs)
  return (
    <Page title={texts.title}>
      <p class="quiet">{texts.intro}</p>
      {brakes.data !== undefined && <Brakes brakes={brakes.data} onChanged={reload} />}
      <Show loaded={totals}>{(queue) => <QueueTotals queue={queue} />}</Show>
      <h2>{texts.messages}</h2>
      <QueueFilterForm
        key={JSON.stringify(filters)}
        filters={filters}
        groups={totals.data?.groups ?? []}
        onFilters={go}
      />
      <Show loaded={list}>
        {({ messages, next }) => (
          <>
            {messages.length === 0 && !isWholeTransport(filters) ? (
              <Empty>{next === null ? texts.noMatch : texts.searchOn}</Empty>
            ) : (
              <QueueMessages
                key={JSON.stringify(listQuery)}
                messages={messages}
                empty={next === null ? texts.noMatch : texts.searchOn}
                filters={filters}
                onChanged={reload}
              />
            )}
            <NextPages position={position} next={next} onPage={(from) => go(filters, from)} />
          </>
        )}
      </Show>
    </Page>
  )
}
