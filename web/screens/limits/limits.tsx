import { ButtonLink } from '../../design/button.tsx'
import { Badge, Empty, HelpLink } from '../../design/feedback.tsx'
import { Page, Show } from '../../design/page.tsx'
import { SearchForm } from '../../design/search-form.tsx'
import { type Column, Pager, Table } from '../../design/table.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import { useList } from '../../lib/use-list.ts'
import { useRepeat } from '../../lib/use-repeat.ts'
import { UsageBars } from '../../records/usage-bars.tsx'
import { words } from '../../words/common.ts'
import { formatNumber } from '../../words/format.ts'
import { limitWords as text } from '../../words/limits.ts'
import type { Limit } from './draft.ts'

const refreshMs = 10_000

const columns: readonly Column<Limit>[] = [
  { label: text.name, field: 'name', show: (limit) => <Name limit={limit} /> },
  {
    label: text.used,
    show: ({ usage }) => (usage === undefined ? words.none : <UsageBars usage={usage} />),
  },
  {
    label: text.labels.transports,
    isNumber: true,
    show: ({ transports }) => formatNumber(transports.length),
  },
  {
    label: text.labels.overflow,
    field: 'overflow',
    show: (limit) => text.overflows[limit.overflow],
  },
  {
    label: text.state,
    field: 'isPublished',
    show: ({ isPublished }) => (
      <Badge tone={isPublished ? 'good' : 'neutral'}>
        {isPublished ? words.published : words.unpublished}
      </Badge>
    ),
  },
]

function Name({ limit: { id, name, description } }: { limit: Limit }) {
  return (
    <>
      <a href={`/limits/${id}`}>{name}</a>
      {description !== null && description !== '' && <p class="quiet small">{description}</p>}
    </>
  )
}

/** The limits of provider accounts, and what is used of each. */
export function LimitsScreen() {
  const list = useList({ field: 'name', isDescending: false })
  const loaded = useData(
    async (signal) => {
      const query = { ...list.asked, with: 'usage' }
      return (await ask('GET', '/api/limits', { query, signal })).body
    },
    [list.key],
  )
  useRepeat(async () => loaded.reload(), refreshMs)
  const add = can('multipleTransports:create') && (
    <ButtonLink kind="primary" href="/limits/new">
      {text.add}
    </ButtonLink>
  )
  return (
    <Page title={text.title} actions={add}>
      <Show loaded={loaded}>
        {({ limits, total }) =>
          total === 0 && list.asked.search === '' ? (
            <Empty>
              <p>{text.empty}</p>
              {add}
              <HelpLink page="warm-up">{text.task}</HelpLink>
            </Empty>
          ) : (
            <>
              <SearchForm {...list.searching} label={text.search} />
              {total === 0 ? (
                <Empty>{text.noMatch}</Empty>
              ) : (
                <>
                  <Table
                    caption={text.title}
                    rows={limits}
                    columns={columns}
                    keyOf={({ id }) => id}
                    {...list.ordering}
                  />
                  <Pager {...list.paging} total={total} />
                </>
              )}
            </>
          )
        }
      </Show>
    </Page>
  )
}
