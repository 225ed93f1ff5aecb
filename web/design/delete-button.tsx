import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { words } from '../words/common.ts'
import { Button } from './button.tsx'
import { Confirm } from './dialog.tsx'

/** Deletes a record, once the reader has confirmed it. */
export function DeleteButton({
  title,
  text,
  onDelete,
}: {
  title: string
  text: ComponentChildren
  onDelete: () => Promise<void>
}) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button kind="danger" onClick={() => setAsking(true)}>
        {words.delete}
      </Button>
      {isAsking && (
        <Confirm
          title={title}
          text={text}
          action={words.delete}
          onConfirm={onDelete}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
