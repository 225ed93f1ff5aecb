import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
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
  addVariables: 'Add the variables of the template',
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
export function requestOf({ kind, contact, json }: PreviewData): {
  context?: Record<string, unknown>
  contactId?: number
} {
  const context = readJson(json.trim() || '{}')
  if (context === undefined) throw new ApiFault(0, templateWords.jsonFault)
  return kind === 'contact' && contact !== undefined
    ? { context, contactId: Number(contact.value) }
    : { context }
}

/** The object that a JSON text has; undefined for any other. */
function readJson(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** Adds the variables that a template reads to the JSON, where they are missing. */
function addVariables(json: string, paths: readonly string[]): string {
  const values = readJson(json)
  if (values === undefined) return json
  for (const path of paths) addPath(values, path.split('.'))
  return JSON.stringify(values, null, 2)
}

function addPath(into: Record<string, unknown>, [step = '', ...rest]: string[]): void {
  const name = step.replaceAll('[]', '')
  const isList = step !== name
  if (name === '__proto__' || name === '') return
  if (!(name in into)) into[name] = isList ? [rest.length > 0 ? {} : ''] : rest.length > 0 ? {} : ''
  const value = into[name]
  const inner: unknown = isList && Array.isArray(value) ? value[0] : value
  const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner)
  if (rest.length > 0 && isObject) addPath(inner as Record<string, unknown>, rest)
}

/** Chooses what a template is rendered with: a contact, or JSON. */
export function PreviewDataForm({
  data: { kind, contact, json },
  onChange,
  variables,
}: {
  data: PreviewData
  onChange: (changes: Partial<PreviewData>) => void
  variables: readonly { path: string }[]
}) {
  const paths = variables.map(({ path }) => path)
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
      {paths.length > 0 && (
        <div class="row">
          <Button onClick={() => onChange({ json: addVariables(json, paths) })}>
            {text.addVariables}
          </Button>
        </div>
      )}
    </div>
  )
}
