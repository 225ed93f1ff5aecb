import type { TSchema } from 'typebox'
import { createCheck } from '../http/index.ts'

/** Asks of a command's input what the API asks of a body; throws the same AppError. */
export function checkInput(schema: TSchema, input: unknown): void {
  const error = createCheck(schema)(input)
  if (error !== undefined) throw error
}
