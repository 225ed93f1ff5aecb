import { TwigError } from './errors/twig-error.ts'

/** Throws a `limit` error for a template that is longer than it may be. */
export function checkLength(
  source: string,
  { name, sourceLength }: { name: string | undefined; sourceLength: number },
): void {
  if (source.length <= sourceLength) return
  const place = { templateName: name, line: 1, column: 1 }
  throw new TwigError('limit', `The template is longer than ${sourceLength} characters.`, place)
}
