import type { Schema } from '../lib/api.ts'
import { accessWords } from '../words/access.ts'

/** A mode, or empty for the setting. */
export type SmtpModeDraft = NonNullable<Schema<'User'>['smtpMode']> | ''

/** The modes, for the editors of users and OAuth clients. */
export const smtpModeOptions = Object.entries(accessWords.smtpModes).map(([value, label]) => ({
  value,
  label,
}))

/** Returns the mode for the API. */
export const smtpModeOf = (draft: SmtpModeDraft) => (draft === '' ? null : draft)
