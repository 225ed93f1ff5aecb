import type { ComponentChildren } from 'preact'
import { Notice } from './feedback.tsx'

/** What a brake holds and why, with what it counted and what can be done about it. */
export function BrakeNotice({
  title,
  links,
  actions,
  children,
}: {
  title: ComponentChildren
  /** Links to what was refused. */
  links: ComponentChildren
  actions: ComponentChildren
  /** Why it holds them. */
  children: ComponentChildren
}) {
  return (
    <Notice tone="bad">
      <div class="stack">
        <p>
          <strong>{title}</strong> {children}
        </p>
        <div class="row">
          {actions}
          {links}
        </div>
      </div>
    </Notice>
  )
}
