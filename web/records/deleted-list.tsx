import { useState } from 'preact/hooks'
import { ActionButton, Button } from '../design/button.tsx'
import { Confirm } from '../design/dialog.tsx'
import { showBatch } from '../design/show-batch.ts'
import type { Column } from '../design/table.tsx'
import { can } from '../lib/session.ts'
import { words } from '../words/common.ts'
import { deletedWords as text } from '../words/deleted.ts'
import { labels } from '../words/records.ts'
import { timeColumn } from './columns.tsx'
import {
  type DeletedItem,
  deleteRecords,
  type Kind,
  kinds,
  listDeleted,
  restoreRecords,
} from './deletable.ts'
import { ResourceList } from './list.tsx'

/** What is to be erased, and what is called afterwards. */
interface Erasing {
  ids: readonly number[]
  title: string
  onDone: () => void
}

/** The deleted records of a kind: search, restore and erase, one or many at once. */
export function DeletedList({ kind }: { kind: Kind }) {
  const [version, setVersion] = useState(0)
  const [erasing, setErasing] = useState<Erasing>()
  const reload = () => setVersion(version + 1)
  const restore = async (ids: readonly number[], onDone: () => void) => {
    await restoreRecords(kind, ids)
    onDone()
  }
  const erase = async ({ ids, onDone }: Erasing) => {
    showBatch(text.erased, await deleteRecords(kind, ids, { erase: '1' }))
    onDone()
  }
  const actions: Column<DeletedItem> = {
    label: labels.actions,
    kind: 'actions',
    show: ({ id, name }) => (
      <span class="row">
        <ActionButton aria-label={text.restoreOne(name)} action={() => restore([id], reload)}>
          {text.restore}
        </ActionButton>
        <Button
          kind="plain"
          aria-label={text.eraseOne(name)}
          onClick={() => setErasing({ ids: [id], title: text.eraseTitle(name), onDone: reload })}
        >
          {text.erase}
        </Button>
      </span>
    ),
  }
  const canRestore = can(`${kinds[kind].area}:delete`)
  return (
    <>
      <p class="quiet">{text.help}</p>
      <ResourceList
        // What is selected may be gone after an action on a row.
        key={version}
        texts={text}
        columns={canRestore ? [...columns, actions] : columns}
        order={{ field: 'dateDeleted', isDescending: true }}
        load={(query, signal) => listDeleted(kind, query, signal)}
        actions={
          canRestore
            ? ({ ids, onDone }) => (
                <>
                  <ActionButton action={() => restore(ids, onDone)}>{text.restore}</ActionButton>
                  <Button
                    kind="danger"
                    onClick={() => setErasing({ ids, title: text.eraseMany(ids.length), onDone })}
                  >
                    {words.withNumber(text.erase, ids.length)}
                  </Button>
                </>
              )
            : undefined
        }
      />
      {erasing !== undefined && (
        <Confirm
          title={erasing.title}
          text={text.eraseText}
          action={words.withNumber(text.erase, erasing.ids.length)}
          keep={erasing.ids.length > 1 ? words.keepThem : words.keepIt}
          onConfirm={() => erase(erasing)}
          onClose={() => setErasing(undefined)}
        />
      )}
    </>
  )
}

const columns: readonly Column<DeletedItem>[] = [
  { label: labels.name, field: 'name', kind: 'name', show: ({ name }) => name },
  timeColumn(words.deleted, ({ dateDeleted }) => dateDeleted, {
    field: 'dateDeleted',
    priority: 2,
  }),
  { label: text.by, field: 'deletedBy', priority: 3, show: ({ deletedBy }) => deletedBy },
]
