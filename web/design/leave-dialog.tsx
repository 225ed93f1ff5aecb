import { leaving } from '../lib/use-unsaved.ts'
import { words } from '../words/common.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

/** Asks whether the page is left with unsaved changes. Stands once in the page. */
export function LeaveDialog() {
  const leave = leaving.value
  if (leave === undefined) return null
  const { title, text, stay, go } = words.leave
  const close = () => {
    leaving.value = undefined
  }
  return (
    <Dialog title={title} onClose={close}>
      <p>{text}</p>
      <div class="row dialog-actions">
        <Button
          kind="danger"
          onClick={() => {
            close()
            leave()
          }}
        >
          {go}
        </Button>
        <Button kind="primary" onClick={close}>
          {stay}
        </Button>
      </div>
    </Dialog>
  )
}
