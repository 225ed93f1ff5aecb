import { can } from '../lib/session.ts'
import { suppressionWords as text } from '../words/suppressions.ts'
import { type Filters, suppressionsHref } from './suppression-filters.ts'

/** A link to the bounces that a broadcast or a transport has found, for those who may view them. */
export function BouncesLink({ filters }: { filters: Filters }) {
  const isByTransport = filters.transportId !== undefined
  if (!can('contact:view') || (isByTransport && !can('multipleTransports:view'))) return null
  return <a href={suppressionsHref(filters)}>{text.bounces}</a>
}
