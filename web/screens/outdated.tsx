import { Button } from '../design/button.tsx'
import { Empty } from '../design/feedback.tsx'
import { Page } from '../design/page.tsx'
import { words } from '../words/common.ts'

/** Stands for a screen whose code the server no longer has. */
export function OutdatedScreen() {
  return (
    <Page title={words.outdated}>
      <Empty>
        <p>{words.outdatedHelp}</p>
        <Button kind="primary" onClick={() => location.reload()}>
          {words.reload}
        </Button>
      </Empty>
    </Page>
  )
}
