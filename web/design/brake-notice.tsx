import type { ComponentChildren } from 'preact'
import { words } from '../words.ts'
import { Notice } from './feedback.tsx'

/** What a brake holds and why, with the refused deliveries and what can be done about it. */
export function BrakeNotice({
  title,
  href,
  actions,
  children,
}: {
  title: ComponentChildren
  /** The address of the refused deliveries. */
  href: string
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
          <a href={href}>{words.refusedDeliveries}</a>
        </div>
      </div>
    </Notice>
  )
}
