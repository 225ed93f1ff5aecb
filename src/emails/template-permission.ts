import { AppError } from '../kit/app-error.ts'
import type { Caller } from '../kit/caller.ts'
import type { EmailRow } from './table.ts'

/** The texts of an email, from which it follows which Twig templates it uses. */
export type EmailTexts = Pick<
  EmailRow,
  'subject' | 'custom_html' | 'plain_text' | 'headers' | 'from_name' | 'is_twig'
>

/** Whether an email uses Twig templates: by a token, or, where it is Twig itself, by an include or `source()`. */
export type UsesTemplates = (email: EmailTexts) => boolean

/**
 * Throws an AppError (`forbidden`) where an email uses Twig templates and the caller may not view them: it would
 * show what is in them.
 */
export function checkTemplatePermission(
  caller: Caller,
  email: EmailTexts,
  usesTemplates: UsesTemplates,
): void {
  if (caller.can('twigtemplates:view') || !usesTemplates(email)) return
  throw new AppError(
    'forbidden',
    'templates_forbidden',
    'The email uses Twig templates, and you do not have permission to view them (twigtemplates:view).',
  )
}
