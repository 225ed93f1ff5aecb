import { SelectField } from '../design/field.tsx'
import { mauticNameWords as text } from '../words/mautic-names.ts'
import { useMautics } from './use-mautics.ts'

/**
 * Chooses a connected Mautic by its id, or none. It is hidden where none is connected, unless one is chosen: then its id is
 * shown also to those who may not view Mautics.
 */
export function MauticField({
  label = text.mautic,
  help,
  fault,
  none,
  optionOf = (name) => name,
  value,
  onValue,
}: {
  label?: string
  help?: string
  fault?: string | undefined
  /** What it means that none is chosen. */
  none: string
  /** What it means that this one is chosen. Default: its name. */
  optionOf?: (name: string) => string
  /** The id; empty for none. */
  value: string
  onValue: (id: string) => void
}) {
  const mautics = useMautics()
  const options = mautics.map(({ id, name }) => ({ value: String(id), label: optionOf(name) }))
  const isListed = value === '' || options.some((option) => option.value === value)
  const unlisted = isListed ? [] : [{ value, label: optionOf(text.number(value)) }]
  if (options.length + unlisted.length === 0) return null
  return (
    <SelectField
      label={label}
      help={help}
      fault={fault}
      value={value}
      onValue={onValue}
      options={[{ value: '', label: none }, ...options, ...unlisted]}
    />
  )
}
