import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { counted } from '../words/format.ts'
import { makePreviewPage } from './preview-html.ts'

const sayBlocked = (count: number) =>
  counted(
    count,
    'image or file of another server is not loaded here.',
    'images or files of other servers are not loaded here.',
  )

const [desktopWidth, phoneWidth] = [800, 375]

interface EmailFrameProps {
  title: string
  html: string
  isPhone?: boolean
  isDark?: boolean
}

/** The HTML of an email, in a frame that runs no scripts and loads nothing, at the width of a screen. */
export function EmailFrame({ title, html, isPhone = false, isDark = false }: EmailFrameProps) {
  const box = useRef<HTMLDivElement>(null)
  const [space, setSpace] = useState(desktopWidth)
  const page = useMemo(() => makePreviewPage(html, isDark), [html, isDark])
  useEffect(() => {
    if (box.current === null) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setSpace(entry.contentRect.width)
    })
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  const width = isPhone ? phoneWidth : Math.max(desktopWidth, space)
  const scale = Math.min(1, space / width)
  const style = {
    width: `${width}px`,
    height: `${100 / scale}%`,
    transform: `scale(${scale})`,
  }
  return (
    <>
      <div
        ref={box}
        class="email-frame"
        data-width={isPhone ? 'phone' : 'desktop'}
        data-scheme={isDark ? 'dark' : 'light'}
      >
        <iframe sandbox="" title={title} srcdoc={page.html} style={style} />
      </div>
      {page.blocked > 0 && <p class="quiet small">{sayBlocked(page.blocked)}</p>}
    </>
  )
}
