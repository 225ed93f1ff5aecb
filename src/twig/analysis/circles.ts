import type { TemplateReference } from './report.ts'

/** Finds the references that a template makes in every render, by its name. */
export type ReferencesOf = (name: string) => readonly TemplateReference[] | undefined

/**
 * The names on a way from a reference of a template back to that template, on which every step is
 * taken in every render; undefined where there is none. Such a template can never end.
 */
export function findCircle(
  name: string,
  reference: TemplateReference,
  referencesOf: ReferencesOf,
): readonly string[] | undefined {
  const first = inevitable(reference)
  if (first === undefined) return undefined
  const cameFrom = new Map<string, string | undefined>([[first, undefined]])
  const waiting = [first]
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (next === name) return wayTo(next, cameFrom)
    for (const followed of referencesOf(next) ?? []) {
      const target = inevitable(followed)
      if (target === undefined || cameFrom.has(target)) continue
      cameFrom.set(target, next)
      waiting.push(target)
    }
  }
  return undefined
}

const loading = new Set(['include', 'extends', 'embed', 'use'])

/** The template that a reference leads to in every render. */
function inevitable({ type, names, isConditional }: TemplateReference): string | undefined {
  if (isConditional || names.length !== 1 || !loading.has(type)) return undefined
  return names[0]
}

function wayTo(end: string, cameFrom: ReadonlyMap<string, string | undefined>): string[] {
  const way: string[] = []
  for (let step: string | undefined = end; step !== undefined; step = cameFrom.get(step)) {
    way.unshift(step)
  }
  return way
}
