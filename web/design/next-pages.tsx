import { words } from '../words/common.ts'
import { Button } from './button.tsx'

interface NextPagesProps {
  /** Where this page begins, as in the address; undefined for the first. */
  position: string | undefined
  /** `next` of the answer. */
  next: number | null
  onPage: (position: number | undefined) => void
}

/** Leads through a list whose pages continue by `next`. */
export function NextPages({ position, next, onPage }: NextPagesProps) {
  return (
    <nav class="row" aria-label={words.table.pages}>
      {position !== undefined && (
        <Button onClick={() => onPage(undefined)}>{words.table.newest}</Button>
      )}
      {next !== null && <Button onClick={() => onPage(next)}>{words.table.older}</Button>}
    </nav>
  )
}
