import type { ComponentChildren } from 'preact'
import { ButtonLink } from '../../design/button.tsx'
import { Badge, Empty, HelpLink } from '../../design/feedback.tsx'
import { SelectField } from '../../design/field.tsx'
import { ListViews } from '../../design/list-views.tsx'
import { Page, Show } from '../../design/page.tsx'
import { SearchForm } from '../../design/search-form.tsx'
import { type Column, Pager, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Schema, withQuery } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useData } from '../../lib/use-data.ts'
import { useList } from '../../lib/use-list.ts'
import { DeletedList } from '../../records/deleted-list.tsx'
import { useMauticName } from '../../records/use-mautics.ts'
import { words } from '../../words/common.ts'
import { formatNumber } from '../../words/format.ts'
import { mauticNameWords } from '../../words/mautic-names.ts'
import { transportWords } from '../../words/transports.ts'
import { type Activity, ActivityOf, useActivity } from './activity.tsx'
import { LastTest } from './last-test.tsx'
import { summarizeDsn } from './summarize-dsn.ts'
import { TransportActions } from './transport-actions.tsx'

const { list } = transportWords

type Transport = Schema<'TransportInList'>

const columnsOf = (
  activity: ReadonlyMap<number, Activity> | undefined,
  ofMautics: readonly Column<Transport>[],
): readonly Column<Transport>[] => [
  { label: list.name, field: 'name', show: (row) => <Name row={row} /> },
  { label: list.server, show: ({ mailerDsn }) => <Server dsn={mailerDsn} /> },
  ...ofMautics,
  { label: list.state, field: 'isPublished', show: (row) => <State row={row} /> },
  {
    label: list.lastTest,
    field: 'lastTestDate',
    show: ({ lastTest }) => <LastTest test={lastTest} />,
  },
  ...(can('email:view')
    ? [
        {
          label: list.day,
          show: ({ id }: Transport) => <ActivityOf id={id} activity={activity} />,
        },
      ]
    : []),
  {
    label: list.assignments,
    isNumber: true,
    show: ({ id, mautic, usage }) => <Usage id={id} mautic={mautic} usage={usage} />,
  },
  {
    label: list.changed,
    field: 'dateModified',
    show: ({ dateModified, dateAdded }) => <Time iso={dateModified ?? dateAdded} />,
  },
]

/** All transports, and the deleted ones. */
export function TransportsScreen() {
  const view = useAddress().query['view']
  const add = can('multipleTransports:create') && (
    <ButtonLink href="/transports/new" kind="primary">
      {transportWords.add}
    </ButtonLink>
  )
  return (
    <Page title={transportWords.title} actions={add}>
      <ListViews
        label={transportWords.title}
        path="/transports"
        shown={view}
        views={{ '': transportWords.title, deleted: words.deleted }}
      />
      {view === 'deleted' ? <DeletedList kind="transports" /> : <TransportList add={add} />}
    </Page>
  )
}

/** All transports: search, order, publish, unpublish and delete many at once. */
function TransportList({ add }: { add: ComponentChildren }) {
  const list = useList({ field: 'name', isDescending: false })
  const { state = '', lastTest = '' } = list.query
  const loaded = useData(
    async (signal) => {
      const query = { ...list.asked, state, lastTest, with: 'usage,lastTest' }
      const { body, total } = await ask('GET', '/api/multipleTransports', { query, signal })
      return { transports: body, total }
    },
    [list.key],
  )
  const nameOf = useMauticName()
  const activity = useActivity(loaded.data?.transports.map(({ id }) => id) ?? [])
  const isFiltered = [list.asked.search, state, lastTest].some((value) => value !== '')
  return (
    <Show loaded={loaded}>
      {({ transports, total }) =>
        total === 0 && !isFiltered ? (
          <NoTransports>{add}</NoTransports>
        ) : (
          <>
            <div class="toolbar">
              <SearchForm {...list.searching} label={transportWords.list.search} />
              <SelectField
                label={transportWords.list.state}
                value={state}
                onValue={(value) => list.go({ state: value })}
                options={stateOptions}
              />
              <SelectField
                label={transportWords.list.lastTest}
                value={lastTest}
                onValue={(value) => list.go({ lastTest: value })}
                options={lastTestOptions}
              />
            </div>
            <TransportActions {...list.selecting} onDone={loaded.reload} />
            {total === 0 ? (
              <Empty>{transportWords.list.noMatch}</Empty>
            ) : (
              <>
                <Table
                  caption={transportWords.title}
                  rows={transports}
                  columns={columnsOf(activity, mauticColumn(transports, nameOf))}
                  keyOf={({ id }) => id}
                  {...list.ordering}
                  {...(canChange() ? list.selecting : {})}
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

const canChange = () => can('multipleTransports:publish') || can('multipleTransports:delete')

const stateOptions = [
  { value: '', label: words.all },
  { value: 'published', label: words.published },
  { value: 'unpublished', label: words.unpublished },
]

const lastTestOptions = [
  { value: '', label: words.all },
  { value: 'passed', label: transportWords.test.passed },
  { value: 'failed', label: transportWords.test.failed },
  { value: 'none', label: transportWords.test.never },
]

/** The Mautic that transports belong to; no column if none belongs to one. */
function mauticColumn(
  transports: readonly Transport[],
  nameOf: (id: number) => string,
): readonly Column<Transport>[] {
  if (transports.every(({ mautic }) => mautic === undefined)) return []
  return [
    {
      label: mauticNameWords.mautic,
      field: 'mautic',
      show: ({ mautic }) => (mautic === undefined ? words.none : nameOf(mautic)),
    },
  ]
}

function NoTransports({ children }: { children: ComponentChildren }) {
  return (
    <Empty>
      <p>{transportWords.list.none}</p>
      {children}
      <HelpLink page="go-to-production">{transportWords.list.task}</HelpLink>
    </Empty>
  )
}

function Name({ row: { id, name, description } }: { row: Transport }) {
  return (
    <>
      <a href={`/transports/${id}`}>{name}</a>
      {description !== null && description !== '' && <p class="quiet small">{description}</p>}
    </>
  )
}

function Server({ dsn }: { dsn: string }) {
  const { scheme, server } = summarizeDsn(dsn)
  return (
    <>
      <span class="mono">{server || scheme}</span>
      {server !== '' && <p class="quiet small">{scheme}</p>}
    </>
  )
}

function State({ row: { isPublished, warnings = [] } }: { row: Transport }) {
  return (
    <span class="row">
      <Badge tone={isPublished ? 'good' : 'neutral'}>
        {isPublished ? words.published : words.unpublished}
      </Badge>
      {warnings.length > 0 && (
        <span title={warnings.join('\n')}>
          <Badge tone="warn">{transportWords.list.warnings(warnings.length)}</Badge>
        </span>
      )}
    </span>
  )
}

function Usage({ id, mautic, usage }: Pick<Transport, 'id' | 'mautic' | 'usage'>) {
  const { emails = 0, users = 0 } = usage ?? {}
  if (emails + users === 0) return <span class="quiet">{words.none}</span>
  return (
    <a
      href={withQuery('/assignments', { transport: id, mautic })}
      title={transportWords.assigned(emails, users)}
    >
      {formatNumber(emails + users)}
    </a>
  )
}
