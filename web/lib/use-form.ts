import { useId, useState } from 'preact/hooks'
import { ApiFault } from './api.ts'
import { useUnsaved } from './use-unsaved.ts'

/** A record as the form shows it. `etag` is undefined for a new one. */
export interface Saved<Draft> {
  draft: Draft
  etag: string | undefined
}

/** The names of a form's fields, and the help below them. */
export interface FieldTexts<Draft> {
  labels: Partial<Record<keyof Draft, string>>
  help?: Partial<Record<keyof Draft, string>>
}

export type Form<Draft extends object> = ReturnType<typeof useForm<Draft>>

/**
 * A form over one record. Asks before the page is left with unsaved changes. Where someone else has changed the record
 * in the meantime (409 or 412), nothing is overwritten: `conflict` has both versions.
 */
export function useForm<Draft extends object>({
  saved,
  texts = { labels: {} },
  prepare = (draft) => Promise.resolve(draft),
  load,
  save,
}: {
  saved: Saved<Draft>
  /** Needed where fields are bound by `field`. */
  texts?: FieldTexts<Draft>
  /** Completes the draft before it is saved, such as by what is still in work. Throws an ApiFault to save nothing. */
  prepare?: (draft: Draft) => Promise<Draft>
  /** Reads the record again, after a conflict; undefined for a new one. */
  load?: () => Promise<Saved<Draft>>
  /** Saves the draft and answers the record as it is saved, with which the form goes on. Send what `changed` names. */
  save: (
    draft: Draft,
    at: { etag: string | undefined; changed: (keyof Draft)[] },
  ) => Promise<Saved<Draft>>
}) {
  const [first, setFirst] = useState(saved)
  const [draft, setDraft] = useState(first.draft)
  const [fault, setFault] = useState<ApiFault>()
  const [theirs, setTheirs] = useState<Saved<Draft>>()
  const [isBusy, setBusy] = useState(false)
  const changed = changesOf(draft, first.draft)
  useUnsaved(changed.length > 0 || isBusy)

  const clear = () => {
    setTheirs(undefined)
    setFault(undefined)
  }
  const begin = (next: Saved<Draft>) => {
    setFirst(next)
    setDraft(next.draft)
    clear()
  }
  const send = async (values: Draft, before: Saved<Draft>) => {
    setBusy(true)
    clear()
    try {
      const ready = await prepare(values)
      setDraft((now) => withTyped(ready, { sent: values, now }))
      const at = { etag: before.etag, changed: changesOf(ready, before.draft) }
      const next = await save(ready, at)
      setFirst(next)
      setDraft((now) => withTyped(next.draft, { sent: ready, now }))
    } catch (error) {
      const next = error instanceof ApiFault ? error : new ApiFault(0, String(error))
      const isConflict = next.status === 409 || next.status === 412
      const other = isConflict ? await load?.().catch(() => undefined) : undefined
      if (other === undefined || other.etag === before.etag) setFault(next)
      // What was changed is nothing of the form, such as a new password of a Mautic.
      else if (changesOf(other.draft, before.draft).length === 0) await send(values, other)
      else setTheirs(other)
    }
    setBusy(false)
  }
  const changes = Object.fromEntries(changed.map((name) => [name, draft[name]]))
  const conflict = theirs && { ...theirs, merged: { ...theirs.draft, ...changes } }
  return {
    /** The id of its element, for buttons outside of it. */
    id: useId(),
    texts,
    draft,
    /** The record as it was saved last. */
    saved: first.draft,
    /** The entity tag of that record; undefined for a new one. */
    etag: first.etag,
    set:
      <Name extends keyof Draft>(name: Name) =>
      (value: Draft[Name]) =>
        setDraft((before) => ({ ...before, [name]: value })),
    setDraft: (next: Draft) => setDraft(next),
    /** Whether there is something to save: always, for a new record. */
    isChanged: changed.length > 0 || first.etag === undefined,
    /** Whether the draft differs from the record as it was saved last, so that `reset` drops something. */
    canReset: changed.length > 0,
    isBusy,
    /** Why the last save failed. */
    fault,
    /** What the API says is wrong with a field, or with an entry of it. */
    faultOf: (name: keyof Draft): string | undefined => {
      const faults = Object.entries(fault?.details ?? {}).filter(
        ([key]) => key === name || key.startsWith(`${String(name)}.`),
      )
      return faults.length === 0 ? undefined : faults.flatMap(([, reasons]) => reasons).join(' ')
    },
    /** The record as someone else has saved it in the meantime, and `merged`: with the own changes. */
    conflict,
    submit: (event: SubmitEvent) => {
      event.preventDefault()
      if (!isBusy) void send(draft, first)
    },
    /** Saves without an event, such as after a step in between. */
    save: () => send(draft, first),
    /** Drops the changes since the last save. */
    reset: () => begin(first),
    /** Drops the own changes for the record of someone else. */
    takeTheirs: () => {
      if (theirs !== undefined) begin(theirs)
    },
    /** Saves the own changes over those of someone else; what only they changed is kept. */
    keepMine: () => {
      if (conflict === undefined) return
      setDraft(conflict.merged)
      void send(conflict.merged, conflict)
    },
  }
}

/** What a field of a form needs: `<TextField {...field(form, 'name')} required />`. */
export function field<Draft extends object, Name extends keyof Draft>(
  form: Form<Draft>,
  name: Name,
) {
  const { texts, draft, set, faultOf } = form
  return {
    label: texts.labels[name] ?? String(name),
    help: texts.help?.[name],
    value: draft[name],
    onValue: set(name),
    fault: faultOf(name),
  }
}

/** A draft with what was typed since another was sent. */
function withTyped<Draft extends object>(
  draft: Draft,
  { sent, now }: { sent: Draft; now: Draft },
): Draft {
  const typed = changesOf(now, sent).map((name) => [name, now[name]])
  return { ...draft, ...Object.fromEntries(typed) }
}

function changesOf<Draft extends object>(draft: Draft, before: Draft): (keyof Draft)[] {
  const names = Object.keys(draft) as (keyof Draft)[]
  return names.filter((name) => JSON.stringify(draft[name]) !== JSON.stringify(before[name]))
}
