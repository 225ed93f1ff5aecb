import { TwigError } from '../errors/twig-error.ts'
import type { Place } from '../syntax/place.ts'
import type { Render, Template } from './render.ts'

/** Throws a `security` error at the first tag, filter or function that a sandboxed template may not use. */
export function checkSandbox(render: Render, template: Template): void {
  const { tags, filters, functions } = render.settings.sandbox
  const { vocabulary } = template
  check('Tag', vocabulary.tags, tags)
  check('Filter', vocabulary.filters, filters)
  check('Function', vocabulary.functions, functions)
}

function check(what: string, used: Map<string, Place>, allowed: ReadonlySet<string>): void {
  for (const [name, place] of used) {
    if (!allowed.has(name))
      throw new TwigError('security', `${what} "${name}" is not allowed.`, place)
  }
}
