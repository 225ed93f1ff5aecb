import { AppError, type FaultDetails } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import type { WorkQueue } from '../../kit/work-queue.ts'
import type { TwigFault } from '../../libraries/twig/index.ts'
import { headersMax } from './schema.ts'
import type { EmailRow } from './table.ts'

/** The texts of an email that may use Twig templates. */
export type EmailTexts = Pick<
  EmailRow,
  'subject' | 'custom_html' | 'plain_text' | 'headers' | 'from_name' | 'is_twig'
>

/** Whether an email uses Twig templates: by a token, or, if it is Twig itself, by an include or `source()`. */
export type UsesTemplates = (email: EmailTexts) => boolean

/** Throws an AppError (`forbidden`) where an email uses Twig templates, which it would show, and the caller may not view them. */
export function checkTemplatePermission(
  caller: Caller,
  email: EmailTexts,
  usesTemplates: UsesTemplates,
): void {
  if (caller.can('twigtemplates:view') || !usesTemplates(email)) return
  const message =
    'The email uses Twig templates, and you do not have permission to view them (twigtemplates:view).'
  throw new AppError('forbidden', 'templates_forbidden', message)
}

/** Finds the faults that keep a Twig text from being rendered. */
export type LintText = (text: string, faultsMax: number) => readonly TwigFault[]

const fields = ['subject', 'customHtml', 'plainText'] as const

/** Finds the faults of the texts of a Twig email, by field. */
export async function findTwigFaults(
  values: Readonly<Record<string, unknown>>,
  { lint, work, faultsMax }: { lint: LintText; work: WorkQueue; faultsMax: number },
): Promise<FaultDetails> {
  if (values['isTwig'] !== true) return {}
  const texts: [string, unknown][] = [
    ...fields.map((field): [string, unknown] => [field, values[field]]),
    ...headersOf(values).map(([name, value]): [string, unknown] => [`headers.${name}`, value]),
  ]
  const details: FaultDetails = {}
  let faultsLeft = faultsMax
  for (const [field, text] of texts) {
    if (typeof text !== 'string') continue
    await work.turn()
    const reasons = lint(text, faultsLeft).map(describe)
    if (reasons.length > 0) details[field] = reasons
    faultsLeft -= reasons.length
    if (faultsLeft <= 0) break
  }
  return details
}

/** The headers of values that may not be valid: other types are ignored, and too many are cut off. */
function headersOf({ headers }: Readonly<Record<string, unknown>>): [string, unknown][] {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) return []
  return Object.entries(headers).slice(0, headersMax)
}

function describe({ rawMessage, line, column }: TwigFault): string {
  return `${rawMessage.replace(/\.$/, '')} (line ${line}, column ${column}).`
}
