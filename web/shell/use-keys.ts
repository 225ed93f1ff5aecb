import { useLayoutEffect } from 'preact/hooks'
import { isTyping } from '../design/table.tsx'

/** What a key of the whole page opens: the search, the list of keys, or the first row of a table. */
export type PageKey = 'find' | 'keys' | 'row'

/** Calls `open` for `/` and Ctrl+K, for `?`, and for j outside of a table; none but Ctrl+K while the reader types. */
export function useKeys(open: (key: PageKey) => void): void {
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const key = findKey(event)
      if (key === undefined || document.querySelector('dialog[open]') !== null) return
      event.preventDefault()
      open(key)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [open])
}

function findKey(event: KeyboardEvent): PageKey | undefined {
  const { key, target } = event
  const isCombined = event.ctrlKey || event.metaKey
  if (isCombined && key.toLowerCase() === 'k' && !event.shiftKey && !event.altKey) return 'find'
  if (isCombined || event.altKey || event.defaultPrevented || isTyping(target)) return undefined
  if (key === 'j') return 'row'
  return { '/': 'find', '?': 'keys' }[key] as PageKey | undefined
}
