import { useState } from 'preact/hooks'
import type { Choice } from '../../design/picker.tsx'
import { can } from '../../lib/session.ts'

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
  const key = keyOf(id)
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
  const stored = localStorage.getItem(keyOf(undefined))
  localStorage.removeItem(keyOf(undefined))
  if (stored !== null) localStorage.setItem(keyOf(id), stored)
}

function keyOf(id: number | undefined): string {
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

/** What a request for a rendering sends of the data. Throws a SyntaxError where the JSON has a mistake. */
export function requestOf({ kind, contact, json }: PreviewData): {
  context?: Record<string, unknown>
  contactId?: number
} {
  const context = json.trim() === '' ? {} : (JSON.parse(json) as Record<string, unknown>)
  if (typeof context !== 'object' || context === null) throw new SyntaxError()
  return kind === 'contact' && contact !== undefined
    ? { context, contactId: Number(contact.value) }
    : { context }
}

/** Adds the variables that a template reads to the JSON, where they are missing. */
export function addVariables(json: string, paths: readonly string[]): string {
  let values: Record<string, unknown>
  try {
    values = JSON.parse(json) as Record<string, unknown>
  } catch {
    return json
  }
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
