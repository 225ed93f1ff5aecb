import type { TemplateReference } from './report.ts'

/** Finds the references that a template makes, by its name. */
export type ReferencesOf = (name: string) => readonly TemplateReference[] | undefined

/** A reference of a template, and the names on the way from it back to that template. */
export interface Circle {
  readonly reference: TemplateReference
  readonly way: readonly string[]
}

/**
 * The references of a template that lead back to it with every step taken in every render: such a
 * template can never end. Each template is looked at once, however many refer to it.
 */
export function findCircles(name: string, referencesOf: ReferencesOf): Circle[] {
  const nextSteps = stepsBack(name, callersOf(name, referencesOf))
  return (referencesOf(name) ?? []).flatMap((reference) => {
    const target = inevitable(reference)
    if (target === undefined || !nextSteps.has(target)) return []
    return [{ reference, way: wayFrom(target, nextSteps) }]
  })
}

/** Of all templates that one comes to: which others come to it. */
function callersOf(name: string, referencesOf: ReferencesOf): Map<string, Set<string>> {
  const callers = new Map<string, Set<string>>([[name, new Set()]])
  const waiting = [name]
  for (let caller = waiting.pop(); caller !== undefined; caller = waiting.pop()) {
    for (const reference of referencesOf(caller) ?? []) {
      const target = inevitable(reference)
      if (target === undefined) continue
      const known = callers.get(target)
      if (known !== undefined) known.add(caller)
      else {
        callers.set(target, new Set([caller]))
        waiting.push(target)
      }
    }
  }
  return callers
}

/** The next step of the shortest way back to a template; it has none itself. */
function stepsBack(
  name: string,
  callers: ReadonlyMap<string, ReadonlySet<string>>,
): Map<string, string | undefined> {
  const nextSteps = new Map<string, string | undefined>([[name, undefined]])
  const waiting = [name]
  for (let index = 0; index < waiting.length; index++) {
    const step = waiting[index]
    if (step === undefined) continue
    for (const caller of callers.get(step) ?? []) {
      if (nextSteps.has(caller)) continue
      nextSteps.set(caller, step)
      waiting.push(caller)
    }
  }
  return nextSteps
}

const loading = new Set(['include', 'extends', 'embed', 'use'])

/** The template that a reference leads to in every render. */
function inevitable({ type, names, isConditional }: TemplateReference): string | undefined {
  if (isConditional || names.length !== 1 || !loading.has(type)) return undefined
  return names[0]
}

function wayFrom(start: string, nextSteps: ReadonlyMap<string, string | undefined>): string[] {
  const way: string[] = []
  for (let step: string | undefined = start; step !== undefined; step = nextSteps.get(step)) {
    way.push(step)
  }
  return way
}
