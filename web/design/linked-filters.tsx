import { words } from '../words/common.ts'
import { Button } from './button.tsx'

/** The filters of a list that only links set, such as one server; each can be removed. */
export function LinkedFilters<Name extends string>({
  filters,
  onRemove,
}: {
  /** Each name in the address, with its text for people; those without a text are not set. */
  filters: readonly (readonly [Name, string | undefined])[]
  onRemove: (name: Name) => void
}) {
  const shownFilters = filters.filter(([, text]) => text !== undefined)
  if (shownFilters.length === 0) return null
  return (
    <ul class="row">
      {shownFilters.map(([name, text]) => (
        <li key={name}>
          <Button aria-label={words.removeFilter(text ?? '')} onClick={() => onRemove(name)}>
            {text} ×
          </Button>
        </li>
      ))}
    </ul>
  )
}
