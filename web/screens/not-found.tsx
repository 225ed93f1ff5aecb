import { Button, ButtonLink } from '../design/button.tsx'
import { Empty } from '../design/feedback.tsx'
import { Page } from '../design/page.tsx'
import { openDialog } from '../lib/shown.ts'
import { words } from '../words/common.ts'

export function NotFoundScreen() {
  return (
    <Page title={words.notFound}>
      <Empty>
        <p>{words.notFoundHelp(location.pathname)}</p>
        <div class="row">
          <Button kind="primary" onClick={() => (openDialog.value = 'find')}>
            {words.find.open}
          </Button>
          <ButtonLink href="/">{words.places.overview}</ButtonLink>
          <ButtonLink href="/help">{words.help}</ButtonLink>
        </div>
      </Empty>
    </Page>
  )
}

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
