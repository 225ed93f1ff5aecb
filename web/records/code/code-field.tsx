import type { ComponentChildren, ComponentProps } from 'preact'
import { useState } from 'preact/hooks'
import { Badge } from '../../design/feedback.tsx'
import { words } from '../../words/common.ts'
import { templateWords } from '../../words/templates.ts'
import { CodeEditor } from './code-editor.tsx'
import type { CodeHandle, PlacedRemark } from './open-editor.ts'

const shownMax = 20
const text = templateWords.remarks

/** An editor with its label, what is wrong with the code, and help; each remark leads to its place. */
export function CodeField({
  title,
  fault,
  help,
  children,
  ...editor
}: ComponentProps<typeof CodeEditor> & {
  /** Default: the label. */
  title?: string
  fault?: string | undefined
  help?: ComponentChildren
  /** Between the remarks and the help. */
  children?: ComponentChildren
}) {
  const { label, remarks, onOpen } = editor
  const [handle, setHandle] = useState<CodeHandle>()
  return (
    <div class="field">
      <span class="label">{title ?? label}</span>
      <CodeEditor
        {...editor}
        onOpen={(opened) => {
          setHandle(opened)
          onOpen?.(opened)
        }}
      />
      {fault !== undefined && <span class="fault">{fault}</span>}
      {remarks && <Remarks remarks={remarks} onShow={(remark) => handle?.goTo(remark)} />}
      {children}
      {help && <span class="help">{help}</span>}
    </div>
  )
}

/** What is wrong with code, under its editor; each leads to its place. */
function Remarks({
  remarks,
  onShow,
}: {
  remarks: readonly PlacedRemark[]
  onShow: (remark: PlacedRemark) => void
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
