import { Badge } from '../../design/feedback.tsx'
import { templateWords } from '../../words/templates.ts'
import type { Remark } from './remark.ts'

const shownMax = 20

/** What is wrong with the code, under the editor; each leads to its place. */
export function Remarks({
  remarks,
  isCurrent,
  onShow,
}: {
  remarks: readonly (Remark & { isFault: boolean })[]
  /** Whether the code has been checked as it is now. */
  isCurrent: boolean
  onShow: (place: { line: number; column: number }) => void
}) {
  const text = templateWords.remarks
  if (remarks.length === 0)
    return (
      <p class="quiet small" aria-live="polite">
        {isCurrent ? text.none : text.checking}
      </p>
    )
  return (
    <ul class="lines" aria-label={text.title} aria-live="polite">
      {remarks.slice(0, shownMax).map((remark) => (
        <li key={`${remark.line} ${remark.column} ${remark.message}`}>
          <button type="button" class="remark" onClick={() => onShow(remark)}>
            <Badge tone={remark.isFault ? 'bad' : 'warn'}>
              {text.place(remark.line, remark.column)}
            </Badge>
            <span>{remark.message}</span>
          </button>
        </li>
      ))}
      {remarks.length > shownMax && (
        <li class="quiet small">{text.more(remarks.length - shownMax)}</li>
      )}
    </ul>
  )
}
