import { useState } from 'preact/hooks'
import { Tabs } from '../../design/tabs.tsx'
import { can } from '../../lib/session.ts'
import type { Form } from '../../lib/use-form.ts'
import type { CodeHandle } from '../../records/code/open-editor.ts'
import { templateWords } from '../../words/templates.ts'
import { Dependents } from './dependents.tsx'
import { PreviewPane } from './preview.tsx'
import type { PreviewData } from './preview-data.ts'
import { PreviewDataForm } from './preview-data-form.tsx'
import type { Lint } from './use-lint.ts'
import { usePreview } from './use-preview.ts'
import type { TemplateDraft } from './use-template-form.ts'
import { Variables } from './variables.tsx'
import { Versions } from './versions.tsx'

interface SidePaneProps {
  id: number | undefined
  form: Form<TemplateDraft>
  lint: Lint
  data: PreviewData
  onData: (changes: Partial<PreviewData>) => void
  editor: CodeHandle | undefined
  canSave: boolean
  onRestore: (restore: (changeNote: string) => Promise<void>, code: string) => void
}

type PaneName = keyof typeof templateWords.panes

const text = templateWords

/** What there is of a new or a saved template, and the user may see. */
function tabsOf(isSaved: boolean): Record<PaneName, string> {
  const { versions, dependents, ...always } = text.panes
  const shown: Partial<Record<PaneName, string>> = {
    ...always,
    ...(isSaved ? { versions } : {}),
    ...(isSaved && can('email:view') ? { dependents } : {}),
  }
  return shown as Record<PaneName, string>
}

/** Beside the editor: the preview and its data, the variables, the versions, and who uses the template. */
export function SidePane(props: SidePaneProps) {
  const { id, form, lint, data, onData, editor, canSave, onRestore } = props
  const { template } = form.draft
  const [pane, setPane] = useState<PaneName>('preview')
  const preview = usePreview({ template, id }, data)
  return (
    <div class="card side-pane">
      <Tabs label={text.paneChoice} tabs={tabsOf(id !== undefined)} shown={pane} onShow={setPane}>
        {pane === 'preview' && <PreviewPane preview={preview} />}
        {pane === 'data' && (
          <PreviewDataForm data={data} onChange={onData} variables={lint.variables} />
        )}
        {pane === 'variables' && (
          <Variables
            variables={lint.variables}
            onInsert={canSave ? (path) => editor?.insertVariable(path) : undefined}
            onShow={(place) => editor?.goTo(place)}
          />
        )}
        {pane === 'versions' && id !== undefined && (
          <Versions
            {...{ id, onRestore }}
            etag={form.etag}
            code={template}
            hasChanges={form.isChanged}
          />
        )}
        {pane === 'dependents' && id !== undefined && <Dependents id={id} />}
      </Tabs>
    </div>
  )
}
