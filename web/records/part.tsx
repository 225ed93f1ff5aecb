import type { ComponentChildren } from 'preact'
import { Icon } from '../design/icon.tsx'
import { Card, Show } from '../design/page.tsx'
import { shownBrand } from '../lib/brand.ts'
import { useFresh } from '../lib/use-data.ts'
import { words } from '../words/common.ts'

/** How often a part is read again. */
export const refreshMs = 30_000
/** How many entries a part shows; the others are folded. */
const shownMax = 5

/** A part of a page: a list, or a sentence where there is nothing to list. */
export function Part<Row>({
  texts,
  href,
  load,
  show,
}: {
  /** `none` says that there is nothing to list. */
  texts: Record<'title' | 'all' | 'none', string>
  /** Where all of it is shown. */
  href: string
  load: (signal: AbortSignal) => Promise<readonly Row[]>
  show: (row: Row) => EntryProps
}) {
  const loaded = useFresh(load, [shownBrand.value], refreshMs)
  const tools = (
    <a class="small" href={href}>
      {texts.all}
    </a>
  )
  return (
    <Card title={texts.title} tools={tools}>
      <Show loaded={loaded}>
        {(rows) =>
          rows.length === 0 ? (
            <p class="quiet small">
              <Icon name="good" /> {texts.none}
            </p>
          ) : (
            <Entries
              entries={rows.map(show).map((entry) => <Entry key={entry.href} {...entry} />)}
            />
          )
        }
      </Show>
    </Card>
  )
}

/** The first entries, the others folded. */
export function Entries({ entries }: { entries: ComponentChildren[] }) {
  return (
    <>
      <ul class="entries">{entries.slice(0, shownMax)}</ul>
      {entries.length > shownMax && (
        <details>
          <summary>{words.more(entries.length - shownMax)}</summary>
          <ul class="entries">{entries.slice(shownMax)}</ul>
        </details>
      )}
    </>
  )
}

interface EntryProps {
  /** Where its name leads to. */
  href?: string
  name: ComponentChildren
  end?: ComponentChildren
  children?: ComponentChildren
}

/** An entry of a part: its name at the left, a time or number at the right, and a sentence below. */
export function Entry({ href, name, end, children }: EntryProps) {
  return (
    <li>
      <div class="spread">
        <span>{href === undefined ? name : <a href={href}>{name}</a>}</span>
        <span class="quiet small">{end}</span>
      </div>
      {children}
    </li>
  )
}
