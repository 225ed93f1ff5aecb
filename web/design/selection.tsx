import type { ComponentChildren } from 'preact'
import { words } from '../words/common.ts'
import { Button } from './button.tsx'

/** What can be done with the selected rows of a table; nothing while none is selected. */
export function Selection({
  selected,
  onSelect,
  total,
  onSelectMatches,
  children,
}: {
  selected: ReadonlySet<number>
  onSelect: (selected: ReadonlySet<number>) => void
  /** How many rows match on all pages. */
  total?: number
  /** Selects all of them. */
  onSelectMatches?: (() => void) | undefined
  /** The actions. */
  children: ComponentChildren
}) {
  if (selected.size === 0) return null
  const { table } = words
  return (
    <section class="selection" aria-label={table.selected(selected.size)}>
      <strong aria-live="polite">{table.selected(selected.size)}</strong>
      {onSelectMatches !== undefined && total !== undefined && selected.size < total && (
        <Button kind="plain" onClick={onSelectMatches}>
          {table.selectMatches(total)}
        </Button>
      )}
      {children}
      <Button kind="plain" onClick={() => onSelect(new Set())}>
        {table.clear}
      </Button>
    </section>
  )
}
