import { useState } from 'preact/hooks'
import { Notice, Skeleton } from '../../design/feedback.tsx'
import { CheckField } from '../../design/field.tsx'
import { Tabs } from '../../design/tabs.tsx'
import { CodeEditor } from '../../records/code/code-editor.tsx'
import { EmailFrame } from '../../records/email-frame.tsx'
import { words } from '../../words/common.ts'
import { formatDuration } from '../../words/format.ts'
import { templateWords } from '../../words/templates.ts'
import type { Preview } from './use-preview.ts'

const shownMax = 200_000
const text = templateWords.preview

/** What a template prints: as a reader sees it, as plain text, and its source. */
export function PreviewPane({ preview }: { preview: Preview }) {
  const { rendering, problem, isLoading } = preview
  const [view, setView] = useState<keyof typeof text.viewNames>('html')
  const [isPhone, setPhone] = useState(false)
  const [isDark, setDark] = useState(false)
  const isDone = !isLoading && problem === undefined && rendering !== undefined
  return (
    <Tabs
      kind="segments"
      label={text.views}
      tabs={text.viewNames}
      shown={view}
      onShow={setView}
      tools={
        view === 'html' && (
          <>
            <CheckField label={text.phone} value={isPhone} onValue={setPhone} />
            <CheckField label={text.dark} value={isDark} onValue={setDark} />
          </>
        )
      }
    >
      {problem !== undefined && <Notice tone="warn">{problem}</Notice>}
      {rendering === undefined && problem === undefined && <Skeleton />}
      {rendering !== undefined && view === 'html' && (
        <EmailFrame title={text.title} html={rendering.output} {...{ isPhone, isDark }} />
      )}
      {rendering !== undefined && view === 'text' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to take the focus.
        <pre class="preview-text" tabIndex={0}>
          {(rendering.text ?? '').slice(0, shownMax)}
        </pre>
      )}
      {rendering !== undefined && view === 'source' && (
        <CodeEditor label={text.viewNames.source} text={rendering.output} isReadOnly />
      )}
      <p class="quiet small" aria-live="polite">
        {isDone ? text.rendered(formatDuration(rendering.durationMs)) : isLoading && words.loading}
      </p>
    </Tabs>
  )
}
