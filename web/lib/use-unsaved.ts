import { useEffect } from 'preact/hooks'
import { words } from '../words/common.ts'

/** Asks before the page is left, while there are unsaved changes: by a link, by Back, by closing it, or by reloading. */
export function useUnsaved(hasChanges: boolean): void {
  useEffect(() => {
    if (!hasChanges) return
    const { href } = location
    const beforeUnload = (event: BeforeUnloadEvent) => event.preventDefault()
    const click = (event: MouseEvent) => {
      const link = (event.target as Element).closest<HTMLAnchorElement>('a[href]')
      if (link === null || !leaves(link, event) || confirm(words.unsaved)) return
      event.preventDefault()
      event.stopPropagation()
    }
    const goBack = (event: PopStateEvent) => {
      if (confirm(words.unsaved)) return
      event.stopImmediatePropagation()
      history.pushState(null, '', href)
    }
    const capture = { capture: true }
    addEventListener('beforeunload', beforeUnload)
    addEventListener('popstate', goBack, capture)
    document.addEventListener('click', click, capture)
    return () => {
      removeEventListener('beforeunload', beforeUnload)
      removeEventListener('popstate', goBack, capture)
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
