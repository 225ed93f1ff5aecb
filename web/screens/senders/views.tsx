import { ListViews } from '../../design/list-views.tsx'
import { words } from '../../words/common.ts'
import { senderWords as text } from '../../words/senders.ts'

type View = keyof typeof text.views

export function SenderViews({ shown }: { shown: View }) {
  return (
    <ListViews
      label={words.places.senders}
      shown={shown}
      views={text.views}
      hrefOf={(name) => (name === '' ? '/senders' : `/senders/${name}`)}
    />
  )
}
