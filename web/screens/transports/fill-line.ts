import { quoteForPowerShell } from '../../lib/quote.ts'

interface Filling {
  fields: readonly { name: string; label: string }[]
  /** By the name of the field. */
  values: Readonly<Record<string, string | number | boolean>>
  /** Null if the line is a value to paste. */
  shell: 'powershell' | null
}

/** Fills a line of a set-up step with the values of a form. For an empty field it has the label: CLIENT_ID. */
export function fillLine(line: string, { fields, values, shell }: Filling): string {
  // In one pass: a value may look like a placeholder.
  return line.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    // A terminal carries out some control characters when a text is pasted.
    const value = String(values[name] ?? '').replace(/\p{Cc}/gu, '')
    const label = fields.find((field) => field.name === name)?.label ?? placeholder
    const text = value === '' ? toPlaceholder(label) : value
    return shell === null ? text : quoteForPowerShell(text)
  })
}

/** Converts a label: `Application (client) id` to `APPLICATION_CLIENT_ID`. */
function toPlaceholder(label: string): string {
  return label
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
}
