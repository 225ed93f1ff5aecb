import { Button } from '../../design/button.tsx'
import { SelectField } from '../../design/field.tsx'
import { Picker } from '../../design/picker.tsx'
import { can } from '../../lib/session.ts'
import { CodeEditor } from '../../records/code/code-editor.tsx'
import { findContacts } from '../../records/find.ts'
import { templateWords } from '../../words/templates.ts'
import { addVariables, type PreviewData } from './preview-data.ts'
import type { Variable } from './use-lint.ts'

interface PreviewDataFormProps {
  data: PreviewData
  onChange: (changes: Partial<PreviewData>) => void
  variables: readonly Variable[]
}

/** Chooses what a template is rendered with: a contact, or JSON. */
export function PreviewDataForm({ data, onChange, variables }: PreviewDataFormProps) {
  const { kind, contact, json } = data
  const text = templateWords.data
  return (
    <div class="stack">
      {can('contact:view') && (
        <SelectField
          label={text.kind}
          value={kind}
          onValue={(value) => onChange({ kind: value as PreviewData['kind'] })}
          options={Object.entries(text.kinds).map(([value, label]) => ({ value, label }))}
        />
      )}
      {kind === 'contact' && (
        <Picker
          label={text.contact}
          help={text.contactHelp}
          value={contact}
          onValue={(next) => onChange({ contact: next })}
          find={findContacts}
        />
      )}
      <div class="field">
        <span class="label">{kind === 'contact' ? text.otherJson : text.json}</span>
        <CodeEditor
          label={text.json}
          language="json"
          size="short"
          text={json}
          onText={(next) => onChange({ json: next })}
        />
        <span class="help">{text.kept}</span>
      </div>
      {variables.length > 0 && (
        <div class="row">
          <Button
            onClick={() =>
              onChange({
                json: addVariables(
                  json,
                  variables.map(({ path }) => path),
                ),
              })
            }
          >
            {text.addVariables}
          </Button>
        </div>
      )}
    </div>
  )
}
