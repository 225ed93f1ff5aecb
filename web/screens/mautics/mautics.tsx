import { ButtonLink } from '../../design/button.tsx'
import { Empty, HelpLink } from '../../design/feedback.tsx'
import { Page, Show } from '../../design/page.tsx'
import { SearchForm } from '../../design/search-form.tsx'
import { type Column, Pager, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import { useList } from '../../lib/use-list.ts'
import { useRepeat } from '../../lib/use-repeat.ts'
import { mauticWords as text } from '../../words/mautics.ts'
import type { Mautic } from './draft.ts'
import { MauticState } from './mautic-state.tsx'

const intervalMs = 10_000

const columns: readonly Column<Mautic>[] = [
  {
    label: text.name,
    field: 'name',
    show: ({ id, name, url }) => (
      <>
        <a href={`/mautics/${id}`}>{name}</a>
        <p class="quiet small">{url}</p>
      </>
    ),
  },
  {
    label: text.state,
    show: (mautic) => (
      <>
        <MauticState mautic={mautic} />
        {mautic.status?.problem && <p class="small clamp">{mautic.status.problem}</p>}
      </>
    ),
  },
  {
    label: text.known,
    isNumber: true,
    show: ({ status }) => status && text.counts(status.emails, status.users),
  },
  {
    label: text.read,
    show: ({ status }) => <Time iso={status?.dateRead ?? null} />,
  },
]

/** The connected Mautics, and whether they can be read. */
export function MauticsScreen() {
  const list = useList({ field: 'name', isDescending: false })
  const loaded = useData(
    async (signal) => {
      const query = { ...list.asked, with: 'status' }
      return (await ask('GET', '/api/mautics', { query, signal })).body
    },
    [list.key],
  )
  useRepeat(async () => loaded.reload(), intervalMs)
  // Administrators of a connected Mautic may do everything.
  const add = can('*') && (
    <ButtonLink kind="primary" href="/mautics/new">
      {text.add}
    </ButtonLink>
  )
  return (
    <Page title={text.title} actions={add}>
      <Show loaded={loaded}>
        {({ mautics, total }) =>
          total === 0 && list.asked.search === '' ? (
            <Empty>
              <p>{text.empty}</p>
              {add}
              <HelpLink page="connect-a-mautic">{text.task}</HelpLink>
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
                    rows={mautics}
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
