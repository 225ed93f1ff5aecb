import { useState } from 'preact/hooks'
import { choicesOf, SelectField } from '../../design/field.tsx'
import { type Choice, Picker } from '../../design/picker.tsx'
import { ApiFault } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { CodeField } from '../../records/code/code-field.tsx'
import { findContacts } from '../../records/find.ts'
import { templateWords } from '../../words/templates.ts'

const text = {
  kind: 'Render with',
  kinds: { json: 'JSON', contact: 'A contact' },
  contact: 'Contact',
  contactHelp: 'Type a name or an address, then choose the address.',
  json: 'Variables as JSON',
  otherJson: 'Other variables as JSON',
  kept: 'Kept in this browser, for this template.',
} as const

/** What a template is rendered with: the variables in `json`, and a contact as `contact`. It is kept per template. */
export interface PreviewData {
  kind: 'contact' | 'json'
  contact: Choice | undefined
  json: string
}

const example = { contact: { firstname: 'Ann', lastname: 'Lee', email: 'ann@example.com' } }
const first: PreviewData = {
  kind: 'json',
  contact: undefined,
  json: JSON.stringify(example, null, 2),
}

/** The data of a template's preview, kept in this browser. `id` is undefined for a new template. */
export function usePreviewData(
  id: number | undefined,
): [PreviewData, (changes: Partial<PreviewData>) => void] {
  const key = storageKey(id)
  const [data, setData] = useState(() => read(key))
  return [
    data,
    (changes) =>
      setData((before) => {
        const next = { ...before, ...changes }
        try {
          localStorage.setItem(key, JSON.stringify(next))
        } catch {
          // A full storage: the data is kept until the page is left.
        }
        return next
      }),
  ]
}

/** Keeps the data of a new template for it after its first save. */
export function movePreviewData(id: number): void {
  const stored = localStorage.getItem(storageKey(undefined))
  localStorage.removeItem(storageKey(undefined))
  if (stored !== null) localStorage.setItem(storageKey(id), stored)
}

function storageKey(id: number | undefined): string {
  return `mailyard.template.${id ?? 'new'}`
}

function read(key: string): PreviewData {
  try {
    const stored = { ...first, ...JSON.parse(localStorage.getItem(key) ?? '{}') } as PreviewData
    return can('contact:view') ? stored : { ...stored, kind: 'json' }
  } catch {
    return first
  }
}

/** What a request for a rendering sends of the data. Throws an ApiFault where the JSON has a mistake. */
export function requestOf({ kind, contact, json }: PreviewData) {
  const ofContact =
    kind === 'contact' && contact !== undefined ? { contactId: Number(contact.value) } : {}
  try {
    const context = JSON.parse(json.trim() || '{}') as Record<string, unknown>
    return { context, ...ofContact }
  } catch {
    throw new ApiFault(0, templateWords.jsonFault)
  }
}

/** Chooses what a template is rendered with: a contact, or JSON. */
export function PreviewDataForm({
  data: { kind, contact, json },
  onChange,
}: {
  data: PreviewData
  onChange: (changes: Partial<PreviewData>) => void
}) {
  return (
    <div class="stack">
      {can('contact:view') && (
        <SelectField
          label={text.kind}
          value={kind}
          onValue={(value) => onChange({ kind: value })}
          options={choicesOf(text.kinds)}
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
      <CodeField
        title={kind === 'contact' ? text.otherJson : text.json}
        label={text.json}
        language="json"
        size="short"
        text={json}
        onText={(next) => onChange({ json: next })}
        help={text.kept}
      />
    </div>
  )
}
