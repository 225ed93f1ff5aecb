import { useEffect, useState } from 'preact/hooks'
import { deliveryEvents } from '../../../src/core/delivery/events.ts'
import { outcomes } from '../../../src/core/delivery/outcomes.ts'
import { Button, ButtonLink } from '../../design/button.tsx'
import { CopyText } from '../../design/copy-text.tsx'
import { Empty, HelpLink } from '../../design/feedback.tsx'
import { choicesOf } from '../../design/field.tsx'
import { ListViews } from '../../design/list-views.tsx'
import { Card, Page, Show } from '../../design/page.tsx'
import { type Column, NextPages, Selection, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { withQuery } from '../../lib/api.ts'
import { ofBrand, shownBrand } from '../../lib/brand.ts'
import { can } from '../../lib/session.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useData } from '../../lib/use-data.ts'
import type { Filters as DeliveryFilters } from '../../records/delivery-filters.ts'
import { Filters, type ListFilter } from '../../records/filters.tsx'
import { useMessageFilters } from '../../records/message-filters.ts'
import { useMessageColumns } from '../../records/message-origin.tsx'
import { DeliveryState } from '../../records/outcome-badge.tsx'
import { withTimes } from '../../records/periods.ts'
import {
  countUncertain,
  type Delivery,
  type DeliveryPage,
  pageSize,
  useDeliveries,
} from '../../records/use-deliveries.ts'
import { words } from '../../words/common.ts'
import { deliveryWords as texts } from '../../words/deliveries.ts'
import { DecideButtons, DecisionMeanings, searchText } from './decide.tsx'

const { labels, uncertain } = texts

const labelsOf = (table: Readonly<Record<string, { label: string }>>) =>
  choicesOf(Object.fromEntries(Object.entries(table).map(([value, { label }]) => [value, label])))

const outcomeFilters: readonly ListFilter[] = [
  { name: 'time', label: labels.time, kind: 'period' },
  { name: 'outcome', label: labels.outcome, options: labelsOf(outcomes) },
  { name: 'event', label: labels.event, options: labelsOf(deliveryEvents) },
]
const furtherFilters: readonly ListFilter[] = [
  { name: 'subject', label: labels.subject, kind: 'text' },
  { name: 'class', label: labels.class, options: choicesOf(texts.classes) },
  { name: 'source', label: labels.source, options: choicesOf(words.sources) },
  { name: 'sender', label: labels.sender, kind: 'text', help: words.partOfAddress },
  { name: 'search', label: labels.search, kind: 'text' },
  { name: 'messageId', label: labels.messageId, kind: 'text' },
  { name: 'member', label: labels.member },
  { name: 'emailId', label: labels.emailId },
  { name: 'contactId', label: labels.contactId },
]
const otherTransports = choicesOf({ default: words.default })
/** The API counts no more. */
const countedMax = 10_000

type Columns = readonly Column<Delivery>[]

const reason: Column<Delivery> = {
  label: labels.reply,
  kind: 'sentence',
  priority: 2,
  show: ({ reply, reason: text }) => text ?? reply ?? words.none,
}

const time: Column<Delivery> = {
  label: labels.time,
  kind: 'time',
  show: ({ date }) => <Time iso={date} />,
}

const columnsOf = (shared: Columns): Columns => [
  time,
  {
    label: labels.outcome,
    kind: 'state',
    show: (delivery) => <DeliveryState delivery={delivery} />,
  },
  ...shared,
  reason,
]

const uncertainColumnsOf = (shared: Columns): Columns => [
  time,
  ...shared,
  { label: labels.member, show: ({ member }) => <code>{member ?? words.none}</code> },
  {
    label: uncertain.lookFor,
    kind: 'sentence',
    priority: 2,
    show: (delivery) => <CopyText text={searchText(delivery)} isOneLine />,
  },
  { ...reason, priority: 4 },
]

/** The delivery log, live at the top. Its filters are in the address, so that a list can be shared. */
export default function DeliveriesScreen() {
  const { query, go } = useAddress()
  const [hits, setHits] = useState<string>()
  const bar = useMessageFilters(outcomeFilters, furtherFilters, otherTransports)
  const { values: chosen } = bar
  const filters = { ...withTimes(chosen), ...ofBrand() }
  const counted = useData(countUncertain, [chosen['outcome'], shownBrand.value])
  const isUncertain = chosen['outcome'] === 'uncertain'
  return (
    <Page
      title={words.places.deliveries}
      actions={
        <ButtonLink href={withQuery('/api/deliveries.csv', filters)} download="deliveries.csv">
          {texts.download}
        </ButtonLink>
      }
    >
      <ListViews
        label={words.places.deliveries}
        hrefOf={(outcome) => withQuery('/deliveries', { ...chosen, outcome })}
        shown={isUncertain ? 'uncertain' : ''}
        views={{ '': texts.tabs.all, uncertain: texts.tabs.uncertain(counted.data ?? 0) }}
      />
      <Filters {...bar} hits={hits} />
      <DeliveryRows
        key={JSON.stringify([filters, query['next']])}
        filters={filters}
        position={query['next']}
        onPage={(next) => go({ next })}
        onHits={setHits}
      />
    </Page>
  )
}

function DeliveryRows({
  filters,
  position,
  onPage,
  onHits,
}: {
  filters: DeliveryFilters
  position: string | undefined
  onPage: (position: number | undefined) => void
  /** Gets how many match, once that is known. */
  onHits: (hits: string) => void
}) {
  const { loaded, newCount } = useDeliveries(filters, position)
  const [selected, onSelect] = useState<ReadonlySet<number>>(new Set())
  const rows = loaded.data?.deliveries ?? []
  const shared = useMessageColumns('/deliveries', rows)
  const isUncertain = filters.outcome === 'uncertain'
  const canDecide = can('email:send')
  const { total, next } = loaded.data ?? {}
  const isFiltered = Object.keys(filters).length > 0
  useEffect(() => {
    const isAll = position === undefined && next === null
    const least = isFiltered ? rows.length : countedMax
    const hits = (count: number, more?: string) =>
      onHits(words.hits(count, words.places.deliveries, more))
    if (total !== undefined)
      hits(total ?? (isAll ? rows.length : least), total === null && !isAll ? '+' : '')
  }, [loaded.data?.total])
  return (
    <>
      <div class="new-deliveries" role="status">
        {newCount > 0 && (
          <Button onClick={loaded.reload}>
            {newCount < pageSize ? texts.showNew(newCount) : texts.showMany(pageSize)}
          </Button>
        )}
      </div>
      {isUncertain && rows.length > 0 && (
        <Card title={uncertain.title}>
          <p>{uncertain.explanation}</p>
          <DecisionMeanings />
          {!canDecide && <p class="quiet small">{uncertain.mayNot}</p>}
        </Card>
      )}
      <Selection selected={selected} onSelect={onSelect}>
        <DecideButtons
          ids={[...selected]}
          onDecided={() => {
            onSelect(new Set())
            loaded.reload()
          }}
        />
      </Selection>
      <Show loaded={loaded}>
        {(page) => (
          <>
            {rows.length === 0 ? (
              <NoDeliveries page={page} isFiltered={isFiltered} />
            ) : (
              <Table
                caption={isUncertain ? uncertain.title : words.places.deliveries}
                rows={rows}
                columns={(isUncertain ? uncertainColumnsOf : columnsOf)(shared)}
                keyOf={({ id }) => id}
                {...(isUncertain && canDecide ? { selected, onSelect } : {})}
              />
            )}
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
  return (
    <Empty>
      <p>{isFiltered ? texts.noMatch : texts.none}</p>
      {page.warnings?.map((warning) => (
        <p key={warning}>{warning}</p>
      ))}
      {isFiltered ? (
        <HelpLink page="jane-did-not-get-her-mail" />
      ) : (
        <ButtonLink href="/emails">{texts.toEmails}</ButtonLink>
      )}
    </Empty>
  )
}
