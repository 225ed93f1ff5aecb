import type { ComponentChildren } from 'preact'
import { Show } from '../../design/page.tsx'
import { type Loaded, useData } from '../../lib/use-data.ts'
import { useRepeat } from '../../lib/use-repeat.ts'

const intervalMs = 30_000

/** Loads data again every half minute. */
export function useFresh<Data>(
  load: (signal: AbortSignal) => Promise<Data>,
  keys: readonly unknown[] = [],
): Loaded<Data> {
  const loaded = useData(load, keys)
  useRepeat(async () => loaded.reload(), intervalMs)
  return loaded
}

/** A part of the overview: a list, or a sentence where there is nothing to list. */
export function Part<Row>({
  title,
  href,
  linkText,
  loaded,
  none,
  show,
}: {
  title: string
  /** Where all of it is shown. */
  href: string
  linkText: string
  loaded: Loaded<readonly Row[]>
  none: string
  show: (row: Row) => ComponentChildren
}) {
  return (
    <section class="card" aria-label={title}>
      <div class="spread">
        <h2>{title}</h2>
        <a class="small" href={href}>
          {linkText}
        </a>
      </div>
      <Show loaded={loaded}>
        {(rows) =>
          rows.length === 0 ? (
            <p class="quiet small">{none}</p>
          ) : (
            <ul class="entries">{rows.map(show)}</ul>
          )
        }
      </Show>
    </section>
  )
}
