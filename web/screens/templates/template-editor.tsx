import { useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { Button } from '../../design/button.tsx'
import { Badge } from '../../design/feedback.tsx'
import { Page } from '../../design/page.tsx'
import { can } from '../../lib/session.ts'
import { useAction } from '../../lib/use-action.ts'
import type { CodeHandle } from '../../records/code/open-editor.ts'
import { DeleteRecords } from '../../records/delete-records.tsx'
import { words } from '../../words/common.ts'
import { templateWords } from '../../words/templates.ts'
import { ImpactDialog, type TemplateChange } from './impact.tsx'
import { usePreviewData } from './preview-data.ts'
import { SendTest } from './send-test.tsx'
import { SidePane } from './side-pane.tsx'
import { TemplateForm } from './template-form.tsx'
import { useLint } from './use-lint.ts'
import { type Template, type TemplateDraft, useTemplateForm } from './use-template-form.ts'

interface TemplateEditorProps {
  /** Undefined for a new template. */
  saved: Template | undefined
  etag: string | undefined
  onReload: () => void
}

/** A step before something is saved, in which the user sees what it changes. */
interface Step {
  change: TemplateChange
  action: string
  onConfirm: (note: string) => Promise<void>
}

const text = templateWords

export function TemplateEditor({ saved, etag, onReload }: TemplateEditorProps) {
  const { route } = useLocation()
  const id = saved?.id
  const note = useRef('')
  const form = useTemplateForm({ saved, etag }, () => note.current)
  const { draft } = form
  const lint = useLint(draft.template, id)
  const [data, setData] = usePreviewData(id)
  const [editor, setEditor] = useState<CodeHandle>()
  const [step, setStep] = useState<Step>()
  const { run } = useAction()
  const [isTesting, setTesting] = useState(false)
  const canSave = can(saved === undefined ? 'twigtemplates:create' : 'twigtemplates:edit')

  /** Shows what a change does, if the user may see that and there is something to see; then goes on. */
  const withImpact = (next: Step) => {
    const isVisible = saved !== undefined && can('email:view')
    const hasFaults = lint.remarks.some(({ isFault }) => isFault)
    if (isVisible && Object.keys(next.change).length > 0 && !hasFaults) setStep(next)
    else void run(() => next.onConfirm(''))
  }
  const save = () => {
    if (!canSave || form.isBusy) return
    withImpact({
      change: changeOf(form.saved, draft),
      action: text.impact.save,
      async onConfirm(written) {
        note.current = written
        await form.save()
      },
    })
  }
  const actions = (
    <>
      {form.isChanged && saved !== undefined && <Badge tone="warn">{text.unsaved}</Badge>}
      {can('multipleTransports:edit') && (
        <Button disabled={draft.template === ''} onClick={() => setTesting(true)}>
          {text.test.open}
        </Button>
      )}
      {saved !== undefined && (
        <DeleteRecords
          kind="templates"
          ids={[saved.id]}
          title={text.deleteOne(saved.name)}
          text={text.deleteText}
          onDeleted={() => route('/templates')}
          onRestored={() => route(`/templates/${saved.id}`)}
        />
      )}
      {canSave && (
        <Button
          kind="primary"
          type="submit"
          form="template"
          isBusy={form.isBusy}
          disabled={!form.isChanged}
        >
          {words.save}
        </Button>
      )}
    </>
  )
  return (
    <Page title={saved === undefined ? text.new : form.saved.name} actions={actions}>
      <div class="template">
        <TemplateForm
          {...{ form, lint, data, canSave }}
          onSave={save}
          editor={editor}
          onOpen={setEditor}
        />
        <SidePane
          {...{ id, form, lint, data, editor, canSave }}
          onData={setData}
          onRestore={(restore, code) =>
            withImpact({
              change: { template: code },
              action: text.versions.restore,
              async onConfirm(changeNote) {
                await restore(changeNote)
                onReload()
              },
            })
          }
        />
      </div>
      {step !== undefined && id !== undefined && (
        <ImpactDialog
          {...{ ...step, id, data }}
          onConfirm={(written) => run(() => step.onConfirm(written))}
          onClose={() => setStep(undefined)}
        />
      )}
      {isTesting && (
        <SendTest
          {...{ id, data }}
          name={draft.name}
          code={draft.template}
          onClose={() => setTesting(false)}
        />
      )}
    </Page>
  )
}

/** What an edit changes for those that use the template. */
function changeOf(saved: TemplateDraft, draft: TemplateDraft): TemplateChange {
  const change: TemplateChange = {}
  if (draft.template !== saved.template) change.template = draft.template
  if (draft.name !== saved.name) change.name = draft.name
  if (draft.isPublished !== saved.isPublished) change.isPublished = draft.isPublished
  return change
}
