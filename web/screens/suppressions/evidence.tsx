import type { Schema } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { ofTransport, suppressionsHref } from '../../records/suppression-filters.ts'
import { words } from '../../words/common.ts'
import { suppressionWords as text } from '../../words/suppressions.ts'

type Suppression = Schema<'Suppression'>

/** Where a suppression comes from: what found a bounce, or its source. */
export function Evidence({
  suppression: { source, transportId, broadcastId, deliveryId },
  nameOf,
}: {
  suppression: Suppression
  /** Names a transport. */
  nameOf: (transportId: number) => string
}) {
  if (deliveryId === null) return <Source source={source} />
  return (
    <>
      {can('multipleTransports:view') && <Transport id={transportId} nameOf={nameOf} />}
      <p class="small">
        <Source source={`delivery ${deliveryId}`} />
        {broadcastId !== null && (
          <>
            {', '}
            <Source source={`broadcast ${broadcastId}`} />
          </>
        )}
      </p>
    </>
  )
}

function Transport({ id, nameOf }: { id: number | null; nameOf: (id: number) => string }) {
  if (id === null) return <a href={suppressionsHref(ofTransport(null))}>{text.defaultTransport}</a>
  return <a href={`/transports/${id}`}>{nameOf(id)}</a>
}

/** A source; a delivery, a broadcast, an email and a Mautic can be opened. */
function Source({ source }: { source: string | null }) {
  const [, kind, id] = /^(delivery|broadcast|email|mautic) (\d+)$/.exec(source ?? '') ?? []
  const mayOpen = can(kind === 'mautic' ? 'api:view' : 'email:view')
  if (kind === undefined || !mayOpen) return <>{source ?? words.none}</>
  const places: Record<string, string> = { delivery: 'deliveries' }
  return (
    <a class="nowrap" href={`/${places[kind] ?? `${kind}s`}/${id}`}>
      {source}
    </a>
  )
}
