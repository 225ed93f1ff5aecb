import { useEffect, useRef, useState } from 'preact/hooks'
import { Skeleton } from '../../design/feedback.tsx'
import { templateWords } from '../../words/templates.ts'

const wide = matchMedia('(min-width: 52rem)')

interface DiffViewProps {
  before: { text: string; label: string }
  after: { text: string; label: string }
}

/** Two texts, side by side with the differences marked; on narrow screens as one text. */
export function DiffView({ before, after }: DiffViewProps) {
  const parent = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [isSideBySide, setSideBySide] = useState(wide.matches)
  useEffect(() => {
    const change = () => setSideBySide(wide.matches)
    wide.addEventListener('change', change)
    return () => wide.removeEventListener('change', change)
  }, [])
  useEffect(() => {
    let close: (() => void) | undefined
    let isGone = false
    void import('./open-diff.ts').then(({ openDiff }) => {
      if (isGone || parent.current === null) return
      close = openDiff({ parent: parent.current, before, after, isSideBySide })
      setOpen(true)
    })
    return () => {
      isGone = true
      close?.()
    }
  }, [before.text, after.text, isSideBySide])
  return (
    <div class="stack">
      <div class="diff-heads">
        <strong>{before.label}</strong>
        <strong>{after.label}</strong>
      </div>
      {before.text === after.text && <p class="quiet">{templateWords.same}</p>}
      <div class="diff" ref={parent}>
        {!isOpen && <Skeleton />}
      </div>
    </div>
  )
}
