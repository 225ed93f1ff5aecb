import { useState } from 'preact/hooks'
import { Notice, Skeleton } from '../../design/feedback.tsx'
import { CheckField } from '../../design/field.tsx'
import { Tabs } from '../../design/tabs.tsx'
import { ask } from '../../lib/api.ts'
import { useData } from '../../lib/use-data.ts'
import { CodeEditor } from '../../records/code/code-editor.tsx'
import { EmailFrame } from '../../records/email-frame.tsx'
import { type PreviewData, requestOf } from './preview-data.tsx'

const text = {
  title: 'Preview',
  views: 'View',
  viewNames: { html: 'HTML', text: 'Text', source: 'Source' },
  phone: 'Phone width',
  dark: 'Dark',
  with: (contact: string) => `As for ${contact}.`,
  withJson: 'With the variables of the tab “Data”.',
} as const

/**
 * What a template prints: as a reader sees it, as plain text, and its source. The server renders when the typing pauses, so
 * that typing never waits; the last rendering stays until the next is there.
 */
export function PreviewPane({
  template,
  id,
  data,
}: {
  template: string
  id: number | undefined
  data: PreviewData
}) {
  const { kind, contact, json } = data
  const [view, setView] = useState<keyof typeof text.viewNames>('html')
  const [isPhone, setPhone] = useState(false)
  const [isDark, setDark] = useState(false)
  const { data: rendering, fault } = useData(
    async (signal) => {
      const body = {
        ...requestOf(data),
        template,
        ...(id === undefined ? {} : { id }),
        withText: true,
      }
      return (await ask('POST', '/api/twigTemplates/render', { body, signal, isRead: true })).body
    },
    [template, id, kind, contact?.value, json],
    { isTyped: true },
  )
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
      {fault !== undefined && <Notice tone="warn">{fault.message}</Notice>}
      {rendering === undefined && fault === undefined && <Skeleton />}
      {rendering !== undefined && view === 'html' && (
        <EmailFrame title={text.title} html={rendering.output} isPhone={isPhone} isDark={isDark} />
      )}
      {rendering !== undefined && view === 'text' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to take the focus.
        <pre class="preview-text" tabIndex={0}>
          {rendering.text}
        </pre>
      )}
      {rendering !== undefined && view === 'source' && (
        <CodeEditor label={text.viewNames.source} text={rendering.output} isReadOnly />
      )}
      <p class="quiet small">
        {kind === 'contact' && contact !== undefined ? text.with(contact.label) : text.withJson}
      </p>
    </Tabs>
  )
}
