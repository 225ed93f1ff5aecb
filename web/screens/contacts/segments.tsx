import { Empty } from '../../design/feedback.tsx'
import { Show } from '../../design/page.tsx'
import { SearchForm } from '../../design/search-form.tsx'
import { type Column, Pager, Table } from '../../design/table.tsx'
import { ask, type Schema, withQuery } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import { useList } from '../../lib/use-list.ts'
import { words } from '../../words/common.ts'
import { contactWords } from '../../words/contacts.ts'
import { formatNumber } from '../../words/format.ts'

const text = contactWords

/** The segments that contacts are in, with their counts. */
export function Segments() {
  const list = useList({ field: 'name', isDescending: false })
  const loaded = useData(
    async (signal) => (await ask('GET', '/api/segments', { query: list.asked, signal })).body,
    [list.key],
  )
  const columns: Column<Schema<'Segment'>>[] = [
    { label: text.segmentName, field: 'name', show: ({ name }) => name },
    {
      label: text.segmentCount,
      isNumber: true,
      show: ({ contactCount }) => formatNumber(contactCount),
    },
  ]
  if (can('email:send'))
    columns.push({
      label: words.places.broadcasts,
      show: ({ name }) => <a href={withQuery('/broadcasts/new', { segment: name })}>{text.send}</a>,
    })
  return (
    <Show loaded={loaded}>
      {({ lists, total }) =>
        total === 0 && list.asked.search === '' ? (
          <Empty>
            <p>{text.emptySegments}</p>
          </Empty>
        ) : (
          <>
            <SearchForm {...list.searching} label={text.searchSegments} />
            {total === 0 ? (
              <Empty>{text.noSegmentMatch}</Empty>
            ) : (
              <>
                <Table
                  caption={text.segments}
                  rows={lists}
                  columns={columns}
                  keyOf={({ name }) => name}
                  {...list.ordering}
                />
                <Pager {...list.paging} total={total} />
              </>
            )}
          </>
        )
      }
    </Show>
  )
}
