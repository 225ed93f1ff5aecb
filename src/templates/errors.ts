import { AppError } from '../kit/app-error.ts'
import type { TwigError } from '../twig/index.ts'

/** The sentences of this room. */
export const templateNotFound = () =>
  new AppError('not_found', 'template_not_found', 'Twig template not found')

/** Code that can never run, with its place. */
export const templateRefused = ({ rawMessage, line = 1, column = 1 }: TwigError) => {
  const sentence = rawMessage.replace(/\.$/, '')
  const why = `${sentence} (line ${line}, column ${column}).`
  return new AppError('invalid', 'template_invalid', `The template cannot run: ${why}`, {
    details: { template: [why] },
  })
}
