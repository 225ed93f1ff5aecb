import type { ComponentChildren } from 'preact'
import { nextPagesWords, words } from '../words/common.ts'
import { Button } from './button.tsx'

interface NextPagesProps {
  /** Where this page begins, as in the address; undefined for the first. */
  position: string | undefined
  /** `next` of the answer. */
  next: number | null
  onPage: (position: number | undefined) => void
  labels?: { newest: string; older: string }
  children?: ComponentChildren
}

/** Leads through a list whose pages continue by `next`. */
export function NextPages({
  position,
  next,
  onPage,
  labels = nextPagesWords,
  children,
}: NextPagesProps) {
  return (
    <nav class="row" aria-label={words.table.pages}>
      {position !== undefined && <Button onClick={() => onPage(undefined)}>{labels.newest}</Button>}
      {next !== null && <Button onClick={() => onPage(next)}>{labels.older}</Button>}
      {children}
    </nav>
  )
}
