import type { ComponentChildren } from 'preact'
import { words } from '../words/common.ts'
import { Button } from './button.tsx'

/** What can be done with the selected rows of a table; nothing while none is selected. */
export function Selection({
  selected,
  onSelect,
  children,
}: {
  selected: ReadonlySet<number>
  onSelect: (selected: ReadonlySet<number>) => void
  /** The actions. */
  children: ComponentChildren
}) {
  if (selected.size === 0) return null
  return (
    <section class="selection" aria-label={words.table.selected(selected.size)}>
      <strong>{words.table.selected(selected.size)}</strong>
      {children}
      <Button kind="plain" onClick={() => onSelect(new Set())}>
        {words.table.clear}
      </Button>
    </section>
  )
}
