import type { FaultDetails } from '../kit/app-error.ts'
import { pause } from '../kit/pause.ts'
import type { TwigFault } from '../twig/index.ts'
import { headersMax } from './schema.ts'

/** What keeps a text of an email that is Twig itself from ever being rendered. */
export type LintText = (text: string) => readonly TwigFault[]

const fields = ['subject', 'customHtml', 'plainText'] as const

/** The faults of the texts of an email that says it is Twig, by field. */
export async function findTwigFaults(
  values: Readonly<Record<string, unknown>>,
  lint: LintText,
): Promise<FaultDetails> {
  if (values['isTwig'] !== true) return {}
  // Of many emails in a batch, each takes a while to look into, and others wait.
  await pause()
  const texts: [string, unknown][] = [
    ...fields.map((field): [string, unknown] => [field, values[field]]),
    ...headersOf(values).map(([name, value]): [string, unknown] => [`headers.${name}`, value]),
  ]
  return Object.fromEntries(
    texts.flatMap(([field, text]) => {
      const reasons = typeof text === 'string' ? lint(text).map(describe) : []
      return reasons.length === 0 ? [] : [[field, reasons]]
    }),
  )
}

/** The values may not have been checked yet: what are no headers, or too many, is not looked into. */
function headersOf({ headers }: Readonly<Record<string, unknown>>): [string, unknown][] {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) return []
  return Object.entries(headers).slice(0, headersMax)
}

function describe({ rawMessage, line, column }: TwigFault): string {
  return `${rawMessage.replace(/\.$/, '')} (line ${line}, column ${column}).`
}
