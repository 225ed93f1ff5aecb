import { withQuery } from '../lib/api.ts'
import { can } from '../lib/session.ts'
import { suppressionWords as text } from '../words/suppressions.ts'

/** The address of the bounces that a transport has found; null for the configured default. */
export function bouncesHref(transportId: number | null): string {
  return withQuery('/suppressions', { transportId: transportId ?? 'default' })
}

/** A link to the bounces that a transport has found, for those who may view them. */
export function BouncesLink({ transportId }: { transportId: number | null }) {
  if (!can('contact:view') || !can('multipleTransports:view')) return null
  return <a href={bouncesHref(transportId)}>{text.bounces}</a>
}
