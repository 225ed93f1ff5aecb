import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'

/** A button that opens links and buttons. Escape and a click elsewhere close it. */
export function Menu({
  label,
  icon,
  children,
}: {
  label: string
  icon: IconName
  children: ComponentChildren
}) {
  const ref = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  // Before the next frame: the next key belongs to it.
  useLayoutEffect(() => {
    if (!isOpen) return
    const controller = new AbortController()
    const { signal } = controller
    const close = (event: Event) => {
      if (event.type === 'keydown' && (event as KeyboardEvent).key !== 'Escape') return
      if (event.type === 'keydown') ref.current?.querySelector('button')?.focus()
      else if (ref.current?.contains(event.target as Node)) return
      setOpen(false)
    }
    document.addEventListener('pointerdown', close, { signal })
    document.addEventListener('keydown', close, { signal })
    ref.current?.querySelector<HTMLElement>('.menu-list :is(a, button)')?.focus()
    return () => controller.abort()
  }, [isOpen])
  return (
    <div ref={ref} class="menu">
      <button
        type="button"
        class="button"
        data-kind="icon"
        aria-label={label}
        title={label}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={icon} />
      </button>
      {isOpen && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: a key on one of its buttons is a click.
        // biome-ignore lint/a11y/noStaticElementInteractions: what is clicked are its links and buttons.
        <div class="menu-list" onClick={() => setOpen(false)}>
          {children}
        </div>
      )}
    </div>
  )
}
