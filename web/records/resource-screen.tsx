import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso/router'
import { DeleteButton } from '../design/dialog.tsx'
import { Warnings } from '../design/feedback.tsx'
import { FormActions, FormFault } from '../design/form-fault.tsx'
import { Page, RecordLayout, Show } from '../design/page.tsx'
import { can } from '../lib/session.ts'
import { showToast } from '../lib/toasts.ts'
import { useData } from '../lib/use-data.ts'
import { type FieldTexts, type Form, useForm } from '../lib/use-form.ts'
import type { Kind } from './deletable.ts'
import { DeleteRecords } from './delete-records.tsx'

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
    /** The question before a record is deleted. */
    deleteTitle: (name: string) => string
  }
  /** Reads a record. */
  read: (id: number) => Promise<Versioned<Model>>
  /** What the form shows of a record; of no record for a new one. */
  draftOf: (record: Model | undefined) => Draft
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
}

/** The screen of one record at `PATH/:id`, or of a new one at `PATH/new`. */
export function ResourceScreen<Draft extends object, Model>({
  resource,
  content: Content,
}: EditedProps<Draft, Model>) {
  const { id } = useRoute().params
  if (id === 'new') return <Edited key="new" resource={resource} content={Content} />
  return <Saved key={id} id={Number(id)} resource={resource} content={Content} />
}

interface EditedProps<Draft extends object, Model> {
  resource: Resource<Draft, Model>
  content: (editor: Editor<Draft, Model>) => ComponentChildren
}

function Saved<Draft extends object, Model>({
  id,
  resource,
  content,
}: EditedProps<Draft, Model> & { id: number }) {
  const loaded = useData(() => resource.read(id), [id])
  return (
    <Show loaded={loaded} back={{ href: resource.path, label: resource.texts.title }}>
      {(saved) => <Edited id={id} saved={saved} resource={resource} content={content} />}
    </Show>
  )
}

function Edited<Draft extends object, Model>({
  id,
  saved,
  resource,
  content: Content,
}: EditedProps<Draft, Model> & { id?: number; saved?: Versioned<Model> }) {
  const { path, area, texts, read, write, draftOf, nameOf } = resource
  const { route } = useLocation()
  const [record, setRecord] = useState(saved?.record)
  const show = (next: Versioned<Model>) => {
    setRecord(next.record)
    return { draft: draftOf(next.record), etag: next.etag }
  }
  const form = useForm<Draft>({
    texts,
    saved: { draft: draftOf(record), etag: saved?.etag },
    ...(id === undefined ? {} : { load: async () => show(await read(id)) }),
    async save(draft, at) {
      const next = await write(id, draft, at)
      const shown = show(next)
      showToast(texts.saved(nameOf(next.record)))
      if (id === undefined) route(`${path}/${(next.record as { id: number }).id}`, true)
      return shown
    },
  })
  const level = id === undefined ? 'create' : 'edit'
  const canSave = can(resource.needs ?? `${area}:${level}`)
  return <Content resource={resource} id={id} record={record} form={form} canSave={canSave} />
}

/**
 * The page of a record: the way back, its name, the buttons, the warnings of the API, and both columns. `children` are the
 * fields of its form, which is disabled for readers; `side` stands at the right.
 */
export function RecordPage<Draft extends object, Model>({
  editor,
  badge,
  notices,
  side,
  isSideWide,
  isSideFirst,
  wrap = (record) => record,
  fault,
  save = <FormActions form={editor.form} />,
  children,
}: {
  editor: Editor<Draft, Model>
  badge?: ComponentChildren
  /** Above both columns. */
  notices?: ComponentChildren
  side: ComponentChildren
  isSideWide?: boolean
  /** Whether the side comes first where both do not fit beside each other. */
  isSideFirst?: boolean
  /** Puts both columns into another element, such as tabs. */
  wrap?: ((record: ComponentChildren) => ComponentChildren) | undefined
  /** What helps after a fault of the form. */
  fault?: ComponentChildren
  /** The buttons that save, where Save and Discard are not enough. */
  save?: ComponentChildren
  children: ComponentChildren
}) {
  const { resource, id, record, form, canSave } = editor
  const { path, texts, nameOf } = resource
  const { warnings } = (record ?? {}) as { warnings?: readonly string[] }
  return (
    <Page
      title={record === undefined ? texts.new : nameOf(record)}
      back={{ href: path, label: texts.title }}
      badge={badge}
      actions={id !== undefined && <DeleteRecord editor={editor} id={id} />}
    >
      <Warnings texts={warnings} />
      {notices}
      {wrap(
        <RecordLayout side={side} isSideWide={isSideWide} isSideFirst={isSideFirst}>
          <form class="card" onSubmit={form.submit}>
            <FormFault form={form} />
            {fault}
            <fieldset disabled={!canSave}>{children}</fieldset>
            {canSave && save}
          </form>
        </RecordLayout>,
      )}
    </Page>
  )
}

/** Opens a restored record, unless the reader has gone on: what is typed elsewhere must not be lost. */
export function openAgain(route: (path: string) => void, path: string, id: number): void {
  if (location.pathname === path) route(`${path}/${id}`)
}

/** Deletes a record: it says what breaks and asks first, and offers Undo where it can be restored. */
export function DeleteRecord<Draft extends object, Model>({
  editor: { resource, record },
  id,
}: {
  editor: Editor<Draft, Model>
  id: number
}) {
  const { path, area, texts, deletion, nameOf } = resource
  const { route } = useLocation()
  if (deletion === undefined || record === undefined) return null
  const { kind, text, remove } = deletion
  const title = texts.deleteTitle(nameOf(record))
  if (kind !== undefined)
    return (
      <DeleteRecords
        kind={kind}
        ids={[id]}
        titleOf={() => title}
        text={text}
        onDeleted={() => route(path)}
        onRestored={() => openAgain(route, path, id)}
      />
    )
  if (remove === undefined || !can(resource.needs ?? `${area}:delete`)) return null
  const removeAndLeave = async () => {
    showToast(await remove(id))
    route(path)
  }
  return <DeleteButton title={title} text={text} onDelete={removeAndLeave} />
}
