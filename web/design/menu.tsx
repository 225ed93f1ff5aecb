import type { ComponentChildren, RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'

const controls = ':is(a, button, input)'

/** Focuses the first control of a part, before the next frame: the next key belongs to it. */
export function useFirstFocus<Part extends HTMLElement>(
  isShown = true,
  selector = controls,
): RefObject<Part | null> {
  const ref = useRef<Part>(null)
  useLayoutEffect(() => {
    if (isShown) ref.current?.querySelector<HTMLElement>(selector)?.focus()
  }, [isShown])
  return ref
}

/** A button that opens a box below it. Arrow keys go through the box; Escape and a click elsewhere close it. */
export function Popup({
  button,
  children,
}: {
  button: (open: { 'aria-expanded': boolean; onClick: () => void }) => ComponentChildren
  /** What is in the box. Gets the function that closes it. */
  children: (close: () => void) => ComponentChildren
}) {
  const [isOpen, setOpen] = useState(false)
  const ref = useFirstFocus<HTMLDivElement>(isOpen, `.menu-list ${controls}`)
  const close = () => {
    ref.current?.querySelector('button')?.focus()
    setOpen(false)
  }
  useLayoutEffect(() => {
    if (!isOpen) return
    // Where it would leave the page at its end, it ends with its button.
    const box = ref.current?.querySelector('.menu-list')
    const { right = 0 } = box?.getBoundingClientRect() ?? {}
    box?.toggleAttribute('data-end', right > document.documentElement.clientWidth)
    const controller = new AbortController()
    const { signal } = controller
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return
      if (event.key === 'Escape') return close()
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
      const all = [
        ...(ref.current?.querySelectorAll<HTMLElement>('.menu-list :is(a, button)') ?? []),
      ]
      const at = all.indexOf(event.target as HTMLElement)
      if (step === undefined || at === -1) return
      event.preventDefault()
      all[(at + step + all.length) % all.length]?.focus()
    }
    const leave = ({ target }: Event) => ref.current?.contains(target as Node) || setOpen(false)
    document.addEventListener('pointerdown', leave, { signal })
    document.addEventListener('keydown', press, { signal })
    return () => controller.abort()
  }, [isOpen])
  return (
    <div ref={ref} class="menu">
      {button({ 'aria-expanded': isOpen, onClick: () => setOpen(!isOpen) })}
      {isOpen && <div class="menu-list">{children(close)}</div>}
    </div>
  )
}

/** A button that opens links and buttons. */
export function Menu({
  label,
  icon,
  children,
}: {
  label: string
  icon: IconName
  children: ComponentChildren
}) {
  return (
    <Popup
      button={(open) => (
        <button
          {...open}
          type="button"
          class="button"
          data-kind="icon"
          aria-label={label}
          title={label}
        >
          <Icon name={icon} />
        </button>
      )}
    >
      {(close) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: a key on one of its buttons is a click.
        // biome-ignore lint/a11y/noStaticElementInteractions: what is clicked are its links and buttons.
        <div onClick={close}>{children}</div>
      )}
    </Popup>
  )
}
