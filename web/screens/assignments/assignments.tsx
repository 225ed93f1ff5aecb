import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { ActionButton, Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Badge, Dot } from '../../design/feedback.tsx'
import { choicesOf, SelectField } from '../../design/field.tsx'
import { ListViews } from '../../design/list-views.tsx'
import { Page } from '../../design/page.tsx'
import { type Choice, Picker } from '../../design/picker.tsx'
import { showBatch } from '../../design/show-batch.ts'
import type { Column } from '../../design/table.tsx'
import { withQuery } from '../../lib/api.ts'
import { inBatches } from '../../lib/batch.ts'
import { can } from '../../lib/session.ts'
import { useAddress } from '../../lib/use-address.ts'
import {
  type AssignedKind,
  type Assignment,
  assignedKinds,
  type Row,
} from '../../records/assigned.ts'
import { findTransports } from '../../records/find.ts'
import { MauticField, RecordName } from '../../records/mautics.tsx'
import { useProviders } from '../../records/providers.tsx'
import { ResourceList } from '../../records/resource-list.tsx'
import { useTransportFilter } from '../../records/transports.tsx'
import { words } from '../../words/common.ts'
import { formatNumber } from '../../words/format.ts'
import { labels } from '../../words/records.ts'
import { SenderWarning } from './sender-warning.tsx'

const texts = {
  intro:
    'Messages of an email are sent through its transport. Messages without an email are sent through the transport of their sender.',
  tabs: { emails: 'Emails', users: 'Users' },
  namespace: 'Assigned emails and users',
  namespaceHelp: 'As the last synchronization has seen them; ids are those in Mautic.',
  search: { emails: 'Search emails', users: 'Search users' },
  empty: { emails: 'No email yet.', users: 'No user yet.' },
  noMatch: 'Nothing matches.',
  names: { emails: 'Email', users: 'User' },
  defaultServer: (server: string) => `Default: ${server}`,
  owner: 'Owner’s transport first',
  ownerHelp: 'If the owner of the contact has a transport, it comes first.',
  filter: 'Assigned to',
  actions: 'Action',
  assignTo: 'Assign the selected to',
  assign: 'Assign',
  unassign: 'Use the default',
  owners: { '': 'Unchanged', first: 'Yes', not: 'No' },
  done: (kind: 'emails' | 'users', count: number, transport: string = words.theDefaultTransport) =>
    `${formatNumber(count)} ${count === 1 ? `${kind.slice(0, -1)} now uses` : `${kind} now use`} ${transport}.`,
  change: (name: string) => `Change the assignment of ${name}`,
  dialog: (name: string) => `Transport of ${name}`,
} as const

/** The transport of each email and of each user: those of Mailyard itself, or of one Mautic. */
export default function AssignmentsScreen() {
  const { query } = useAddress()
  const { route } = useLocation()
  const shown = Object.values(assignedKinds).filter(({ needs }) => can(needs))
  const kind = shown.find(({ name }) => name === query['of']) ?? shown[0]
  if (kind === undefined) return null
  const mautic = query['mautic'] ?? ''
  return (
    <Page title={words.places.assignments}>
      <p class="quiet">{texts.intro}</p>
      <ListViews
        label={words.places.assignments}
        shown={kind.name}
        views={Object.fromEntries(shown.map(({ name }) => [name, texts.tabs[name]]))}
        hrefOf={(of) => withQuery('/assignments', { of, mautic })}
      />
      <div class="row">
        <MauticField
          label={texts.namespace}
          help={mautic === '' ? undefined : texts.namespaceHelp}
          value={mautic}
          onValue={(next) => route(withQuery('/assignments', { of: kind.name, mautic: next }))}
        />
      </div>
      <AssignmentList key={`${kind.name} ${mautic}`} kind={kind} mautic={mautic} />
    </Page>
  )
}

/** Emails or users and their transports: change one, or many at once. `mautic`: the id of their Mautic; empty for Mailyard. */
function AssignmentList({ kind, mautic }: { kind: AssignedKind; mautic: string }) {
  const [changed, setChanged] = useState<Row>()
  const [saves, setSaves] = useState(0)
  const byTransport = useTransportFilter('transport', texts.filter)
  const { defaultServer } = useProviders()
  const none =
    mautic === '' && defaultServer !== null ? texts.defaultServer(defaultServer) : words.default
  const canAssign = can('multipleTransports:edit')
  const change: Column<Row> = {
    label: texts.actions,
    kind: 'actions',
    show: (row) => (
      <Button kind="plain" aria-label={texts.change(row.name)} onClick={() => setChanged(row)}>
        {words.change}
      </Button>
    ),
  }
  const columns: readonly Column<Row>[] = [
    {
      label: texts.names[kind.name],
      field: kind.orderField,
      kind: 'name',
      show: ({ id, name }) => <RecordName path={kind.path} mautic={mautic} id={id} name={name} />,
    },
    {
      label: labels.transport,
      show: ({ transport, useOwnerTransport }) => (
        <span class="row">
          {transport?.isPublished === false && <Dot tone="warn">{words.unpublished}</Dot>}
          {transport === null ? (
            <span class="quiet">{none}</span>
          ) : (
            <a href={`/transports/${transport.id}`}>{transport.name}</a>
          )}
          {useOwnerTransport === true && <Badge title={texts.ownerHelp}>{texts.owner}</Badge>}
        </span>
      ),
    },
    ...(canAssign ? [change] : []),
  ]
  return (
    <>
      <ResourceList
        brandBy="none"
        texts={{
          title: texts.tabs[kind.name],
          search: texts.search[kind.name],
          empty: texts.empty[kind.name],
          noMatch: texts.noMatch,
        }}
        columns={columns}
        order={{ field: kind.orderField, isDescending: false }}
        load={(query, signal) => kind.load({ ...query, mautic }, signal)}
        version={saves}
        filters={[byTransport]}
        actions={
          canAssign
            ? (selection) => <Assign kind={kind} mautic={mautic} {...selection} />
            : undefined
        }
      />
      {changed !== undefined && (
        <Dialog title={texts.dialog(changed.name)} onClose={() => setChanged(undefined)}>
          <div class="stack">
            <Assign
              kind={kind}
              mautic={mautic}
              ids={[changed.id]}
              current={changed.transport}
              onClose={() => setChanged(undefined)}
              onDone={() => {
                setChanged(undefined)
                setSaves((before) => before + 1)
              }}
            />
          </div>
        </Dialog>
      )}
    </>
  )
}

/** Chooses the transport that rows are assigned to. Undo assigns what each had before. */
function Assign({
  kind,
  mautic,
  ids,
  current,
  onDone,
  onClose,
}: {
  kind: AssignedKind
  mautic: string
  ids: readonly number[]
  /** The transport that one row has now. */
  current?: Row['transport']
  onDone: () => void
  /** Of a dialogue: closes it. */
  onClose?: () => void
}) {
  const [transport, setTransport] = useState<Choice | undefined>(
    current == null ? undefined : { value: String(current.id), label: current.name },
  )
  const [owners, setOwners] = useState('')
  const assign = async (transportId: number | null) => {
    const name = transportId === null ? undefined : transport?.label
    const useOwnerTransport = owners === '' ? undefined : owners === 'first'
    const before = new Map<number, Assignment>()
    const summary = await inBatches(ids, async (part) => {
      const query = { search: `ids:${part.join(',')}`, limit: part.length, mautic }
      for (const { id, ...row } of (await kind.load(query)).rows)
        before.set(id, { id, ...row, transportId: row.transport?.id ?? null })
      const assignments = part.map((id) => ({ id, transportId, useOwnerTransport }))
      return kind.assign(mautic, assignments)
    })
    const undo = async () => {
      await inBatches(summary.done, (part) =>
        kind.assign(
          mautic,
          part.flatMap((id) => before.get(id) ?? []),
        ),
      )
      onDone()
    }
    showBatch((count) => texts.done(kind.name, count, name), summary, { undo })
    onDone()
  }
  return (
    <>
      <Picker
        label={current === undefined ? texts.assignTo : labels.transport}
        value={transport}
        onValue={setTransport}
        find={findTransports}
      />
      {mautic === '' && <SenderWarning kind={kind.name} ids={ids} transport={transport} />}
      {kind.name === 'emails' && (
        <SelectField
          label={texts.owner}
          help={current === undefined ? undefined : texts.ownerHelp}
          value={owners}
          onValue={setOwners}
          options={choicesOf(texts.owners)}
        />
      )}
      <div class={onClose ? 'row dialog-actions' : 'row'}>
        {onClose !== undefined && <Button onClick={onClose}>{words.cancel}</Button>}
        <ActionButton
          kind="primary"
          disabled={transport === undefined}
          action={() => assign(Number(transport?.value))}
        >
          {texts.assign}
        </ActionButton>
        <ActionButton action={() => assign(null)}>{texts.unassign}</ActionButton>
      </div>
    </>
  )
}
