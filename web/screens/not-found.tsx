import { ButtonLink } from '../design/button.tsx'
import { Empty } from '../design/feedback.tsx'
import { Page } from '../design/page.tsx'
import { words } from '../words/common.ts'

/** What an unknown address shows. */
export function NotFoundScreen() {
  return (
    <Page title={words.notFound}>
      <Empty>
        <p>{words.notFoundHelp(location.pathname)}</p>
        <ButtonLink href="/">{words.places.overview}</ButtonLink>
      </Empty>
    </Page>
  )
}
