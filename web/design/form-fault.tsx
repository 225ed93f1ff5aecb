import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Form } from '../lib/use-form.ts'
import { words } from '../words/common.ts'
import { Button } from './button.tsx'
import { Facts } from './facts.tsx'
import { Notice } from './feedback.tsx'

const conflictTexts = {
  text: 'Someone else has changed this in the meantime. Your changes are not saved yet.',
  theirs: 'Theirs:',
  mine: 'Yours:',
  takeTheirs: 'Take their version',
  keepMine: 'Keep your changes',
} as const

interface FormFaultProps<Draft extends object> {
  form: Form<Draft>
  /** How the value of a field is shown, such as one that holds a secret; as it is by default. */
  show?: Partial<Record<keyof Draft, (value: never) => string>> | undefined
}

/**
 * Why a form could not be saved: the sentence of the API, or the fields that someone else has changed in the meantime,
 * with the choice between both versions. It is scrolled to and announced; the first faulty field, or else the notice, gets
 * the focus. Stands inside the `<form>`.
 */
export function FormFault<Draft extends object>({ form, show = {} }: FormFaultProps<Draft>) {
  const { fault, conflict } = form
  const ref = useRef<HTMLDivElement>(null)
  const isShown = fault ?? conflict?.etag
  useEffect(() => {
    const notice = ref.current
    if (isShown === undefined || notice === null) return
    notice.scrollIntoView({ block: 'nearest' })
    const faulty = notice.closest('form')?.querySelector<HTMLElement>('[aria-invalid="true"]')
    const target = faulty ?? notice
    target.focus({ preventScroll: faulty === null })
  }, [isShown])
  return (
    <div ref={ref} class="fault-of-form" tabIndex={-1}>
      {fault !== undefined && <Notice tone="bad">{fault.message}</Notice>}
      {conflict !== undefined && <ConflictNotice form={form} show={show} />}
    </div>
  )
}

function ConflictNotice<Draft extends object>({ form, show }: Required<FormFaultProps<Draft>>) {
  const { texts, draft, conflict, takeTheirs, keepMine, isBusy } = form
  if (conflict === undefined) return null
  const { draft: theirs, merged } = conflict
  const names = Object.keys(theirs) as (keyof Draft)[]
  const asText = (name: keyof Draft, value: Draft[keyof Draft]) => {
    const format = show[name] as ((value: Draft[keyof Draft]) => string) | undefined
    return format === undefined ? toText(value) : format(value)
  }
  const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
  const differ = names.filter((name) => !isSame(theirs[name], draft[name]))
  return (
    <Notice tone="bad">
      <div class="stack">
        <p>{conflictTexts.text}</p>
        <Facts
          facts={differ.map((name) => [
            texts.labels[name] ?? String(name),
            <>
              <p>
                {conflictTexts.theirs} <code>{asText(name, theirs[name])}</code>
              </p>
              {!isSame(merged[name], theirs[name]) && (
                <p>
                  {conflictTexts.mine} <code>{asText(name, draft[name])}</code>
                </p>
              )}
            </>,
          ])}
        />
        <div class="row">
          <Button onClick={takeTheirs}>{conflictTexts.takeTheirs}</Button>
          <Button isBusy={isBusy} onClick={keepMine}>
            {conflictTexts.keepMine}
          </Button>
        </div>
      </div>
    </Notice>
  )
}

const lengthMax = 200

function toText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > lengthMax ? `${text.slice(0, lengthMax)} …` : text
}

/** Save, which can be pressed once there is something to save, and Discard, where something is changed. */
export function FormActions<Draft extends object>({
  form,
  label = words.save,
  children,
}: {
  form: Form<Draft>
  label?: string | undefined
  /** Further buttons. */
  children?: ComponentChildren
}) {
  return (
    <div class="row">
      <Button
        kind="primary"
        type="submit"
        form={form.id}
        isBusy={form.isBusy}
        disabled={!form.isChanged}
      >
        {label}
      </Button>
      {children}
      {form.canReset && (
        <Button kind="plain" onClick={form.reset}>
          {words.discard}
        </Button>
      )}
    </div>
  )
}
