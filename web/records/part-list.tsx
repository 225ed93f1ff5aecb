import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Empty } from '../design/feedback.tsx'
import { choicesOf, SelectField } from '../design/field.tsx'
import { Card, Show } from '../design/page.tsx'
import { type Column, Pager, Table } from '../design/table.tsx'
import { useFresh } from '../lib/use-data.ts'

const limit = 20

interface PartQuery {
  start: number
  limit: number
  /** The chosen filter; empty for none. */
  filter: string
}

/** A list that is one part of a page: with one filter and separate pages. */
export function PartList<Row extends { id: number }>({
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
  load: (query: PartQuery, signal: AbortSignal) => Promise<{ rows: readonly Row[]; total: number }>
}) {
  const [start, setStart] = useState(0)
  const [filter, setFilter] = useState('')
  const loaded = useFresh(
    (signal) => load({ start, limit, filter }, signal),
    [start, filter],
    10_000,
  )
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
                  options={choicesOf({ '': texts.every, ...options })}
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
                  <Pager
                    start={start}
                    limit={limit}
                    total={total}
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
