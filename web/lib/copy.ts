import { words } from '../words/common.ts'
import { showToast } from './toasts.ts'

/** Copies a text, and says so; where the browser refuses, it says what to do instead. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    // Without HTTPS there is no clipboard, and a user may forbid it.
    if (!copySelected(text)) return showToast(words.notCopied, 'bad')
  }
  showToast(words.copied)
}

/** Copies by a selection, as Ctrl+C does. */
function copySelected(text: string): boolean {
  const focused = document.activeElement as HTMLElement | null
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'hidden-text'
  // What is outside of a modal dialog cannot be selected while it is open.
  const place = [...document.querySelectorAll('dialog:modal')].at(-1) ?? document.body
  place.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  focused?.focus({ preventScroll: true })
  return isCopied
}
