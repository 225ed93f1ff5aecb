import { AppError } from '../../kit/app-error.ts'
import type { TwigError, TwigFault } from '../../libraries/twig/index.ts'

export const templateNotFound = () =>
  new AppError('not_found', 'template_not_found', 'Twig template not found')

export const versionNotFound = (version: number) =>
  new AppError('not_found', 'version_not_found', `Version not found: ${version}`)

export const sourceMissing = () =>
  new AppError(
    'invalid',
    'source_missing',
    'Send either "template", the code itself, or "id", that of a saved template.',
  )

/** The error for code that cannot run, with every fault and its place. */
const templateRefused = (faults: readonly TwigFault[]) => {
  const places = faults.map(({ rawMessage, line, column }) => ({
    message: rawMessage,
    line,
    column,
  }))
  const sentences = places.map(({ message, ...place }) => withPlace(message, place))
  const more = faults.length > 1 ? ` There are ${faults.length} faults; details lists them.` : ''
  const message = `The template cannot run: ${sentences[0] ?? ''}${more}`
  const details = { template: sentences }
  return new AppError('invalid', 'template_invalid', message, {
    details,
    facts: { ...places[0], faults: places },
  })
}

/** The error for a template that failed while it was rendered. */
export const renderFailed = ({ rawMessage, templateName, line = 1, column = 1 }: TwigError) =>
  new AppError('invalid', 'render_failed', withPlace(rawMessage, { templateName, line, column }), {
    facts: { message: rawMessage, template: templateName ?? null, line, column },
  })

function withPlace(
  sentence: string,
  place: { templateName?: string | undefined; line: number; column: number },
): string {
  const { templateName, line, column } = place
  const template = templateName === undefined ? '' : `template "${templateName}", `
  return `${sentence.replace(/\.$/, '')} (${template}line ${line}, column ${column}).`
}

/** Throws an AppError (`invalid`) where a lint found faults. */
export function refuseFaults({ faults }: { faults: readonly TwigFault[] }): void {
  if (faults.length > 0) throw templateRefused(faults)
}
