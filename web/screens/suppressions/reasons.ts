import { suppressionWords } from '../../words/suppressions.ts'

export type Reason = keyof typeof suppressionWords.reasons

/** The reasons, for a choice. */
export const reasonOptions = Object.entries(suppressionWords.reasons).map(([value, label]) => ({
  value,
  label,
}))
