import { Badge } from '../../design/feedback.tsx'
import { Show } from '../../design/page.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import { words } from '../../words/common.ts'
import { emailWords } from '../../words/emails.ts'

const text = emailWords.transport

/** The transport that is assigned to an email. */
export function EmailTransport({ id }: { id: number }) {
  const loaded = useData(
    async (signal) => {
      const path = '/api/multipleTransport/transportEmail/{emailId}'
      const { body } = await ask('GET', path, { path: { emailId: id }, signal })
      return body.transportEmail
    },
    [id],
  )
  return (
    <section class="card" aria-label={text.title}>
      <h2>{text.title}</h2>
      <Show loaded={loaded}>
        {({ transport, useOwnerTransport }) => (
          <>
            {useOwnerTransport && <p>{text.owner}</p>}
            {transport === null ? (
              <p>{text.none}</p>
            ) : (
              <p class="row">
                <a href={`/transports/${transport.id}`}>{transport.name}</a>
                {!transport.isPublished && <Badge tone="warn">{words.unpublished}</Badge>}
                {!transport.isPublished && <span class="small">{text.unpublished}</span>}
              </p>
            )}
          </>
        )}
      </Show>
      {can('multipleTransports:edit') && (
        <p>
          <a href="/assignments">{text.change}</a>
        </p>
      )}
    </section>
  )
}
