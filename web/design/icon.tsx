import { createElement } from 'preact'
import nodes from './lucide.json' with { type: 'json' }

export type IconName = keyof typeof nodes

/**
 * The icons of the console, by what they mean here. They are copied from Lucide 1.65: its package has 2,000 icons in 4,000
 * files. A new one is copied, too (`lucide-license.txt`).
 */
const icons = nodes as unknown as Record<IconName, [string, object][]>

/** An icon beside words: assistive technology skips it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {icons[name].map(([tag, attributes], index) =>
        createElement(tag, { key: index, ...attributes }),
      )}
    </svg>
  )
}
