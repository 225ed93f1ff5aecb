import { Page } from '../design/page.tsx'
import { words } from '../words/common.ts'

/** What an unknown address shows. */
export function NotFoundScreen() {
  return (
    <Page title={words.notFound}>
      <p>
        <a href="/">{words.places.overview}</a>
      </p>
    </Page>
  )
}
