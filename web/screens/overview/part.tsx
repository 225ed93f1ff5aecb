import type { ComponentChildren } from 'preact'
import { Icon } from '../../design/icon.tsx'
import { Card, Show } from '../../design/page.tsx'
import { useFresh } from '../../lib/use-fresh.ts'
import { overviewWords } from '../../words/overview.ts'

/** How often a part is read again. */
export const refreshMs = 30_000
/** How many entries a part shows; the others are folded. */
export const shownMax = 5

/** A part of the overview: a list, or a sentence where there is nothing to list. */
export function Part<Row>({
  title,
  href,
  linkText,
  load,
  none,
  show,
}: {
  title: string
  /** Where all of it is shown. */
  href: string
  linkText: string
  load: (signal: AbortSignal) => Promise<readonly Row[]>
  none: string
  show: (row: Row) => ComponentChildren
}) {
  const loaded = useFresh(load, [], refreshMs)
  const tools = (
    <a class="small" href={href}>
      {linkText}
    </a>
  )
  return (
    <Card title={title} tools={tools}>
      <Show loaded={loaded}>
        {(rows) =>
          rows.length === 0 ? (
            <Nothing text={none} />
          ) : (
            <>
              <ul class="entries">{rows.slice(0, shownMax).map(show)}</ul>
              {rows.length > shownMax && (
                <details>
                  <summary>{overviewWords.more(rows.length - shownMax)}</summary>
                  <ul class="entries">{rows.slice(shownMax).map(show)}</ul>
                </details>
              )}
            </>
          )
        }
      </Show>
    </Card>
  )
}

/** That there is nothing to list. */
export function Nothing({ text }: { text: string }) {
  return (
    <p class="quiet small">
      <Icon name="good" /> {text}
    </p>
  )
}

/** An entry of a part: its name at the left, a time or number at the right, and a sentence below. */
export function Entry({
  name,
  end,
  children,
}: {
  name: ComponentChildren
  end?: ComponentChildren
  children?: ComponentChildren
}) {
  return (
    <li>
      <div class="spread">
        <span>{name}</span>
        <span class="quiet small">{end}</span>
      </div>
      {children}
    </li>
  )
}
