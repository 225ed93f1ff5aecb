import { type Place, suggestion, TwigError } from '../errors.ts'
import { isCollection, valuesOf } from '../values/collections.ts'
import { toText } from '../values/conversions.ts'
import { dataOf, type ObjectKind, type Value } from '../values/value.ts'
import type { Render, Template } from './render.ts'

/** The cost of looking up one template. */
const candidateSteps = 3

/** A template as a value, created by `template_from_string`. */
export const templateKind: ObjectKind<Template> = { className: 'Twig\\TemplateWrapper' }

/**
 * Loads a template by name or value. A sequence loads the first template that exists.
 *
 * @throws TwigError of kind `loader` when there is none.
 */
export function loadTemplate(render: Render, wanted: Value, place: Place): Template {
  const template = findTemplate(render, wanted, place)
  if (template !== undefined) return template
  throw new TwigError('loader', missingMessage(render, wanted), place)
}

/**
 * Like `loadTemplate`, but returns undefined when there is none. An invalid template still throws.
 */
export function findTemplate(render: Render, wanted: Value, place: Place): Template | undefined {
  const template = dataOf(wanted, templateKind)
  if (template !== undefined) return template
  if (!isCollection(wanted)) return findNamed(render, wanted, place)
  for (const candidate of wanted.values()) {
    render.budget.spend(candidateSteps)
    const found = dataOf(candidate, templateKind) ?? findNamed(render, candidate, place)
    if (found !== undefined) return found
  }
  return undefined
}

function findNamed(render: Render, name: Value, place: Place): Template | undefined {
  const template = render.templates.find(toText(name), place.templateName)
  if (template !== undefined) render.chargeTemplate(template)
  return template
}

function missingMessage(render: Render, wanted: Value): string {
  if (isCollection(wanted)) {
    const names = valuesOf(wanted).map((name) => toText(name))
    if (names.length !== 1) {
      return `Unable to find one of the following templates: "${names.slice(0, 10).join('", "')}".`
    }
    return `Template "${names[0]}" is not defined.`
  }
  const name = toText(wanted)
  return `Template "${name}" is not defined.${suggestion(name, render.templates.names())}`
}
