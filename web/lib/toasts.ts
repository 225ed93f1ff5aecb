import { signal } from '@preact/signals'

/** What a state or a message means: what waits, what needs attention, what failed; neutral where it is not known. */
export type Tone = 'good' | 'wait' | 'warn' | 'bad' | 'neutral'

interface Toast {
  id: number
  text: string
  tone: Tone
  undo: (() => Promise<void>) | undefined
}

export const toasts = signal<Toast[]>([])
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

/** Closes a message, and undoes what it tells of. */
export async function runUndo({ id, undo }: Toast): Promise<void> {
  closeToast(id)
  try {
    await undo?.()
  } catch (error) {
    showToast((error as Error).message, 'bad')
  }
}

export function closeToast(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}
