import type { ComponentChildren } from 'preact'
import { can } from '../lib/session.ts'
import { mauticNameWords as text } from '../words/mautic-names.ts'

/** The name of a Mautic, as a link for those who may view it. A deleted one has only its number. */
export function MauticName({
  mautic: { id, name },
}: {
  mautic: { id: number; name: string }
}): ComponentChildren {
  if (name === '') return text.deleted(id)
  return can('api:view') ? <a href={`/mautics/${id}`}>{name}</a> : name
}
