import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'

/** Leaves the page, once the reader has said so; undefined while no one is asked. */
export const leaving = signal<(() => void) | undefined>()

/** What Back does first, while there are unsaved changes. */
let beforeBack: ((event: PopStateEvent) => void) | undefined
// Before the router listens: it leaves the page as soon as it hears of the event.
addEventListener('popstate', (event) => beforeBack?.(event), { capture: true })

/** Asks before the page is left, while there are unsaved changes: by a link, by Back, by closing it, or by reloading. */
export function useUnsaved(hasChanges: boolean): void {
  // Before the next frame: someone may type and leave at once.
  useLayoutEffect(() => {
    if (!hasChanges) return
    const { href, pathname, search } = location
    let isAllowed = false
    const ask = (leave: () => void) => {
      leaving.value = () => {
        isAllowed = true
        leave()
      }
    }
    // The browser asks, with its dialogue.
    const beforeUnload = (event: BeforeUnloadEvent) => event.preventDefault()
    const click = (event: MouseEvent) => {
      const link = (event.target as Element).closest<HTMLAnchorElement>('a[href]')
      if (isAllowed || link === null || !leaves(link, event)) return
      event.preventDefault()
      event.stopPropagation()
      ask(() => link.click())
    }
    const goBack = (event: PopStateEvent) => {
      // A link within the page moves only its focus.
      const isSamePage = location.pathname === pathname && location.search === search
      if (isAllowed || isSamePage) return
      event.stopImmediatePropagation()
      history.pushState(null, '', href)
      ask(() => history.back())
    }
    const capture = { capture: true }
    addEventListener('beforeunload', beforeUnload)
    beforeBack = goBack
    document.addEventListener('click', click, capture)
    return () => {
      removeEventListener('beforeunload', beforeUnload)
      beforeBack = undefined
      document.removeEventListener('click', click, capture)
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
