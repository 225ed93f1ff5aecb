import { leaving } from '../lib/use-unsaved.ts'
import { words } from '../words/common.ts'
import { Confirm } from './dialog.tsx'

/** Asks whether the page is left with unsaved changes. Stands once in the page. */
export function LeaveDialog() {
  const leave = leaving.value
  if (leave === undefined) return null
  const { title, text, stay, go } = words.leave
  const close = () => {
    leaving.value = undefined
  }
  return (
    <Confirm
      title={title}
      text={text}
      action={go}
      keep={stay}
      onConfirm={async () => {
        close()
        leave()
      }}
      onClose={close}
    />
  )
}
