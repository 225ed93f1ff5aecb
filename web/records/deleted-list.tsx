import { useState } from 'preact/hooks'
import { Button } from '../design/button.tsx'
import { Confirm } from '../design/dialog.tsx'
import { Empty } from '../design/feedback.tsx'
import { Show } from '../design/page.tsx'
import { SearchForm } from '../design/search-form.tsx'
import { Selection } from '../design/selection.tsx'
import { showBatch } from '../design/show-batch.ts'
import { type Column, Pager, Table } from '../design/table.tsx'
import { Time } from '../design/time.tsx'
import { can } from '../lib/session.ts'
import { useAction } from '../lib/use-action.ts'
import { useData } from '../lib/use-data.ts'
import { useList } from '../lib/use-list.ts'
import { deletedWords as text } from '../words/deleted.ts'
import {
  type DeletedItem,
  deleteRecords,
  type Kind,
  kinds,
  listDeleted,
  restoreRecords,
} from './deletable.ts'

/** The deleted records of a kind: search, restore and erase, one or many at once. */
export function DeletedList({ kind }: { kind: Kind }) {
  const list = useList({ field: 'dateDeleted', isDescending: true })
  const loaded = useData((signal) => listDeleted(kind, list, signal), [list.key])
  const { selected, onSelect } = list.selecting
  const [erasing, setErasing] = useState<readonly DeletedItem[]>([])
  const canRestore = can(`${kinds[kind].area}:delete`)
  const { isBusy, run } = useAction()
  const finish = () => {
    onSelect(new Set())
    loaded.reload()
  }
  const restore = (ids: readonly number[]) =>
    run(async () => {
      await restoreRecords(kind, ids)
      finish()
    })
  const erase = async () => {
    const ids = erasing.map(({ id }) => id)
    showBatch(text.erased, await deleteRecords(kind, ids, { erase: '1' }))
    finish()
  }
  const actions: Column<DeletedItem> = {
    label: text.actions,
    show: (item) => (
      <span class="row">
        <Button
          isBusy={isBusy}
          aria-label={text.restoreOne(item.name)}
          onClick={() => void restore([item.id])}
        >
          {text.restore}
        </Button>
        <Button
          kind="plain"
          aria-label={text.eraseOne(item.name)}
          onClick={() => setErasing([item])}
        >
          {text.erase}
        </Button>
      </span>
    ),
  }
  return (
    <Show loaded={loaded}>
      {({ items, total }) => (
        <>
          <p class="quiet">{text.help}</p>
          {total === 0 && list.asked.search === '' ? (
            <Empty>{text.empty}</Empty>
          ) : (
            <>
              <SearchForm {...list.searching} label={text.search} />
              <Selection selected={selected} onSelect={onSelect}>
                <Button isBusy={isBusy} onClick={() => void restore([...selected])}>
                  {text.restore}
                </Button>
                <Button
                  kind="danger"
                  onClick={() => setErasing([...selected].map((id) => itemOf(items, id)))}
                >
                  {text.erase}
                </Button>
              </Selection>
              {total === 0 ? (
                <Empty>{text.noMatch}</Empty>
              ) : (
                <>
                  <Table
                    caption={text.title}
                    rows={items}
                    columns={canRestore ? [...columns, actions] : columns}
                    keyOf={({ id }) => id}
                    {...list.ordering}
                    {...(canRestore ? list.selecting : {})}
                  />
                  <Pager {...list.paging} total={total} />
                </>
              )}
            </>
          )}
          {erasing.length > 0 && (
            <Confirm
              title={text.eraseTitle(erasing.map(({ name }) => name))}
              text={text.eraseText}
              action={text.erase}
              onConfirm={erase}
              onClose={() => setErasing([])}
            />
          )}
        </>
      )}
    </Show>
  )
}

const columns: readonly Column<DeletedItem>[] = [
  { label: text.name, field: 'name', show: ({ name }) => name },
  {
    label: text.date,
    field: 'dateDeleted',
    show: ({ dateDeleted }) => <Time iso={dateDeleted} />,
  },
  { label: text.by, field: 'deletedBy', show: ({ deletedBy }) => deletedBy },
]

/** A selected record; one on another page has its id alone. */
function itemOf(items: readonly DeletedItem[], id: number): DeletedItem {
  const known = items.find((item) => item.id === id)
  return known ?? { id, name: String(id), dateDeleted: '', deletedBy: '' }
}
