import { Badge } from '../../design/feedback.tsx'
import { words } from '../../words/common.ts'
import { templateWords } from '../../words/templates.ts'
import type { PlacedRemark } from './open-editor.ts'

const shownMax = 20
const text = templateWords.remarks

/** What is wrong with code, under its editor; each leads to its place. */
export function Remarks({
  remarks,
  onShow,
}: {
  remarks: readonly PlacedRemark[]
  onShow: (place: { line: number; column: number }) => void
}) {
  return (
    <div aria-live="polite">
      {remarks.length > 0 && (
        <ul class="lines" aria-label={text.title}>
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
            <li class="quiet small">{words.moreBelow(remarks.length - shownMax)}</li>
          )}
        </ul>
      )}
    </div>
  )
}
