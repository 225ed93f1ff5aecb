import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { words } from '../words.ts'

export type Tone = 'good' | 'warn' | 'bad' | 'accent' | 'neutral'

/** A short state, such as the outcome of a delivery. */
export function Badge({
  tone = 'neutral',
  children,
}: {
  tone?: Tone
  children: ComponentChildren
}) {
  return (
    <span class="badge" data-tone={tone}>
      {children}
    </span>
  )
}

/** A message on the page. Faults are announced to assistive technology. */
export function Notice({
  tone = 'neutral',
  children,
}: {
  tone?: Tone
  children: ComponentChildren
}) {
  return (
    <div class="notice" data-tone={tone} role={tone === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  )
}

/** What a list without entries shows: what it is for, and the next step. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="empty">{children}</div>
}

/** A link to a page about a task of an operator (`docs/tasks/`), in another tab. */
export function HelpLink({ page, children }: { page: string; children: ComponentChildren }) {
  return (
    <a href={`/help/${page}`} target="_blank" rel="noopener">
      {children}
    </a>
  )
}

const lines = ['90%', '70%', '80%', '60%']

/** The place of content that is loading. */
export function Skeleton() {
  return (
    <div class="skeleton" role="status" aria-label={words.loading}>
      {lines.map((width) => (
        <i key={width} style={{ width }} />
      ))}
    </div>
  )
}

interface Toast {
  id: number
  text: string
  tone: Tone
  undo: (() => Promise<void>) | undefined
}

const toasts = signal<Toast[]>([])
const toastMs = 6_000
/** Long enough to notice a mistake. */
const undoMs = 20_000
let lastToast = 0

/**
 * Shows a short message for some seconds; a warning or a fault stays until it is closed.
 *
 * @param undo Adds a button that calls it.
 */
export function showToast(text: string, tone: Tone = 'good', undo?: () => Promise<void>): void {
  lastToast += 1
  const id = lastToast
  toasts.value = [...toasts.value, { id, text, tone, undo }]
  if (tone === 'bad' || tone === 'warn') return
  setTimeout(() => closeToast(id), undo === undefined ? toastMs : undoMs)
}

async function runUndo({ id, undo }: Toast): Promise<void> {
  closeToast(id)
  try {
    await undo?.()
  } catch (error) {
    showToast((error as Error).message, 'bad')
  }
}

function closeToast(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

/** The messages of `showToast`. Stands once in the page. */
export function Toasts() {
  return (
    <div class="toasts" aria-live="polite">
      {toasts.value.map((toast) => (
        <div key={toast.id} class="notice toast" data-tone={toast.tone}>
          <span>{toast.text}</span>
          {toast.undo !== undefined && (
            <button
              type="button"
              class="button"
              data-kind="plain"
              onClick={() => void runUndo(toast)}
            >
              {words.undo}
            </button>
          )}
          <button
            type="button"
            class="button"
            data-kind="plain"
            onClick={() => closeToast(toast.id)}
          >
            {words.close}
          </button>
        </div>
      ))}
    </div>
  )
}
