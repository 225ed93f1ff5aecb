import { useLocation } from 'preact-iso/router'
import { Button, ButtonLink } from '../../design/button.tsx'
import { Empty, HelpLink } from '../../design/feedback.tsx'
import { NextPages } from '../../design/next-pages.tsx'
import { Page, Show } from '../../design/page.tsx'
import { type Column, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, withQuery } from '../../lib/api.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useData } from '../../lib/use-data.ts'
import { deliveriesHref, type Filters, readFilters } from '../../records/delivery-filters.ts'
import { originColumns } from '../../records/origin-columns.tsx'
import { OutcomeBadge } from '../../records/outcome-badge.tsx'
import {
  type Delivery,
  type DeliveryPage,
  pageSize,
  useDeliveries,
} from '../../records/use-deliveries.ts'
import { useEmailNames } from '../../records/use-email-names.ts'
import { words } from '../../words/common.ts'
import { deliveryWords } from '../../words/deliveries.ts'
import { FilterForm } from './filter-form.tsx'
import { Recipient } from './recipient.tsx'
import { UncertainDeliveries } from './uncertain.tsx'

const texts = deliveryWords
const { labels } = texts

const columnsOf = (origin: readonly Column<Delivery>[]): readonly Column<Delivery>[] => [
  { label: labels.time, show: ({ date }) => <Time iso={date} /> },
  { label: labels.outcome, show: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
  { label: labels.recipient, show: (delivery) => <Recipient delivery={delivery} /> },
  ...origin,
  { label: labels.transport, show: ({ transport }) => transport ?? words.none },
  { label: labels.reply, show: ({ reply, reason }) => <Reply text={reason ?? reply} /> },
]

function Reply({ text }: { text: string | null }) {
  return <span class="small clamp">{text ?? words.none}</span>
}

/** The delivery log, live at the top. Its filters are in the address, so that a list can be shared. */
export function DeliveriesScreen() {
  const { query } = useAddress()
  const { route } = useLocation()
  const filters = readFilters(query)
  const go = (chosen: Filters, next?: number) =>
    route(withQuery('/deliveries', { ...chosen, next }))
  const isUncertain = filters.outcome === 'uncertain'
  const download = (
    <a class="button" href={withQuery('/api/deliveries.csv', filters)} download="deliveries.csv">
      {texts.download}
    </a>
  )
  return (
    <Page title={texts.title} actions={download}>
      <Tabs filters={filters} />
      <FilterForm key={JSON.stringify(filters)} filters={filters} onFilters={go} />
      <DeliveryRows
        key={isUncertain ? 'uncertain' : 'all'}
        filters={filters}
        position={query['next']}
        onPage={(next) => go(filters, next)}
      />
    </Page>
  )
}

/** All deliveries, or those that a person has to decide, with their number. */
function Tabs({ filters }: { filters: Filters }) {
  const counted = useData(
    async (signal) => {
      const query = { outcome: 'uncertain', limit: 1, total: 1 }
      const options = { query, signal, isBackground: true }
      return (await ask('GET', '/api/deliveries', options)).body.total ?? undefined
    },
    [filters.outcome],
  )
  const isUncertain = filters.outcome === 'uncertain'
  const tabs = [
    { outcome: '', label: texts.tabs.all, isCurrent: !isUncertain },
    {
      outcome: 'uncertain',
      label: texts.tabs.uncertain(counted.data ?? 0),
      isCurrent: isUncertain,
    },
  ]
  return (
    <nav class="tabs" aria-label={texts.title}>
      {tabs.map(({ outcome, label, isCurrent }) => (
        <a
          key={outcome}
          class="tab"
          href={deliveriesHref({ ...filters, outcome })}
          aria-current={isCurrent ? 'page' : undefined}
        >
          {label}
        </a>
      ))}
    </nav>
  )
}

interface RowsProps {
  filters: Filters
  position: string | undefined
  onPage: (position: number | undefined) => void
}

function DeliveryRows({ filters, position, onPage }: RowsProps) {
  const { loaded, newCount, showNew } = useDeliveries(filters, position)
  const { deliveries: rows = [] } = loaded.data ?? {}
  const origin = originColumns(rows, useEmailNames(rows))
  const isUncertain = filters.outcome === 'uncertain'
  return (
    <>
      <div class="new-deliveries" role="status">
        {newCount > 0 && (
          <Button onClick={showNew}>
            {newCount < pageSize ? texts.showNew(newCount) : texts.showMany(pageSize)}
          </Button>
        )}
      </div>
      <Show loaded={loaded}>
        {(page) => (
          <>
            {page.deliveries.length === 0 && (
              <NoDeliveries page={page} isFiltered={Object.keys(filters).length > 0} />
            )}
            {page.deliveries.length > 0 &&
              (isUncertain ? (
                <UncertainDeliveries
                  deliveries={page.deliveries}
                  origin={origin}
                  onDecided={loaded.reload}
                />
              ) : (
                <Table
                  caption={texts.title}
                  rows={page.deliveries}
                  columns={columnsOf(origin)}
                  keyOf={({ id }) => id}
                />
              ))}
            <NextPages position={position} next={page.next} onPage={onPage} />
          </>
        )}
      </Show>
    </>
  )
}

/** A search stops after some seconds, so that a page may be empty although there is more. */
function NoDeliveries({ page, isFiltered }: { page: DeliveryPage; isFiltered: boolean }) {
  if (page.next !== null) return <Empty>{texts.searchOn}</Empty>
  if (isFiltered)
    return (
      <Empty>
        <p>{texts.noMatch}</p>
        <HelpLink page="jane-did-not-get-her-mail">{texts.task}</HelpLink>
      </Empty>
    )
  return (
    <Empty>
      <p>{texts.none}</p>
      <ButtonLink href="/emails">{texts.toEmails}</ButtonLink>
    </Empty>
  )
}
