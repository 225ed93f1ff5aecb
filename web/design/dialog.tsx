import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { showToast } from '../lib/toasts.ts'
import { useAction } from '../lib/use-action.ts'
import { leaving } from '../lib/use-unsaved.ts'
import { words } from '../words/common.ts'
import { Button } from './button.tsx'
import { Notice } from './feedback.tsx'

/** What had the focus before a dialogue was opened. */
const openers = new WeakMap<Element, HTMLElement | null | undefined>()

/** A native modal dialog: it keeps the focus, and Escape closes it. */
export function Dialog({
  title,
  onClose,
  done,
  size = 'small',
  children,
}: {
  title: string
  onClose: () => void
  /** What the button says that closes it; without it there is none. */
  done?: string
  /** 480, 720 or 960 pixels. */
  size?: 'small' | 'medium' | 'large'
  children: ComponentChildren
}) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before the next frame: a key that is pressed at once belongs to this dialogue.
  useLayoutEffect(() => {
    const dialog = ref.current
    if (dialog === null) return
    const focused = document.activeElement as HTMLElement | null
    const parent = focused?.closest('dialog')
    const opener = parent ? openers.get(parent) : focused
    openers.set(dialog, opener)
    dialog.showModal()
    return () => {
      // Closed rather than only removed, it gives the focus back, unless it was opened from a dialogue that is closed too.
      dialog.close()
      if (dialog.contains(document.activeElement)) opener?.focus()
    }
  }, [])
  return (
    <dialog ref={ref} data-size={size} aria-labelledby={id} onClose={onClose}>
      <div class="stack">
        <h2 id={id}>{title}</h2>
        {children}
        {done !== undefined && (
          <div class="row dialog-actions">
            <Button kind="primary" onClick={onClose}>
              {done}
            </Button>
          </div>
        )}
      </div>
    </dialog>
  )
}

interface ConfirmProps {
  title: string
  text: ComponentChildren
  /** What the button says that confirms. */
  action: string
  /** What the button says that changes nothing, such as “Keep them”. */
  keep?: string
  onConfirm: () => Promise<void>
}

/** Asks before something that cannot be undone, or that many people notice. */
export function Confirm({
  title,
  text,
  action,
  isDisabled = false,
  onConfirm,
  keep = words.cancel,
  onClose,
}: ConfirmProps & {
  /** Whether it cannot be confirmed, such as while its effect is being counted. */
  isDisabled?: boolean
  onClose: () => void
}) {
  const [problem, setProblem] = useState<string>()
  // It may be closed while the action goes on.
  const isOpen = useRef(true)
  useEffect(
    () => () => {
      isOpen.current = false
    },
    [],
  )
  const { isBusy, run } = useAction((fault) =>
    isOpen.current ? setProblem(fault) : showToast(fault, 'bad'),
  )
  const confirm = async () => {
    await onConfirm()
    if (isOpen.current) onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <div>{text}</div>
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      <div class="row dialog-actions">
        <Button onClick={onClose}>{keep}</Button>
        <Button
          kind="danger"
          isBusy={isBusy}
          disabled={isDisabled}
          onClick={() => void run(confirm)}
        >
          {action}
        </Button>
      </div>
    </Dialog>
  )
}

/** A button for an action that is carried out once the reader has confirmed it. */
export function ConfirmButton({
  kind,
  ...props
}: ConfirmProps & { kind?: 'primary' | 'danger' | 'plain' | undefined }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button kind={kind} onClick={() => setAsking(true)}>
        {props.action}
      </Button>
      {isAsking && <Confirm {...props} onClose={() => setAsking(false)} />}
    </>
  )
}

/** Deletes a record, once the reader has confirmed it. */
export function DeleteButton(props: Pick<ConfirmProps, 'title' | 'text' | 'onConfirm'>) {
  return <ConfirmButton {...props} kind="danger" action={words.delete} keep={words.keepIt} />
}

/** Asks whether the page is left with unsaved changes. Stands once in the page. */
export function LeaveDialog() {
  const leave = leaving.value
  if (leave === undefined) return null
  const close = () => {
    leaving.value = undefined
  }
  return (
    <Confirm
      {...words.leave}
      onConfirm={async () => {
        close()
        leave()
      }}
      onClose={close}
    />
  )
}
