import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'

/** Leaves the page, once the reader has said so; undefined while no one is asked. */
export const leaving = signal<(() => void) | undefined>()

/** The address of each form with unsaved changes. */
const unsaved = new Set<URL>()
/** Whether the reader has said that the page is left. */
let isAllowed = false

const capture = { capture: true }
// The browser asks, with its dialogue.
addEventListener('beforeunload', (event) => {
  if (unsaved.size > 0) event.preventDefault()
})
document.addEventListener(
  'click',
  (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[href]')
    if (unsaved.size === 0 || isAllowed || link === null || !leaves(link, event)) return
    event.preventDefault()
    event.stopPropagation()
    leaving.value = () => {
      isAllowed = true
      link.click()
      isAllowed = false
    }
  },
  capture,
)
// Before the router listens: it leaves the page as soon as it hears of the event.
addEventListener(
  'popstate',
  (event) => {
    const [page] = unsaved
    if (page === undefined || isAllowed) {
      isAllowed = false
      return
    }
    // A link within the page moves only its focus.
    if (location.pathname === page.pathname && location.search === page.search) return
    event.stopImmediatePropagation()
    history.pushState(null, '', page)
    leaving.value = () => {
      isAllowed = true
      history.back()
    }
  },
  capture,
)

/** Asks before the page is left, while there are unsaved changes: by a link, by Back, by closing it, or by reloading. */
export function useUnsaved(hasChanges: boolean): void {
  // Before the next frame: someone may type and leave at once.
  useLayoutEffect(() => {
    if (!hasChanges) return
    const page = new URL(location.href)
    unsaved.add(page)
    return () => {
      unsaved.delete(page)
    }
  }, [hasChanges])
}

/** Whether a click on a link leaves this page. */
function leaves(link: HTMLAnchorElement, event: MouseEvent): boolean {
  const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || link.target === '_blank'
  return (
    !isElsewhere && !link.hasAttribute('download') && !link.getAttribute('href')?.startsWith('#')
  )
}
