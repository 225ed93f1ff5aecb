import { useLayoutEffect } from 'preact/hooks'
import { focusRow, isTyping } from '../design/table.tsx'
import { openDialog } from '../lib/shown.ts'

/** Opens the search by `/` and Ctrl+K, and the list of keys by `?`; j goes to the first row of a table. Only Ctrl+K works while the reader types. */
export function useKeys(): void {
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const key = findKey(event)
      if (key === undefined || document.querySelector('dialog[open]') !== null) return
      event.preventDefault()
      if (key === 'row') focusRow(document.querySelector('.table tbody'), 0)
      else openDialog.value = key
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

function findKey(event: KeyboardEvent): 'find' | 'keys' | 'row' | undefined {
  const { key, target } = event
  const isCombined = event.ctrlKey || event.metaKey
  if (isCombined && key.toLowerCase() === 'k' && !event.shiftKey && !event.altKey) return 'find'
  if (isCombined || event.altKey || event.defaultPrevented || isTyping(target)) return undefined
  if (key === 'j') return 'row'
  return ({ '/': 'find', '?': 'keys' } as const)[key]
}
