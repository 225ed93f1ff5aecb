import { choicesOf } from '../design/field.tsx'
import type { Schema } from '../lib/api.ts'
import { smtpWords } from '../words/smtp.ts'

/** A mode, or empty for the setting. */
export type SmtpModeDraft = NonNullable<Schema<'User'>['smtpMode']> | ''

/** The modes, for the editors of users and OAuth clients. */
export const smtpModeOptions = choicesOf(smtpWords.modes)

/** Returns the mode for the API. */
export const smtpModeOf = (draft: SmtpModeDraft) => (draft === '' ? null : draft)
