import { showToast } from '../lib/toasts.ts'
import { words } from '../words/common.ts'
import { Button } from './button.tsx'

/** A text of one or more lines to use elsewhere, with a button that copies it. */
export function CopyText({
  text,
  isScrolled = false,
}: {
  text: string
  /** Whether its lines do not wrap: then it takes the focus, so that keys scroll it. */
  isScrolled?: boolean
}) {
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    showToast(words.copied)
  }
  return (
    <span class="copy-text">
      <code tabIndex={isScrolled ? 0 : undefined}>{text}</code>
      <Button kind="plain" aria-label={words.copyText(text.split('\n')[0] ?? '')} onClick={copy}>
        {words.copy}
      </Button>
    </span>
  )
}
