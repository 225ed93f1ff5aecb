import { Notice } from '../../design/feedback.tsx'
import { ask, withQuery } from '../../lib/api.ts'
import { useData } from '../../lib/use-data.ts'
import { formatExactTime } from '../../words/format.ts'
import { suppressionWords } from '../../words/suppressions.ts'

const text = suppressionWords.ofContact

/** Says that the address of a contact is suppressed, and why; nothing where it is not. */
export function ContactSuppressions({ address }: { address: string }) {
  const loaded = useData(
    async (signal) => {
      const query = { address, limit: 10 }
      return (await ask('GET', '/api/suppressions', { query, signal })).body.suppressions
    },
    [address],
  )
  const suppressions = loaded.data ?? []
  if (suppressions.length === 0) return null
  return (
    <Notice tone="warn">
      <p>
        <strong>{text.title}</strong>
      </p>
      <ul>
        {suppressions.map(({ id, reason, senderDomain, dateAdded }) => (
          <li key={id}>
            {text.one(
              suppressionWords.reasons[reason],
              senderDomain ?? suppressionWords.everySender,
              formatExactTime(dateAdded),
            )}
          </li>
        ))}
      </ul>
      <a href={withQuery('/suppressions', { address })}>{text.link}</a>
    </Notice>
  )
}
