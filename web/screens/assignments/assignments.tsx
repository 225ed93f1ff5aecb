import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Badge, Notice } from '../../design/feedback.tsx'
import { CheckField, SelectField } from '../../design/field.tsx'
import { Page } from '../../design/page.tsx'
import { type Choice, Picker } from '../../design/picker.tsx'
import { showBatch } from '../../design/show-batch.ts'
import type { Column } from '../../design/table.tsx'
import { withQuery } from '../../lib/api.ts'
import { inBatches } from '../../lib/batch.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { useAction } from '../../lib/use-action.ts'
import { useAddress } from '../../lib/use-address.ts'
import { findTransportsOf } from '../../records/find.ts'
import { MauticField } from '../../records/mautic-field.tsx'
import { useProviders } from '../../records/providers.tsx'
import { RecordName } from '../../records/record-name.tsx'
import { ResourceList } from '../../records/resource-list.tsx'
import { useTransportNames } from '../../records/use-transport-names.ts'
import { words } from '../../words/common.ts'
import { mauticNameWords } from '../../words/mautic-names.ts'
import { assignmentWords as texts } from '../../words/routing.ts'
import { type AssignedKind, type Assignment, kinds, type Row } from './kinds.ts'

/** The transport of each email and of each user: those of Mailyard itself, or of one Mautic. */
export function AssignmentsScreen() {
  const { query } = useAddress()
  const { route } = useLocation()
  const shown = kinds.filter(({ needs }) => can(needs))
  const kind = shown.find(({ name }) => name === query['of']) ?? shown[0]
  if (kind === undefined) return null
  const mautic = query['mautic'] ?? ''
  return (
    <Page title={texts.title}>
      <p class="quiet">{texts.intro}</p>
      <nav class="tabs" aria-label={texts.title}>
        {shown.map(({ name }) => (
          <a
            key={name}
            class="tab"
            href={withQuery('/assignments', { of: name, mautic })}
            aria-current={name === kind.name ? 'page' : undefined}
          >
            {texts.tabs[name]}
          </a>
        ))}
      </nav>
      <MauticField
        label={texts.namespace}
        help={mautic === '' ? undefined : texts.namespaceHelp}
        none={mauticNameWords.own}
        value={mautic}
        onValue={(next) => route(withQuery('/assignments', { of: kind.name, mautic: next }))}
      />
      <AssignmentList key={`${kind.name} ${mautic}`} kind={kind} mautic={mautic} />
    </Page>
  )
}

/** Emails or users and their transports: change one, or many at once. `mautic`: the id of their Mautic; empty for Mailyard. */
function AssignmentList({ kind, mautic }: { kind: AssignedKind; mautic: string }) {
  const [changed, setChanged] = useState<Row>()
  const [saves, setSaves] = useState(0)
  const { transport = '' } = useAddress().query
  const isOne = transport !== '' && transport !== 'default'
  const nameOf = useTransportNames(isOne ? [Number(transport)] : [])
  const { defaultServer } = useProviders()
  const none =
    mautic === '' && defaultServer !== null ? texts.defaultServer(defaultServer) : texts.default
  const canAssign = can('multipleTransports:edit')
  const change: Column<Row> = {
    label: texts.actions,
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
      isName: true,
      show: ({ id, name }) => <RecordName path={kind.path} mautic={mautic} id={id} name={name} />,
    },
    { label: texts.transport, show: (row) => <TransportCell row={row} none={none} /> },
    ...(canAssign ? [change] : []),
  ]
  return (
    <>
      <ResourceList
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
        filters={[
          {
            name: 'transport',
            label: texts.filter,
            options: [
              { value: '', label: texts.anyTransport },
              { value: 'default', label: texts.default },
              // It comes from a link to this screen.
              ...(isOne
                ? [{ value: transport, label: texts.byTransport(nameOf(Number(transport))) }]
                : []),
            ],
          },
        ]}
        actions={
          canAssign
            ? (selection) => <AssignSelected kind={kind} mautic={mautic} {...selection} />
            : undefined
        }
      />
      {changed !== undefined && (
        <AssignDialog
          kind={kind}
          mautic={mautic}
          row={changed}
          onSaved={() => setSaves(saves + 1)}
          onClose={() => setChanged(undefined)}
        />
      )}
    </>
  )
}

function TransportCell({
  row: { transport, useOwnerTransport },
  none,
}: {
  row: Row
  none: string
}) {
  return (
    <span class="row">
      {transport === null ? (
        <span class="quiet">{none}</span>
      ) : (
        <a href={`/transports/${transport.id}`}>{transport.name}</a>
      )}
      {transport?.isPublished === false && (
        <Badge tone="warn" title={texts.unpublishedHelp}>
          {words.unpublished}
        </Badge>
      )}
      {useOwnerTransport === true && <Badge title={texts.ownerHelp}>{texts.owner}</Badge>}
    </span>
  )
}

/** Assigns, and shows what became of each; Undo assigns what was assigned before. */
async function assign(
  kind: AssignedKind,
  mautic: string,
  { ids, to, onDone }: { ids: readonly number[]; to: Omit<Assignment, 'id'>; onDone: () => void },
) {
  const before = new Map<number, Assignment>()
  const send = (assignmentOf: (id: number) => Assignment) => (part: readonly number[]) =>
    kind.assign(mautic, part.map(assignmentOf))
  const summary = await inBatches(ids, async (part) => {
    const query = { search: `ids:${part.join(',')}`, limit: part.length, mautic }
    for (const { id, transport, useOwnerTransport } of (await kind.load(query)).rows)
      before.set(id, { id, transportId: transport?.id ?? null, useOwnerTransport })
    return send((id) => ({ id, ...to }))(part)
  })
  const undo = async () => {
    const known = summary.done.filter((id) => before.has(id))
    await inBatches(
      known,
      send((id) => before.get(id) ?? { id, transportId: null }),
    )
    onDone()
  }
  onDone()
  return { summary, undo }
}

/** Chooses the transport that the selected rows are assigned to. */
function AssignSelected({
  kind,
  mautic,
  ids,
  onDone,
}: {
  kind: AssignedKind
  mautic: string
  ids: readonly number[]
  onDone: () => void
}) {
  const [transport, setTransport] = useState<Choice>()
  const [owners, setOwners] = useState('')
  const { isBusy, run } = useAction()
  const assignTo = (transportId: number | null) =>
    run(async () => {
      const useOwnerTransport = owners === '' ? undefined : owners === 'first'
      const to = { transportId, useOwnerTransport }
      const { summary, undo } = await assign(kind, mautic, { ids, to, onDone })
      showBatch(texts.done, summary, { undo })
    })
  return (
    <>
      <Picker
        label={texts.assignTo}
        value={transport}
        onValue={setTransport}
        find={findTransportsOf(mautic)}
      />
      {kind.name === 'emails' && (
        <SelectField
          label={texts.owner}
          value={owners}
          onValue={setOwners}
          options={[
            { value: '', label: texts.ownerKeep },
            { value: 'first', label: texts.ownerOn },
            { value: 'not', label: texts.ownerOff },
          ]}
        />
      )}
      <Button
        kind="primary"
        isBusy={isBusy}
        disabled={transport === undefined}
        onClick={() => void assignTo(Number(transport?.value))}
      >
        {texts.assign}
      </Button>
      <Button isBusy={isBusy} onClick={() => void assignTo(null)}>
        {texts.unassign}
      </Button>
    </>
  )
}

/** Changes the assignment of one email or user. */
function AssignDialog({
  kind,
  mautic,
  row: { id, name, transport, useOwnerTransport },
  onSaved,
  onClose,
}: {
  kind: AssignedKind
  mautic: string
  row: Row
  onSaved: () => void
  onClose: () => void
}) {
  const [choice, setChoice] = useState<Choice | undefined>(
    transport === null ? undefined : { value: String(transport.id), label: transport.name },
  )
  const [isOwners, setOwners] = useState(useOwnerTransport ?? false)
  const [fault, setFault] = useState<string>()
  const { isBusy, run } = useAction()
  const save = (event: SubmitEvent) => {
    event.preventDefault()
    void run(async () => {
      const to = {
        transportId: choice === undefined ? null : Number(choice.value),
        useOwnerTransport: useOwnerTransport === undefined ? undefined : isOwners,
      }
      const { summary, undo } = await assign(kind, mautic, { ids: [id], to, onDone: onSaved })
      const [failure] = summary.failures
      if (failure !== undefined) return setFault(failure.message)
      showToast(texts.saved(name), 'good', undo)
      onClose()
    })
  }
  return (
    <Dialog title={texts.dialog(name)} onClose={onClose}>
      <form class="stack" onSubmit={save}>
        {fault !== undefined && <Notice tone="bad">{fault}</Notice>}
        <Picker
          label={texts.transport}
          help={texts.default}
          value={choice}
          onValue={setChoice}
          find={findTransportsOf(mautic)}
        />
        {useOwnerTransport !== undefined && (
          <CheckField
            label={texts.useOwnerTransport}
            help={texts.ownerHelp}
            value={isOwners}
            onValue={setOwners}
          />
        )}
        <div class="row">
          <Button kind="primary" type="submit" isBusy={isBusy}>
            {words.save}
          </Button>
          <Button onClick={onClose}>{words.cancel}</Button>
        </div>
      </form>
    </Dialog>
  )
}
