import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/** Several views of one thing, of which one is shown. Arrow keys choose, as in a list of tabs. */
export function Tabs<Name extends string>({
  label,
  tabs,
  shown,
  onShow,
  kind = 'line',
  tools,
  children,
}: {
  label: string
  tabs: Readonly<Record<Name, string>>
  shown: Name
  onShow: (name: Name) => void
  /** `segments`: small, for the choice of a view inside a tab. */
  kind?: 'line' | 'segments'
  /** Beside the tabs. */
  tools?: ComponentChildren
  children: ComponentChildren
}) {
  const id = useId()
  const names = Object.keys(tabs) as Name[]
  const press = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = names[(names.indexOf(shown) + step + names.length) % names.length] ?? shown
    onShow(next)
    document.getElementById(`${id}-${next}`)?.focus()
  }
  return (
    <div class="stack">
      <div class="tab-row" data-kind={kind}>
        <div class="tabs" role="tablist" aria-label={label} onKeyDown={press}>
          {names.map((name) => (
            <button
              key={name}
              id={`${id}-${name}`}
              type="button"
              role="tab"
              class="tab"
              aria-selected={name === shown}
              aria-controls={`${id}-panel`}
              tabIndex={name === shown ? 0 : -1}
              onClick={() => onShow(name)}
            >
              {tabs[name]}
            </button>
          ))}
        </div>
        {tools}
      </div>
      <div
        id={`${id}-panel`}
        role="tabpanel"
        class="stack"
        aria-labelledby={`${id}-${shown}`}
        tabIndex={-1}
      >
        {children}
      </div>
    </div>
  )
}
