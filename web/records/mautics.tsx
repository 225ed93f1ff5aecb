import type { ComponentChildren } from 'preact'
import { SelectField } from '../design/field.tsx'
import { can } from '../lib/session.ts'
import { useAnswer } from '../lib/use-data.ts'
import { mauticNameWords as text } from '../words/mautic-names.ts'

/**
 * Chooses a connected Mautic by its id, or Mailyard itself. It is hidden where none is connected, unless one is chosen: then
 * its id is shown also to those who may not view Mautics.
 */
export function MauticField({
  label,
  help,
  value,
  onValue,
}: {
  label: string
  help?: string | undefined
  /** The id; empty for none. */
  value: string
  onValue: (id: string) => void
}) {
  const mautics = useMautics()
  const options = mautics.map(({ id, name }) => ({ value: String(id), label: name }))
  const isListed = value === '' || options.some((option) => option.value === value)
  const unlisted = isListed ? [] : [{ value, label: text.number(value) }]
  if (options.length + unlisted.length === 0) return null
  return (
    <SelectField
      label={label}
      help={help}
      value={value}
      onValue={onValue}
      options={[{ value: '', label: text.own }, ...options, ...unlisted]}
    />
  )
}

/** The name of a Mautic, as a link for those who may view it. A deleted one has only its number. */
export function MauticName({
  mautic: { id, name },
}: {
  mautic: { id: number; name: string }
}): ComponentChildren {
  if (name === '') return text.deleted(id)
  return can('api:view') ? <a href={`/mautics/${id}`}>{name}</a> : name
}

/** Returns the connected Mautics, in the order of their names; none to those who may not view them. */
export function useMautics(): readonly { id: number; name: string }[] {
  const query = { limit: 0, fields: 'id,name', orderBy: 'name' }
  const path = can('api:view') ? '/api/mautics' : undefined
  return useAnswer(path, { query, isBackground: true }).data?.mautics ?? []
}

/** An email or user. One of Mailyard itself is a link; one of a Mautic has the id that it has there. */
export function RecordName({
  path,
  mautic,
  id,
  name,
}: {
  /** The path of the list of such records of Mailyard. */
  path: string
  /** The id of the Mautic that has it; empty for Mailyard itself. */
  mautic: string
  id: number
  name: string
}) {
  if (mautic === '') return <a href={`${path}/${id}`}>{name}</a>
  return (
    <>
      {name}
      <p class="quiet small">{text.idInMautic(id)}</p>
    </>
  )
}
