import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { words } from '../words/common.ts'
import { Button } from './button.tsx'
import { Confirm } from './dialog.tsx'

interface ConfirmButtonProps {
  /** What the button says, and the one that confirms. */
  action: string
  title: string
  text: ComponentChildren
  kind?: 'primary' | 'danger' | 'plain' | undefined
  /** See `Confirm`. */
  keep?: string
  onConfirm: () => Promise<void>
}

/** A button for an action that is carried out once the reader has confirmed it. */
export function ConfirmButton({ kind, ...props }: ConfirmButtonProps) {
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
export function DeleteButton({
  onDelete,
  ...props
}: Pick<ConfirmButtonProps, 'title' | 'text'> & { onDelete: () => Promise<void> }) {
  return (
    <ConfirmButton
      {...props}
      kind="danger"
      action={words.delete}
      keep={words.keepIt}
      onConfirm={onDelete}
    />
  )
}
