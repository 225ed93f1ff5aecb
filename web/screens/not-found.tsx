import { Empty } from '../design/feedback.tsx'
import { Page } from '../design/page.tsx'
import { words } from '../words/common.ts'

/** What an unknown address shows. */
export function NotFoundScreen() {
  return (
    <Page title={words.notFound}>
      <Empty>
        <p>{words.notFoundHelp(location.pathname)}</p>
        <a class="button" href="/">
          {words.places.overview}
        </a>
      </Empty>
    </Page>
  )
}
