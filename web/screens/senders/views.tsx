import { ListViews } from '../../design/list-views.tsx'
import { can } from '../../lib/session.ts'
import { senderWords as text } from '../../words/senders.ts'

type View = keyof typeof text.views

/** The views beside the list of From domains. The proof sends a message, so that not all readers may make one. */
export function SenderViews({ shown }: { shown: View }) {
  const { verify, ...others } = text.views
  return (
    <ListViews
      label={text.title}
      path="/senders"
      shown={shown}
      views={can('multipleTransports:edit') ? { ...others, verify } : others}
      hrefOf={(name) => (name === '' ? '/senders' : `/senders/${name}`)}
    />
  )
}
