import { quoteForPowerShell } from '../../lib/quote.ts'

interface Filling {
  fields: readonly { name: string; label: string }[]
  /** By the name of the field. */
  values: Readonly<Record<string, string | number | boolean>>
  /** One or more mailboxes: a line that names the mailbox is repeated for each. */
  mailboxes: readonly string[]
  /** Null if the line is a value to paste. */
  shell: 'powershell' | null
}

/** Fills a line of a set-up step with the values of a form. For an empty field it has the label: CLIENT_ID. */
export function fillLine(line: string, { fields, values, mailboxes, shell }: Filling): string {
  const fillFor = (mailbox: string) =>
    // In one pass: a value may look like a placeholder.
    line.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
      const given = name === 'mailbox' ? mailbox : String(values[name] ?? '')
      // A terminal carries out some control characters when a text is pasted.
      const value = given.replace(/\p{Cc}/gu, '')
      const label = fields.find((field) => field.name === name)?.label ?? placeholder
      const text = value === '' ? toPlaceholder(label) : value
      return shell === null ? text : quoteForPowerShell(text)
    })
  const filled = mailboxes.length === 0 ? [fillFor('')] : mailboxes.map(fillFor)
  return [...new Set(filled)].join('\n')
}

/** Converts a label: `Application (client) id` to `APPLICATION_CLIENT_ID`. */
function toPlaceholder(label: string): string {
  return label
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
}
