import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Badge, Notice } from '../../design/feedback.tsx'
import { CheckField, SelectField } from '../../design/field.tsx'
import { type Choice, Picker } from '../../design/picker.tsx'
import { SearchForm } from '../../design/search-form.tsx'
import type { List } from '../../lib/use-list.ts'
import { findTransportsOf } from '../../records/find.ts'
import { words } from '../../words/common.ts'
import { assignmentWords } from '../../words/routing.ts'

const texts = assignmentWords

/** A transport as lists of assignments have it. */
export interface AssignedTransport {
  id: number
  name: string
  isPublished: boolean
}

/** The transport of an email or user; the default where there is none. */
export function TransportName({ transport }: { transport: AssignedTransport | null }) {
  if (transport === null) return <span class="quiet">{texts.default}</span>
  return (
    <span class="row">
      <a href={`/transports/${transport.id}`}>{transport.name}</a>
      {!transport.isPublished && (
        <span title={texts.unpublishedHelp}>
          <Badge tone="warn">{words.unpublished}</Badge>
        </span>
      )}
    </span>
  )
}

/** Search and filters of a list of assignments. The filter by one transport comes from a link to this screen. */
export function AssignmentFilters({ list, label }: { list: List; label: string }) {
  const transport = list.query['transport'] ?? ''
  const isOne = transport !== '' && transport !== 'default'
  return (
    <div class="toolbar">
      <SearchForm {...list.searching} label={label} />
      <SelectField
        label={texts.filter}
        value={transport}
        onValue={(value) => list.go({ transport: value })}
        options={[
          { value: '', label: texts.anyTransport },
          { value: 'default', label: texts.default },
          ...(isOne ? [{ value: transport, label: texts.byTransport(transport) }] : []),
        ]}
      />
    </div>
  )
}

/** Chooses the transport that the selected rows are assigned to. */
export function AssignSelected({
  mautic,
  isBusy,
  onAssign,
  children,
}: {
  mautic: string
  isBusy: boolean
  /** Null for the default. */
  onAssign: (transportId: number | null) => void
  children?: ComponentChildren
}) {
  const [transport, setTransport] = useState<Choice>()
  return (
    <>
      <Picker
        label={texts.assignTo}
        value={transport}
        onValue={setTransport}
        find={findTransportsOf(mautic)}
      />
      {children}
      <Button
        kind="primary"
        isBusy={isBusy}
        disabled={transport === undefined}
        onClick={() => transport !== undefined && onAssign(Number(transport.value))}
      >
        {texts.assign}
      </Button>
      <Button isBusy={isBusy} onClick={() => onAssign(null)}>
        {texts.unassign}
      </Button>
    </>
  )
}

/** What an email or user is assigned to. Users have no `useOwnerTransport`. */
interface Assignment {
  transportId: number | null
  useOwnerTransport?: boolean
}

/** Changes the assignment of one email or user. */
export function AssignDialog({
  mautic,
  name,
  transport,
  useOwnerTransport,
  onSave,
  onClose,
}: {
  mautic: string
  name: string
  transport: AssignedTransport | null
  useOwnerTransport?: boolean
  onSave: (assignment: Assignment) => Promise<void>
  onClose: () => void
}) {
  const [choice, setChoice] = useState<Choice | undefined>(
    transport === null ? undefined : { value: String(transport.id), label: transport.name },
  )
  const [isOwners, setOwners] = useState(useOwnerTransport ?? false)
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  const save = async (event: SubmitEvent) => {
    event.preventDefault()
    setBusy(true)
    try {
      const transportId = choice === undefined ? null : Number(choice.value)
      await onSave({
        transportId,
        ...(useOwnerTransport === undefined ? {} : { useOwnerTransport: isOwners }),
      })
      onClose()
    } catch (error) {
      setFault((error as Error).message)
      setBusy(false)
    }
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
            help={texts.useOwnerHelp}
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
