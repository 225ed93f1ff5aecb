import { ListViews } from '../../design/list-views.tsx'
import { senderWords as text } from '../../words/senders.ts'

type View = keyof typeof text.views

/** The views of the screens of senders. */
export function SenderViews({ shown }: { shown: View }) {
  return (
    <ListViews
      label={text.title}
      shown={shown}
      views={text.views}
      hrefOf={(name) => (name === '' ? '/senders' : `/senders/${name}`)}
    />
  )
}
