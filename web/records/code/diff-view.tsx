import { useEffect, useRef, useState } from 'preact/hooks'
import { Skeleton } from '../../design/feedback.tsx'
import { templateWords } from '../../words/templates.ts'
import type { DiffOptions } from './open-diff.ts'

/** Two texts, side by side with the differences marked; on narrow screens as one text. */
export function DiffView({ before, after }: Pick<DiffOptions, 'before' | 'after'>) {
  const parent = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    let close: (() => void) | undefined
    let isGone = false
    void import('./open-diff.ts').then(({ openDiff }) => {
      if (isGone || parent.current === null) return
      close = openDiff({
        parent: parent.current,
        before,
        after,
        isSideBySide: matchMedia('(min-width: 52rem)').matches,
      })
      setOpen(true)
    })
    return () => {
      isGone = true
      close?.()
    }
  }, [before.text, after.text])
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
