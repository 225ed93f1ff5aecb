import { CheckField, TextField } from '../../design/field.tsx'
import { FormFault } from '../../design/form-fault.tsx'
import { can } from '../../lib/session.ts'
import type { Form } from '../../lib/use-form.ts'
import { CodeEditor } from '../../records/code/code-editor.tsx'
import type { CodeHandle } from '../../records/code/open-editor.ts'
import { Remarks } from '../../records/code/remarks.tsx'
import { useKnowledge } from '../../records/code/use-knowledge.ts'
import { words } from '../../words/common.ts'
import { templateWords } from '../../words/templates.ts'
import { ConflictDiff } from './conflict-diff.tsx'
import type { PreviewData } from './preview-data.ts'
import type { Lint } from './use-lint.ts'
import type { TemplateDraft } from './use-template-form.ts'

interface TemplateFormProps {
  form: Form<TemplateDraft>
  lint: Lint
  data: PreviewData
  canSave: boolean
  editor: CodeHandle | undefined
  onOpen: (editor: CodeHandle) => void
  onSave: () => void
}

const text = templateWords
const labels = { name: text.name, description: text.description, template: text.code }

/** What is written of a template: its name, its purpose and its code. Readers see it and change nothing. */
export function TemplateForm(props: TemplateFormProps) {
  const { form, lint, data, canSave, editor, onOpen, onSave } = props
  const { draft, conflict } = form
  const knowledge = useKnowledge(lint.variables, data.json)
  return (
    <form
      id="template"
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        onSave()
      }}
      onKeyDown={(event) => {
        if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
        event.preventDefault()
        onSave()
      }}
    >
      {conflict === undefined ? (
        <FormFault form={form} labels={labels} />
      ) : (
        <ConflictDiff form={form} conflict={conflict} />
      )}
      {canSave ? (
        <div class="template-facts">
          <TextField
            label={text.name}
            required
            value={draft.name}
            onValue={form.set('name')}
            fault={form.faultOf('name')}
          />
          <TextField
            label={text.description}
            value={draft.description}
            onValue={form.set('description')}
            fault={form.faultOf('description')}
          />
          {can('twigtemplates:publish') && (
            <CheckField
              label={words.published}
              value={draft.isPublished}
              onValue={form.set('isPublished')}
            />
          )}
        </div>
      ) : (
        <p class="quiet">{draft.description}</p>
      )}
      <div class="field">
        <span class="label">{text.code}</span>
        <CodeEditor
          label={text.code}
          text={draft.template}
          onText={form.set('template')}
          isReadOnly={!canSave}
          remarks={lint.remarks}
          knowledge={knowledge}
          onOpen={onOpen}
        />
        {form.faultOf('template') !== undefined && (
          <span class="fault">{form.faultOf('template')}</span>
        )}
      </div>
      <Remarks {...lint} onShow={(place) => editor?.goTo(place)} />
      {canSave && <p class="quiet small">{text.keys}</p>}
    </form>
  )
}
