import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso/router'
import { Button } from '../design/button.tsx'
import { Confirm } from '../design/dialog.tsx'
import { Warnings } from '../design/feedback.tsx'
import { Reading } from '../design/field.tsx'
import { FormActions, FormFault } from '../design/form-fault.tsx'
import { Icon } from '../design/icon.tsx'
import { Card, Page, RecordLayout, Show } from '../design/page.tsx'
import { can } from '../lib/session.ts'
import { showToast } from '../lib/toasts.ts'
import { useAddress } from '../lib/use-address.ts'
import { useData } from '../lib/use-data.ts'
import { type FieldTexts, type Form, useForm } from '../lib/use-form.ts'
import { words } from '../words/common.ts'
import type { Kind } from './deletable.ts'
import { DeletionDialog } from './delete-records.tsx'
import type { FindImpact } from './publish-actions.tsx'

/** A record with the entity tag of its version. */
export interface Versioned<Model> {
  record: Model
  etag: string | undefined
}

/** One kind of records, as its screen edits it. */
export interface Resource<Draft extends object, Model> {
  /** The address of its list, such as `/emails`: a record is at `/emails/ID`. */
  path: string
  /** The area of its permissions: `create`, `edit` and `delete` of it are asked for. */
  area: string
  /** The permission to save, where it is no level of the area. */
  needs?: string
  texts: FieldTexts<Draft> & {
    /** The title of its list, for the way back. */
    title: string
    /** The title of a new record. */
    new: string
    saved: (name: string) => string
    /** The questions before records are deleted. */
    deleteTitle: (name: string) => string
    deleteMany: (count: number) => string
  }
  /** Reads a record. */
  read: (id: number) => Promise<Versioned<Model>>
  /** What the form shows of a record; of no record for a new one. */
  draftOf: (record: Model | undefined) => Draft
  /** The draft of a copy (`new?copy=ID`), where there are copies. */
  copyOf?: (draft: Draft) => Draft
  /** See `useForm`. */
  prepare?: (draft: Draft) => Promise<Draft>
  /** Saves a draft; `id` is undefined for a new record. Only `changed` needs to be sent. */
  write: (
    id: number | undefined,
    draft: Draft,
    at: { etag: string | undefined; changed: readonly (keyof Draft)[] },
  ) => Promise<Versioned<Model>>
  nameOf: (record: Model) => string
  /** How a record is deleted: its kind where it can be restored, or the request. None without it. */
  deletion?: {
    text: ComponentChildren
    kind?: Kind
    findImpact?: FindImpact
    /** Deletes it; answers the sentence to show. */
    remove?: (id: number) => Promise<string>
  }
}

/** A record that is being edited; `id` and `record` are undefined for a new one. */
export interface Editor<Draft extends object, Model> {
  resource: Resource<Draft, Model>
  id: number | undefined
  /** As it was read or saved last. */
  record: Model | undefined
  form: Form<Draft>
  canSave: boolean
  /** Whether it is changed (`?edit`), or new; it is read otherwise. */
  isEditing: boolean
  /** Reads it again, after it was changed outside of the form. */
  reload: () => void
}

/** The screen of one record at `PATH/:id`, or of a new one at `PATH/new`. */
export function ResourceScreen<Draft extends object, Model>(props: EditedProps<Draft, Model>) {
  const {
    params: { id },
    query: { copy },
  } = useRoute()
  if (id !== 'new') return <Saved {...props} key={id} id={Number(id)} />
  if (copy === undefined || props.resource.copyOf === undefined)
    return <Edited {...props} key="new" />
  return <Saved {...props} key={copy} id={Number(copy)} isCopied />
}

interface EditedProps<Draft extends object, Model> {
  resource: Resource<Draft, Model>
  content: (editor: Editor<Draft, Model>) => ComponentChildren
}

function Saved<Draft extends object, Model>({
  id,
  isCopied = false,
  ...props
}: EditedProps<Draft, Model> & { id: number; isCopied?: boolean }) {
  const { path, texts, read } = props.resource
  const loaded = useData(() => read(id), [id])
  return (
    <Show loaded={loaded} back={{ href: path, label: texts.title }}>
      {(saved) =>
        isCopied ? (
          <Edited {...props} copied={saved.record} />
        ) : (
          <Edited {...props} key={saved.etag} id={id} saved={saved} reload={loaded.reload} />
        )
      }
    </Show>
  )
}

function Edited<Draft extends object, Model>({
  id,
  saved,
  copied,
  reload = () => undefined,
  resource,
  content: Content,
}: EditedProps<Draft, Model> & {
  id?: number
  saved?: Versioned<Model>
  copied?: Model
  reload?: () => void
}) {
  const { path, area, texts, read, write, draftOf, copyOf, prepare, nameOf } = resource
  const { query } = useRoute()
  const { route } = useLocation()
  const [record, setRecord] = useState(saved?.record)
  const show = (next: Versioned<Model>) => {
    setRecord(next.record)
    return { draft: draftOf(next.record), etag: next.etag }
  }
  const form = useForm<Draft>({
    texts,
    saved: {
      draft: copied && copyOf ? copyOf(draftOf(copied)) : draftOf(record),
      etag: saved?.etag,
    },
    prepare,
    load: id === undefined ? undefined : async () => show(await read(id)),
    async save(draft, at) {
      const next = await write(id, draft, at)
      const shown = show(next)
      showToast(texts.saved(nameOf(next.record)))
      if (id === undefined) route(`${path}/${(next.record as { id: number }).id}`, true)
      return shown
    },
  })
  const isNew = id === undefined
  const canSave = can(resource.needs ?? `${area}:${isNew ? 'create' : 'edit'}`)
  const isEditing = canSave && (isNew || query['edit'] !== undefined)
  return <Content {...{ resource, id, record, form, canSave, isEditing, reload }} />
}

/**
 * The page of a record, which is read first: the way back, its name, the warnings of the API, what it is and does, and its
 * state. *Edit* opens the form in its place. `children` are the fields of the form; they show what they say where it is read.
 */
export function RecordPage<Draft extends object, Model>({
  editor,
  badge,
  notices,
  main,
  side,
  isSideWide,
  wrap = (record) => record,
  fault,
  show,
  save = <FormActions form={editor.form} />,
  menu,
  onSubmit,
  children,
}: {
  editor: Editor<Draft, Model>
  badge?: ComponentChildren
  /** Above both columns. */
  notices?: ComponentChildren
  /** What is read first, such as what happened; the fields are at the right then. */
  main?: ComponentChildren
  side: ComponentChildren
  isSideWide?: boolean
  /** Puts both columns into another element where the record is read, such as tabs. */
  wrap?: ((record: ComponentChildren) => ComponentChildren) | undefined
  /** What helps after a fault of the form; instead of its sentence, if it is `null`. */
  fault?: ComponentChildren
  /** See `FormFault`. */
  show?: Parameters<typeof FormFault<Draft>>[0]['show']
  /** The buttons that save, where Save and Discard are not enough. */
  save?: ComponentChildren
  /** Further entries of the menu. */
  menu?: ComponentChildren
  /** Called before the form is saved. */
  onSubmit?: (event: SubmitEvent) => void
  children: ComponentChildren
}) {
  const { resource, record, form, canSave, isEditing } = editor
  const { path, texts, nameOf } = resource
  const { warnings } = (record ?? {}) as { warnings?: readonly string[] }
  const title = record === undefined ? texts.new : nameOf(record)
  const { open, close } = useEditing(editor)
  const deletion = useDeletion(editor)
  const fields = (
    <Card title={words.facts}>
      <Reading.Provider value={title}>{children}</Reading.Provider>
    </Card>
  )
  return (
    <Page
      title={title}
      back={{ href: path, label: texts.title }}
      badge={badge}
      actions={
        record !== undefined &&
        canSave &&
        (isEditing ? (
          !form.canReset && <Button onClick={close}>{words.cancel}</Button>
        ) : (
          <Button onClick={open}>{words.edit}</Button>
        ))
      }
      menu={[menu, deletion.item]}
    >
      <Warnings texts={warnings} />
      {notices}
      {isEditing ? (
        <RecordLayout isSideWide={isSideWide} side={[main, side]}>
          <form
            id={form.id}
            class="card"
            onSubmit={(event) => {
              if (!form.isBusy) onSubmit?.(event)
              form.submit(event)
            }}
          >
            {fault !== null && <FormFault form={form} show={show} />}
            {fault}
            <fieldset>{children}</fieldset>
          </form>
        </RecordLayout>
      ) : (
        wrap(
          <RecordLayout isSideWide={isSideWide} side={[main && fields, side]}>
            {main || fields}
          </RecordLayout>,
        )
      )}
      {isEditing && form.isChanged && <div class="save-bar">{save}</div>}
      {deletion.question}
    </Page>
  )
}

/** Opens the form of a record and closes it: in its address, so that Back closes it too. It closes once all is saved. */
function useEditing<Draft extends object, Model>({ id, form, isEditing }: Editor<Draft, Model>) {
  const { go } = useAddress()
  /** Whether Back leads to the record. */
  const isOpened = useRef(false)
  const etag = useRef(form.etag)
  const close = () => {
    if (isOpened.current) history.back()
    else go({ edit: undefined }, true)
    isOpened.current = false
  }
  useEffect(() => {
    if (!isEditing) form.reset()
  }, [isEditing])
  useEffect(() => {
    if (form.isBusy || form.canReset || form.etag === etag.current) return
    etag.current = form.etag
    if (isEditing && id !== undefined) close()
  }, [form.isBusy, form.canReset, form.etag])
  return {
    open: () => {
      isOpened.current = true
      go({ edit: 1 })
    },
    close,
  }
}

/** The entry of the menu that deletes a record, and its question: what breaks; nothing where it cannot be deleted. */
export function useDeletion<Draft extends object, Model>({
  resource: { path, area, needs, texts, deletion, nameOf },
  record,
  id,
}: Editor<Draft, Model>): { item?: ComponentChildren; question?: ComponentChildren } {
  const [isAsking, setAsking] = useState(false)
  const { route } = useLocation()
  if (deletion === undefined || record === undefined || id === undefined) return {}
  if (!can(needs ?? `${area}:delete`)) return {}
  const { kind, remove, ...meaning } = deletion
  const onClose = () => setAsking(false)
  const item = (
    <button type="button" data-kind="danger" onClick={() => setAsking(true)}>
      <Icon name="remove" />
      {words.delete}
    </button>
  )
  if (!isAsking) return { item }
  const question = kind ? (
    <DeletionDialog
      {...meaning}
      kind={kind}
      ids={[id]}
      texts={texts}
      onDeleted={() => route(path)}
      // Unless the reader has gone on: what is typed elsewhere must not be lost.
      onRestored={() => location.pathname === path && route(`${path}/${id}`)}
      onClose={onClose}
    />
  ) : (
    <Confirm
      title={texts.deleteTitle(nameOf(record))}
      text={meaning.text}
      action={words.delete}
      keep={words.keepIt}
      onConfirm={async () => {
        showToast((await remove?.(id)) ?? '')
        route(path)
      }}
      onClose={onClose}
    />
  )
  return { item, question }
}
