import { can, session } from '../../lib/session.ts'
import { transportWords } from '../../words/transports.ts'

const { editor } = transportWords

/** Says where the test message before saving is sent. */
export function TestRecipient({ testedEmailFrom }: { testedEmailFrom: string }) {
  const user = session.value?.user
  const recipient = user?.email || testedEmailFrom
  return (
    <p class="quiet small">
      {recipient ? editor.testedTo(recipient) : editor.noRecipient}{' '}
      {user?.email && user.id !== null && can('user:edit') && (
        <a href={`/access/users/${user.id}`}>{editor.changeAddress}</a>
      )}
    </p>
  )
}
