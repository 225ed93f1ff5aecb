import { Button } from '../design/button.tsx'
import { Notice } from '../design/feedback.tsx'
import { words } from '../words/common.ts'

/** Stands for a screen whose code the server no longer has. */
export function OutdatedScreen() {
  return (
    <Notice tone="warn">
      <div class="spread">
        <span>{words.outdated}</span>
        <Button onClick={() => location.reload()}>{words.reload}</Button>
      </div>
    </Notice>
  )
}
